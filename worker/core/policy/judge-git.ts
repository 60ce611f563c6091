// git: what only looks, what can be taken back, and what cannot.

import { hasOption, hasText, hasUncertain, judged, toOperands } from './call.ts'
import type { Call, Judgement } from './call.ts'
import { broad, changes, destroys, READS, risky, type Finding } from './finding.ts'
import * as known from './git-options.ts'
import { transfer } from './judge-files.ts'
import { hasGiven, ODD, readOptions, type Known } from './options.ts'
import type { Places } from './places.ts'
import { knownWord, type Word } from './shell-words.ts'

type Sub = (args: readonly Word[], places: Places) => Finding | readonly (Finding | null)[]

const LOOKS = new Set(
  `annotate blame cat-file check-ignore cherry count-objects describe diff diff-index diff-tree
  for-each-ref fsck log ls-files ls-tree merge-base name-rev range-diff rev-list rev-parse
  shortlog show show-branch show-ref status var version whatchanged`.split(/\s+/),
)
const NETWORK = new Set('clone fetch pull ls-remote remote-https send-email'.split(' '))

const isKnown = (args: readonly Word[], options: Known): boolean =>
  !hasUncertain(args) && !readOptions(args, options).isOdd

const looks =
  (options: Known): Sub =>
  (args) =>
    isKnown(args, options) ? READS : ODD

const changesWith =
  (options: Known | undefined, what: string): Sub =>
  (args) =>
    options !== undefined && readOptions(unglobbed(args), options).isOdd ? ODD : changes(what)

/** Which files fit makes no difference to git, which looks at options first. */
const unglobbed = (args: readonly Word[]): Word[] =>
  args.map((word) =>
    word.isGlob && !word.text.startsWith('-') ? { ...word, isGlob: false } : word,
  )

/** A list, or (`otherwise`) something that is made, moved or deleted. */
const lists =
  (options: Known, otherwise: Sub): Sub =>
  (args, places) => {
    const read = readOptions(args, options)
    const isList = read.operands.length === 0 || hasGiven(read, 'l', 'list')
    return isList && isKnown(args, options) ? READS : otherwise(args, places)
  }

const discards = (args: readonly Word[]): Finding => {
  const paths = toOperands(args)
  const isBroad = paths.some(({ text, isGlob }) => isGlob || /^[.:/]*$/.test(text))
  if (isBroad || hasOption(args, 'f', '--force', '--discard-changes', '--hard')) {
    return destroys('discards changes that were not committed')
  }
  return risky('discards changes of a file')
}

/** By its first word: `stash push -m list` puts changes aside. */
const bySub =
  (subs: Readonly<Record<string, Sub>>, otherwise: Sub): Sub =>
  (args, places) => {
    const [first, ...rest] = args
    const sub =
      first !== undefined && Object.hasOwn(subs, first.text) ? subs[first.text] : undefined
    return sub === undefined || first?.isKnown !== true
      ? otherwise(args, places)
      : sub(rest, places)
  }

const does =
  (finding: Finding): Sub =>
  () =>
    finding

const ASIDE = changesWith(known.STASH, 'puts changes aside or brings them back')
const WORKTREE = destroys('deletes a working tree')
const HISTORY = destroys('throws away history')
const COMMITTED = changes('changes what will be committed')
const SWITCHES = 'switches to another state of the files'

const SUBS: Readonly<Record<string, Sub>> = {
  clean: (args) => {
    const options = readOptions(args, known.CLEAN)
    return hasGiven(options, 'n', 'dry-run') && isKnown(args, known.CLEAN)
      ? READS
      : destroys('deletes every file git does not know')
  },
  reset: (args) => {
    if (hasOption(args, '', '--hard', '--merge', '--keep')) {
      return destroys('discards changes that were not committed')
    }
    return isKnown(args, known.RESET) ? COMMITTED : ODD
  },
  checkout: (args) => {
    const options = readOptions(args, known.CHECKOUT_NEW)
    if (hasGiven(options, 'b', 'orphan') && isKnown(args, known.CHECKOUT_NEW)) {
      return changes(SWITCHES)
    }
    // A branch and a file can have the same name, and the file would be what it was before.
    return discards(args)
  },
  switch: (args) => {
    if (hasOption(args, 'fC', '--force', '--discard-changes', '--force-create')) {
      return discards(args)
    }
    return isKnown(args, known.SWITCH) ? changes(SWITCHES) : ODD
  },
  restore: (args) => {
    const options = readOptions(args, known.RESTORE)
    const isStaged = hasGiven(options, 'S', 'staged') && !hasGiven(options, 'W', 'worktree')
    return isStaged && isKnown(args, known.RESTORE) ? COMMITTED : discards(args)
  },
  rm: (args, places) => {
    // First, since it also finds what a saved rule denies.
    const deleted = toOperands(args).map((word) => places.change(word, 'delete'))
    if (hasOption(args, 'rf', '--force') || args.some(({ isGlob }) => isGlob)) {
      return destroys('deletes files and takes them out of git')
    }
    const isOdd = !isKnown(args, { flags: 'qn', long: 'cached quiet dry-run ignore-unmatch' })
    return [isOdd ? ODD : COMMITTED, ...deleted]
  },
  mv: (args, places) => {
    const call: Call = { name: 'mv', args, places, stdin: { kind: 'terminal' } }
    const isOdd = !isKnown(args, { flags: 'vn', long: 'verbose dry-run' })
    return [isOdd ? ODD : COMMITTED, ...transfer(call).findings]
  },
  apply: (args) => {
    const options = readOptions(args, known.APPLY_LOOK)
    const isLook = hasGiven(options, 'check', 'stat', 'numstat', 'summary')
    if (isLook && isKnown(args, known.APPLY_LOOK)) return READS
    return risky('changes the files a patch names')
  },
  am: () => risky('changes the files a patch names'),
  push: (args) => {
    const isForced = hasOption(args, 'fd', '--force-with-lease', '--mirror', '--delete', '--prune')
    const isRewriting = toOperands(args).some((word) => !word.isKnown || /^[+:]/.test(word.text))
    if (isForced || isRewriting) return destroys('overwrites or deletes what others have')
    return risky('sends commits to a server')
  },
  stash: bySub(
    {
      drop: does(destroys('throws away stashed changes')),
      clear: does(destroys('throws away stashed changes')),
      list: looks(known.LOOK),
      show: looks(known.LOOK),
      push: ASIDE,
      pop: ASIDE,
      apply: ASIDE,
      save: ASIDE,
    },
    (args, places) => (args.every(isOption) ? ASIDE(args, places) : ODD),
  ),
  branch: lists(known.BRANCH_LIST, (args) => {
    if (hasOption(args, 'dDMCf', '--delete', '--force')) {
      return destroys('deletes or moves a branch')
    }
    return isKnown(args, known.BRANCH_MAKE) ? changes('creates a branch') : ODD
  }),
  tag: lists(known.TAG_LIST, (args) => {
    if (hasOption(args, 'df', '--delete', '--force')) return destroys('deletes or moves a tag')
    return isKnown(args, known.TAG_MAKE) ? changes('creates a tag') : ODD
  }),
  remote: bySub({ 'get-url': looks({ long: 'all push' }), '-v': looks({}) }, (args) =>
    args.length === 0 ? READS : risky('changes remotes'),
  ),
  reflog: bySub(
    { expire: does(HISTORY), delete: does(HISTORY), drop: does(HISTORY) },
    looks(known.LOOK),
  ),
  config: (args) => {
    const asks = ['l', 'list', 'get', 'get-all', 'get-regexp']
    const isLook = hasGiven(readOptions(args, known.CONFIG_LOOK), ...asks)
    return isLook && isKnown(args, known.CONFIG_LOOK) ? READS : risky('changes what git runs')
  },
  worktree: bySub(
    {
      list: looks({ flags: 'vz', long: 'porcelain verbose' }),
      remove: does(WORKTREE),
      prune: does(WORKTREE),
      add: (args, places) => {
        const add: Known = { flags: 'dq', valued: 'b', long: 'detach quiet checkout track guess' }
        const [folder] = readOptions(args, add).operands
        const made = folder === undefined ? null : places.change(folder, 'write')
        return [isKnown(args, add) ? changes('adds a working tree') : ODD, made]
      },
    },
    does(risky('changes working trees')),
  ),
  notes: bySub(
    {
      list: looks({}),
      show: looks({}),
      add: changesWith({ valued: 'mF', longValued: 'message file' }, 'notes something'),
      append: changesWith({ valued: 'mF', longValued: 'message file' }, 'notes something'),
    },
    (args) => (args.length === 0 ? READS : ODD),
  ),
  rebase: (args) => {
    if (hasOption(args, 'x', '--exec')) return risky('starts another program')
    return isKnown(args, known.REBASE) ? broad('rewrites commits') : ODD
  },
  init: (args, places) => {
    const { operands, isOdd } = readOptions(args, known.CHANGE.init!)
    const made = operands.map((word) => places.change(word, 'write'))
    return [isOdd ? ODD : changes('changes the repository'), ...made]
  },
  // It shows pages in whatever the settings say, a browser too.
  help: (args) => (hasText(args, '-a', '--all') || !args.some(isOption) ? READS : ODD),
  grep: looks(known.GREP),
  'update-ref': () => destroys('moves or deletes a branch'),
  'filter-branch': () => destroys('rewrites the whole history'),
  'filter-repo': () => destroys('rewrites the whole history'),
  gc: () => destroys('throws away what no branch holds'),
  prune: () => destroys('throws away what no branch holds'),
}

const isOption = ({ text, isKnown: isSure }: Word): boolean => isSure && /^-./.test(text)

/** Options before the subcommand that do no more than they say. */
const GLOBAL: Known = {
  flags: 'pPvh',
  valued: 'C',
  long: `no-pager paginate no-replace-objects literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs
    no-optional-locks version help exec-path`,
  isFront: true,
}

/** Of the others these take the next word. */
const GLOBAL_VALUED = new Set(['--git-dir', '--work-tree', '--namespace', '-c', '--config-env'])

export function git({ args, places }: Call): Judgement {
  const findings: Finding[] = []
  let at = 0
  for (; at < args.length && args[at]!.text.startsWith('-'); at++) {
    const { text } = args[at]!
    const movesGit = text.startsWith('--exec-path=')
    if (movesGit || readOptions([args[at]!, knownWord('.')], GLOBAL).isOdd) {
      findings.push(risky('gives git another configuration'))
    }
    if (/^-[pP]*C./.test(text)) findings.push(ODD)
    if (/^-[pP]*C$/.test(text)) places.enter(args[++at])
    else if (GLOBAL_VALUED.has(text)) at++
  }
  const sub = args[at]
  const rest = args.slice(at + 1)
  if (sub === undefined) return judged(READS, ...findings)
  if (!sub.isKnown) return judged(risky('runs a git command that is not known'))
  return judged(...judgeSub(sub.text, rest, places), ...findings)
}

function judgeSub(
  name: string,
  args: readonly Word[],
  places: Places,
): readonly (Finding | null)[] {
  const own = Object.hasOwn(SUBS, name) ? SUBS[name] : undefined
  const finding = own?.(args, places) ?? judgeOther(name, args, places)
  return Array.isArray(finding) ? finding : [finding as Finding]
}

function judgeOther(name: string, args: readonly Word[], places: Places): ReturnType<Sub> {
  if (LOOKS.has(name)) return looks(known.LOOK)(args, places)
  if (Object.hasOwn(known.CHANGE, name)) {
    return changesWith(known.CHANGE[name], 'changes the repository')(args, places)
  }
  if (NETWORK.has(name)) return risky('reaches the network')
  // A subcommand that is not git's own is an alias, and an alias is any program.
  return risky('runs a git command that is not known here')
}
