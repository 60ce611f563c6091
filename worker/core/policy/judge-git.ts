// git: what only looks, what can be taken back, and what cannot.

import { hasOption, hasText, hasUncertain, judged, toOperands } from './call.ts'
import type { Call, Judgement } from './call.ts'
import { broad, changes, destroys, READS, risky, type Finding } from './finding.ts'
import type { Word } from './shell-words.ts'

type Sub = (args: readonly Word[]) => Finding

const LOOKS = new Set(
  `annotate blame cat-file check-ignore cherry count-objects describe diff diff-index diff-tree
  for-each-ref fsck grep help log ls-files ls-tree merge-base name-rev range-diff rev-list rev-parse
  shortlog show show-branch show-ref status var version whatchanged`.split(/\s+/),
)
const CHANGES = new Set('add am apply cherry-pick commit init merge mv notes revert'.split(' '))
const NETWORK = new Set('clone fetch pull ls-remote remote-https send-email'.split(' '))

/** On commands that look: these write a file or start a program. */
const ODD_LOOK = /^--(?:output|ext-diff|textconv|open-files|show-signature|filters|upload)|^-O/

const listsOnly =
  (otherwise: Sub): Sub =>
  (args) =>
    toOperands(args).length === 0 && !hasOption(args, 'dDmMcCfu', '--delete', '--move', '--edit')
      ? READS
      : otherwise(args)

const discards = (args: readonly Word[]): Finding => {
  const paths = toOperands(args)
  const isBroad = paths.some(({ text, isGlob }) => isGlob || /^[.:/]*$/.test(text))
  if (isBroad || hasOption(args, 'f', '--force', '--discard-changes', '--hard')) {
    return destroys('discards changes that were not committed')
  }
  return broad('discards changes of a file')
}

const SUBS: Readonly<Record<string, Sub>> = {
  clean: (args) =>
    hasOption(args, 'n', '--dry-run') ? READS : destroys('deletes every file git does not know'),
  reset: (args) =>
    hasOption(args, '', '--hard', '--merge', '--keep')
      ? destroys('discards changes that were not committed')
      : changes('changes what will be committed'),
  checkout: (args) => {
    // What looks like a file is one: a branch of that name is asked about once too often.
    const isPath =
      hasText(args, '--', '.') || toOperands(args).some(({ text }) => /\.\w+$/.test(text))
    if (isPath || hasOption(args, 'f', '--force')) return discards(args)
    return changes('switches to another state of the files')
  },
  switch: (args) =>
    hasOption(args, 'fC', '--force', '--discard-changes', '--force-create')
      ? discards(args)
      : changes('switches to another state of the files'),
  restore: (args) =>
    hasOption(args, '', '--staged') && !hasOption(args, 'W', '--worktree')
      ? changes('changes what will be committed')
      : discards(args),
  rm: (args) => {
    if (hasOption(args, 'rf', '--force') || args.some(({ isGlob }) => isGlob)) {
      return destroys('deletes files and takes them out of git')
    }
    return changes('deletes a file and takes it out of git')
  },
  push: (args) => {
    const isForced = hasOption(args, 'fd', '--force-with-lease', '--mirror', '--delete', '--prune')
    const isRewriting = toOperands(args).some(({ text, isKnown }) => !isKnown || /^[+:]/.test(text))
    if (isForced || isRewriting) return destroys('overwrites or deletes what others have')
    return risky('sends commits to a server')
  },
  stash: (args) => {
    if (hasText(args, 'drop', 'clear')) return destroys('throws away stashed changes')
    return hasText(args, 'list', 'show') ? READS : changes('puts changes aside or brings them back')
  },
  branch: listsOnly((args) =>
    hasOption(args, 'dDMCf', '--delete', '--force')
      ? destroys('deletes or moves a branch')
      : changes('creates a branch'),
  ),
  tag: listsOnly((args) =>
    hasOption(args, 'df', '--delete', '--force')
      ? destroys('deletes or moves a tag')
      : changes('creates a tag'),
  ),
  remote: (args) =>
    toOperands(args).length === 0 || hasText(args, 'get-url') ? READS : risky('changes remotes'),
  reflog: (args) =>
    hasText(args, 'expire', 'delete', 'drop') ? destroys('throws away history') : READS,
  config: (args) =>
    hasOption(args, 'l', '--get', '--get-all', '--list') ? READS : risky('changes what git runs'),
  worktree: (args) => {
    if (hasText(args, 'list')) return READS
    return hasText(args, 'remove', 'prune')
      ? destroys('deletes a working tree')
      : changes('adds a working tree')
  },
  rebase: (args) =>
    hasOption(args, 'x', '--exec') ? risky('starts another program') : broad('rewrites commits'),
  'update-ref': () => destroys('moves or deletes a branch'),
  'filter-branch': () => destroys('rewrites the whole history'),
  'filter-repo': () => destroys('rewrites the whole history'),
  gc: () => destroys('throws away what no branch holds'),
  prune: () => destroys('throws away what no branch holds'),
}

/** Options before the subcommand that take the next word. */
const GLOBAL_VALUED = new Set([
  '-C',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '-c',
  '--config-env',
])

export function git({ args, places }: Call): Judgement {
  const findings: Finding[] = []
  let at = 0
  for (; at < args.length && args[at]!.text.startsWith('-'); at++) {
    const { text } = args[at]!
    if (/^-c|^--(?:config|exec-path|git-dir|work-tree|namespace)/.test(text)) {
      if (!/^--exec-path$/.test(text)) findings.push(risky('gives git another configuration'))
    }
    if (text === '-C') places.enter(args[at + 1])
    if (GLOBAL_VALUED.has(text)) at++
  }
  const sub = args[at]
  const rest = args.slice(at + 1)
  if (sub === undefined) return judged(READS, ...findings)
  if (!sub.isKnown) return judged(risky('runs a git command that is not known'))
  return judged(judgeSub(sub.text, rest), ...findings)
}

function judgeSub(name: string, args: readonly Word[]): Finding {
  const own = Object.hasOwn(SUBS, name) ? SUBS[name] : undefined
  if (own !== undefined) {
    const finding = own(args)
    return finding.consent === 'none' && hasUncertain(args)
      ? risky('has an argument that is not known and could change what it does')
      : finding
  }
  if (LOOKS.has(name)) {
    const isOdd = hasUncertain(args) || args.some(({ text }) => ODD_LOOK.test(text))
    return isOdd ? risky('can write files or start programs') : READS
  }
  if (CHANGES.has(name)) return changes('changes the repository')
  if (NETWORK.has(name)) return risky('reaches the network')
  // A subcommand that is not git's own is an alias, and an alias is any program.
  return risky('runs a git command that is not known here')
}
