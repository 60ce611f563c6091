// Programs that run another command: what they run is judged as if it stood alone.

import { judged, toOperands, type Call, type Judge, type Judgement } from './call.ts'
import { destroys, READS, risky, unseen, type Finding } from './finding.ts'
import { fill } from './judge-find.ts'
import { hasGiven, ODD, readOptions, valuesOf, type Known } from './options.ts'
import { knownWord, UNKNOWN_WORD, type Word } from './shell-words.ts'

type Wrapper = {
  /** Letters of options that take a value, in the same word or the next, and of those that do not. */
  valued: string
  flags: string
  /** Long options that take a value, joined or as the next word, and of those that do not. */
  long?: string
  longFlags?: string
  /** Operands before the command: `timeout 5 ls`. */
  skips?: number
  /** Variables may stand before the command: `sudo A=b ls`. */
  sets?: boolean
  finding?: Finding
}

const ALL_RIGHTS = risky('runs with the rights of somebody else')
const SOME_PROGRAM = risky('starts another program in an unusual way')

const TIMEOUT_FLAGS = '--preserve-status --foreground --verbose'

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: { valued: 'ugphCTrtDRU', flags: 'AbEeHiKklnPSsVv', sets: true, finding: ALL_RIGHTS },
  doas: { valued: 'uC', flags: 'Lns', finding: ALL_RIGHTS },
  chroot: { valued: '', flags: '', skips: 1, finding: ALL_RIGHTS },
  command: { valued: '', flags: 'pvV' },
  builtin: { valued: '', flags: '' },
  exec: { valued: 'a', flags: 'cl' },
  setsid: { valued: '', flags: 'cfw' },
  nice: { valued: 'n', flags: '', long: '--adjustment' },
  ionice: { valued: 'cnpPu', flags: 't', long: '--class --classdata' },
  chrt: { valued: 'TPDp', flags: 'bfiormv', skips: 1 },
  taskset: { valued: 'p', flags: 'ac', skips: 1 },
  timeout: {
    valued: 'sk',
    flags: 'v',
    long: '--signal --kill-after',
    longFlags: TIMEOUT_FLAGS,
    skips: 1,
  },
  stdbuf: { valued: 'ioe', flags: '', long: '--input --output --error' },
  unbuffer: { valued: '', flags: 'p' },
  strace: { valued: 'eopsuEPaAbOSIX', flags: 'cCdfFhinqrtTvVwxyYzZkD', finding: SOME_PROGRAM },
  flock: { valued: 'wE', flags: 'eFnosuxv', skips: 1 },
  busybox: { valued: '', flags: '' },
  toybox: { valued: '', flags: '' },
  setarch: { valued: '', flags: 'BFILRSTXZ3v', skips: 1 },
}

type Opened = { at: number; isOdd: boolean }

/** Where the options of a wrapper end. */
function skipOptions(args: readonly Word[], wrapper: Wrapper): Opened {
  const { valued, flags, long = '', longFlags = '' } = wrapper
  let isOdd = false
  let at = 0
  for (; at < args.length; at++) {
    const { text, isKnown } = args[at]!
    if (!isKnown) return { at, isOdd: true }
    if (text === '--') return { at: at + 1, isOdd }
    if (!/^-./.test(text)) break
    if (text.startsWith('--')) {
      const [name = ''] = text.split('=', 1)
      const takesValue = long.split(' ').includes(name)
      if (takesValue && name === text) at++
      isOdd ||= !takesValue && !longFlags.split(' ').includes(name)
      continue
    }
    const letters = Array.from(text.slice(1))
    const taking = letters.findIndex((letter) => valued.includes(letter))
    const own = taking < 0 ? letters : letters.slice(0, taking)
    if (own.some((letter) => !flags.includes(letter)) && !/^-\d+$/.test(text)) isOdd = true
    if (taking !== letters.length - 1) continue
    at++
    // Not every program of the name takes the next word for the last of several letters.
    isOdd ||= letters.length > 1
  }
  return { at, isOdd }
}

/** Not sure where the command begins: every place it could is looked at. */
const GUESSES = 3

function unwrap(wrapper: Wrapper, { args }: Call): Judgement {
  const opened = skipOptions(args, wrapper)
  let at = opened.at + (wrapper.skips ?? 0)
  while (wrapper.sets === true && /^\w+=/.test(args[at]?.text ?? '')) at++
  const findings = wrapper.finding === undefined ? [READS] : [wrapper.finding]
  if (opened.isOdd) findings.push(risky('has an option that is not known here'))
  const starts = opened.isOdd ? Array.from({ length: GUESSES }, (_, more) => at + more) : [at]
  const inner = starts
    .filter((start) => start < args.length)
    .map((start) => ({ words: args.slice(start), offset: start + 1 }))
  return { findings, inner }
}

const wrapper =
  (spec: Wrapper): Judge =>
  (call) =>
    unwrap(spec, call)

function command(call: Call): Judgement {
  const [first] = call.args
  if (first !== undefined && /^-[pvV]*[vV]/.test(first.text)) return judged(READS)
  return unwrap(WRAPPERS.command!, call)
}

function env(call: Call): Judgement {
  const { args } = call
  const split = args.findIndex(({ text }) => /^-[a-zA-Z0]*S|^--sp/.test(text))
  if (split >= 0) {
    const joined = args[split]!.text.replace(/^-[a-zA-Z0]*?S|^--[a-z-]*=?/, '')
    const text = [joined, ...args.slice(split + 1).map((word) => word.text)].join(' ')
    return { findings: [risky('splits a text into a command')], scripts: [knownWord(text)] }
  }
  const spec: Wrapper = {
    valued: 'uC',
    flags: 'i0v',
    long: '--unset --chdir',
    longFlags: '--ignore-environment --null --debug',
  }
  const opened = skipOptions(args, spec)
  let { at } = opened
  const findings: Finding[] = [opened.isOdd ? risky('has an option that is not known here') : READS]
  // From there a path is another one.
  if (args.slice(0, at).some(({ text }) => /^-[a-zA-Z0]*C|^--c/.test(text))) {
    findings.push(risky('runs a command in another folder'))
  }
  for (; at < args.length && /^\w+=/.test(args[at]!.text); at++) {
    const finding = judgeVariable(args[at]!.text.split('=', 1)[0]!)
    if (finding !== null) findings.push(finding)
  }
  if (at >= args.length) return { findings }
  return { findings, inner: [{ words: args.slice(at), offset: at + 1 }] }
}

function xargs({ args }: Call): Judgement {
  const spec: Wrapper = {
    valued: 'aIEdLnPsiel',
    flags: 'rtpx0o',
    long: '--arg-file --delimiter --max-args --max-procs --max-chars',
    // Two of them may have a value, but only in the same word.
    longFlags: '--null --no-run-if-empty --verbose --interactive --exit --replace --max-lines',
  }
  // -i, -e and -l take a value only in the same word.
  const prepared = args.map((word) => (/^-[iel]$/.test(word.text) ? knownWord('-r') : word))
  const opened = skipOptions(prepared, spec)
  const findings = [opened.isOdd ? risky('has an option that is not known here') : READS]
  const words = args.slice(opened.at)
  if (words.length === 0) return { findings }
  const options = args.slice(0, opened.at)
  const at = options.findIndex(({ text }) => /^-[a-zA-Z]*[Ii]|^--replace/.test(text))
  const value = /^(?:-[a-zA-Z]*[Ii]|--replace=)(.+)$/.exec(options[at]?.text ?? '')?.[1]
  const isNext = options[at]?.text.endsWith('I') === true
  const hole = at < 0 ? null : (value ?? (isNext ? options[at + 1]?.text : undefined) ?? '{}')
  const filled = hole === null ? [...words, UNKNOWN_WORD] : words.map((word) => fill(word, hole))
  return { findings, inner: [{ words: filled, offset: opened.at + 1 }] }
}

/** It writes what it measured to a file, if it is told one. */
function time(call: Call): Judgement {
  const { args, places } = call
  const options = readOptions(args, TIME)
  const files = valuesOf(options, 'o', 'output').map((file) => file ?? UNKNOWN_WORD)
  const change = hasGiven(options, 'a', 'append') ? 'write' : 'overwrite'
  const written = files.map((file) => places.change(file, change))
  // What stands behind its own options belongs to the command.
  const own = args.slice(0, options.end)
  // The shell's own passes over several letters in one word, and takes what follows as the command.
  const isOdd = readOptions(own, TIME).isOdd || own.some(({ text }) => /^-\w+[fo]$/.test(text))
  const { findings } = judged(isOdd ? ODD : READS, ...written)
  if (options.end >= args.length) return { findings }
  return { findings, inner: [{ words: args.slice(options.end), offset: options.end + 1 }] }
}

const TIME: Known = {
  flags: 'apqvV',
  valued: 'fo',
  long: 'append portability quiet verbose version help',
  longValued: 'format output',
  isFront: true,
}

/** Its output goes to a file where nobody else takes it. */
function nohup({ args, places }: Call): Judgement {
  const at = args[0]?.text === '--' ? 1 : 0
  const { findings } = judged(
    args[at]?.text.startsWith('-') === true ? ODD : READS,
    places.change(knownWord('nohup.out'), 'write'),
  )
  return { findings, inner: [{ words: args.slice(at), offset: at + 1 }] }
}

/** watch hands its words to a shell as one text. */
function watch({ args }: Call): Judgement {
  const spec: Wrapper = { valued: 'nq', flags: 'bcdegptwx', long: '--interval' }
  const opened = skipOptions(args, spec)
  const findings = [opened.isOdd ? risky('has an option that is not known here') : READS]
  return { findings, scripts: [toJoined(args.slice(opened.at))] }
}

const toJoined = (words: readonly Word[]): Word => ({
  ...knownWord(words.map((word) => word.text).join(' ')),
  isKnown: words.every((word) => word.isKnown),
  isGuessed: words.every((word) => word.isKnown || word.isGuessed),
  isOutput: words.some((word) => word.isOutput),
})

/** GNU parallel: what it runs is a command line put together from its input. */
function parallel({ args }: Call): Judgement {
  const start = args.findIndex(({ text }) => !text.startsWith('-'))
  const findings = [risky('puts commands together from its input')]
  if (start < 0) return { findings }
  return { findings, inner: [{ words: [...args.slice(start), UNKNOWN_WORD], offset: start + 1 }] }
}

function shell({ args, stdin }: Call): Judgement {
  let isInline = false
  let at = 0
  for (; at < args.length; at++) {
    const { text, isKnown } = args[at]!
    if (!isKnown || !/^[-+]./.test(text)) break
    if (text === '--') {
      at++
      break
    }
    if (/^--(?:rcfile|init-file)$/.test(text)) at++
    if (text.startsWith('--')) continue
    if (text.startsWith('-') && text.includes('c')) isInline = true
    if (/[oO]$/.test(text)) at++
  }
  const first = args[at]
  if (isInline) return { findings: [READS], scripts: [first ?? UNKNOWN_WORD] }
  if (first === undefined || first.text === '-' || isStdin(first)) return fromStdin(stdin)
  return fromFile(first)
}

const isStdin = (word: Word): boolean => /^\/dev\/(?:stdin|fd\/0)$/.test(word.text)

function fromFile(file: Word): Judgement {
  if (file.isOutput) return judged(destroys('runs as commands what another program prints'))
  return judged(unseen('runs a script whose content is not seen here'))
}

function fromStdin(stdin: Call['stdin']): Judgement {
  if (stdin.kind === 'terminal') return judged(risky('starts a shell'))
  if (stdin.kind === 'text') return { findings: [READS], scripts: [knownWord(stdin.text)] }
  return judged(destroys('runs as commands what another program prints'))
}

function source({ args, stdin }: Call): Judgement {
  const [file] = toOperands(args)
  if (file === undefined) return judged(READS)
  return isStdin(file) ? fromStdin(stdin) : fromFile(file)
}

function evaluateText({ args }: Call): Judgement {
  const words = args[0]?.text === '--' ? args.slice(1) : args
  if (words.length === 0) return judged(READS)
  return { findings: [READS], scripts: [toJoined(words)] }
}

function trap({ args }: Call): Judgement {
  const [text] = args
  if (args.length < 2 || text === undefined || /^(?:-[lp]?|)$/.test(text.text)) return judged(READS)
  return { findings: [READS], scripts: [text.text === '--' ? (args[1] ?? text) : text] }
}

/** su, script, flock -c: text after -c. */
const withText =
  (finding: Finding): Judge =>
  ({ args }) => {
    const at = args.findIndex(({ text }) => /^-[a-zA-Z]*c$|^--command$/.test(text))
    const joined = args.find(({ text }) => text.startsWith('--command='))
    if (joined !== undefined) {
      const text = joined.text.slice('--command='.length)
      return { findings: [finding], scripts: [{ ...joined, text }] }
    }
    return at < 0
      ? judged(finding)
      : { findings: [finding], scripts: [args[at + 1] ?? UNKNOWN_WORD] }
  }

/** It makes the file that it locks. A text to run stands behind that, not anywhere: `flock f rm -c x`. */
function flock(call: Call): Judgement {
  const { at, isOdd } = skipOptions(call.args, WRAPPERS.flock!)
  const [file, option, text = UNKNOWN_WORD] = call.args.slice(at)
  const isText = !isOdd && (option?.text === '-c' || option?.text === '--command')
  const judgement = isText ? { findings: [READS], scripts: [text] } : unwrap(WRAPPERS.flock!, call)
  const { findings } = judged(file === undefined ? null : call.places.change(file, 'write'))
  return { ...judgement, findings: [...judgement.findings, ...findings] }
}

const DANGEROUS_VARIABLE =
  /^(?:LD_.*|DYLD_.*|PATH|IFS|ENV|BASH_ENV|BASH_FUNC.*|BASH_ALIASES|BASH_CMDS|BASHOPTS|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|SHELL|HOME|CDPATH|GLOBIGNORE|HISTFILE|GIT_.*|SSH_.*|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|LESS(?:OPEN|CLOSE|EDIT)?|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|npm_config_.*|NPM_CONFIG_.*|PYTHON.*|PERL5?(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|GEM_(?:HOME|PATH)|CLASSPATH|(?:_?JAVA|JDK)_.*|MAVEN_OPTS|GRADLE_OPTS|MAKEFLAGS|TAR_OPTIONS|RSYNC_RSH|CARGO_.*|RUSTC.*|RUSTFLAGS|GO(?:FLAGS|PROXY|PATH|ROOT)|LUA_.*|PHP.*|XDG_.*|TERM(?:INFO.*|CAP)|(?:https?|all|no)_proxy|(?:HTTPS?|ALL|NO)_PROXY|SSL_CERT_.*|CURL_.*|OPENSSL_.*|LOCPATH|GCONV_PATH|HOSTALIASES|MALLOC_.*|CC|CXX|AR|LINKER|KUBECONFIG|DOCKER_.*|AWS_.*)$/

/** A variable that decides which program is started, or what a program starts. */
export function judgeVariable(name: string): Finding | null {
  const [bare = ''] = name.split('[', 1)
  return DANGEROUS_VARIABLE.test(bare)
    ? risky(`sets ${bare}, which decides what programs are started or how`)
    : null
}

export const WRAPPER_JUDGES: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ...Object.entries(WRAPPERS).map(([name, spec]) => [name, wrapper(spec)] as const),
  ['command', command],
  ['env', env],
  ['time', time],
  ['nohup', nohup],
  ['xargs', xargs],
  ['parallel', parallel],
  ['watch', watch],
  ['flock', flock],
  ...'sh bash dash zsh ksh ash fish rbash mksh csh tcsh'
    .split(' ')
    .map((name) => [name, shell] as const),
  ['source', source],
  ['.', source],
  ['eval', evaluateText],
  ['trap', trap],
  ['su', withText(ALL_RIGHTS)],
  ['runuser', withText(ALL_RIGHTS)],
  ['script', withText(SOME_PROGRAM)],
])
