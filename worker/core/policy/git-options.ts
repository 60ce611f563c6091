// The options of git's own subcommands, as far as they are known to do no more than they say. A long
// name cut short is none of them: `--outpu=.env` is asked about.

import type { Known } from './options.ts'

/**
 * Of what only looks: `--output`, `--ext-diff`, `-O`, `--textconv` and their like are not here. What stands
 * behind an option is read as one itself, since the same letter takes a value here and none there.
 */
export const LOOK: Known = {
  flags: 'abcdefghikmnopqrstuvwxzAEFHIPRTW',
  tails: 'MCBDUlSGLX0123456789',
  long: `abbrev abbrev-commit abbrev-ref absolute-git-dir all all-match all-matches always ancestry-path and annotate author-date-order
    basic-regexp batch batch-all-objects batch-check binary boundary branch branches break bare cached candidates cc
    check cherry cherry-mark cherry-pick clear-decorations color color-moved color-words column combined-all-paths
    committed compact-summary connectivity-only contains count cumulative dangling date-order debug decorate
    decorate-refs deleted dense dereference describe directory dirstat dirty do-walk email eol error-unmatch
    exact-match exclude-standard exists exit-code expand-tabs extended-regexp files-with-matches files-without-match
    find-copies find-copies-harder find-renames first-parent fixed-strings follow fork-point full full-history
    full-index full-name full-tree function-context git-common-dir git-dir graph head heading heads help
    histogram human-readable i18n ignore-all-space ignore-blank-lines ignore-case ignore-space-at-eol
    ignore-space-change ignore-submodules ignored incremental indent-heuristic independent invert-grep invert-match
    irreversible-delete is-ancestor is-bare-repository is-inside-git-dir is-inside-work-tree is-shallow-repository
    killed left-only left-right line-number line-porcelain list local-env-vars long mailmap match merge-base merges
    minimal modified name-only name-status no-abbrev no-abbrev-commit no-color no-color-moved no-contains
    no-decorate no-empty-directory no-ext-diff no-flags no-index no-merged no-merges no-notes no-patch no-prefix
    no-progress no-renames no-revs no-textconv no-walk not notes null numbered numstat object-only objects octopus
    oneline only-matching or others parents patch patience perl-regexp pickaxe-all pickaxe-regex porcelain progress
    quiet raw recursive refs regexp-ignore-case relative remotes renames resolve-undo reverse revs-only right-only
    root short shortstat show show-cdup show-email show-function show-name show-notes show-number show-prefix
    show-stash show-superproject-working-tree show-toplevel simplify-by-decoration source sparse sq stage staged stat
    strict submodule summary symbolic symbolic-full-name tags text topo-order unmerged unreachable untracked
    untracked-files use-mailmap verbose verify version walk-reflogs word-diff word-regexp ws-error-highlight after after-context author before before-context committer context date decorate-refs-exclude default
    diff-algorithm diff-filter dst-prefix encoding exclude exclude-from exclude-per-directory format glob grep
    group inter-hunk-context max-count max-depth merged min-parents max-parents points-at pretty since skip sort
    src-prefix stat-count stat-width threads unified until word-diff-regex`,
}

/** Here `-O` starts a program, and letters that take a value elsewhere take none. */
export const GREP: Known = { ...LOOK, flags: 'aivwlLcnhHEPFGpWoqzIr', tails: 'efABCm0123456789' }

/** By subcommand, of those that change what can be taken back. */
export const CHANGE: Readonly<Record<string, Known>> = {
  add: {
    flags: 'AunvfN',
    long: 'all no-all update force intent-to-add dry-run verbose ignore-errors ignore-missing renormalize refresh',
  },
  commit: {
    flags: 'aqvnos',
    valued: 'mFC',
    long: `all amend no-edit no-verify signoff no-signoff allow-empty allow-empty-message quiet dry-run short verbose only
      include no-gpg-sign reset-author no-post-rewrite`,
    longValued: 'message file reuse-message fixup author date cleanup trailer',
  },
  merge: {
    flags: 'qvn',
    valued: 'm',
    long: 'no-ff ff ff-only squash no-squash commit no-commit abort continue quit no-edit quiet verbose stat no-stat',
    longValued: 'message',
  },
  'cherry-pick': {
    flags: 'xn',
    valued: 'm',
    long: 'no-commit abort continue skip quit ff allow-empty keep-redundant-commits signoff',
    longValued: 'mainline',
  },
  revert: {
    flags: 'n',
    valued: 'm',
    long: 'no-commit no-edit abort continue skip quit signoff',
    longValued: 'mainline',
  },
  init: { flags: 'q', valued: 'b', long: 'quiet bare', longValued: 'initial-branch object-format' },
}

export const BRANCH_LIST: Known = {
  flags: 'arlvi',
  long: `all remotes list verbose show-current ignore-case color no-color column no-column no-abbrev contains
    no-contains merged no-merged`,
  longValued: 'sort format points-at abbrev',
}
export const BRANCH_MAKE: Known = {
  flags: 'mctq',
  valued: 'u',
  long: 'move copy track no-track quiet create-reflog unset-upstream',
  longValued: 'set-upstream-to',
}
export const TAG_LIST: Known = {
  flags: 'li',
  tails: 'n',
  long: 'list ignore-case column no-column color no-color contains no-contains merged no-merged',
  longValued: 'sort format points-at',
}
export const TAG_MAKE: Known = {
  flags: 'a',
  valued: 'mF',
  long: 'annotate no-sign',
  longValued: 'message file cleanup',
}
export const CLEAN: Known = {
  flags: 'fdxXnq',
  valued: 'e',
  long: 'force dry-run quiet',
  longValued: 'exclude',
}
export const RESET: Known = { flags: 'qN', long: 'soft mixed quiet no-quiet intent-to-add refresh' }
export const CHECKOUT_NEW: Known = {
  flags: 'qtl',
  valued: 'b',
  long: 'quiet track no-track guess no-guess',
  longValued: 'orphan',
}
export const SWITCH: Known = {
  flags: 'qtd',
  valued: 'c',
  long: 'quiet track no-track detach guess no-guess',
  longValued: 'create orphan',
}
export const RESTORE: Known = {
  flags: 'SWq',
  valued: 's',
  long: 'staged worktree quiet',
  longValued: 'source',
}
export const APPLY_LOOK: Known = { flags: 'v', long: 'check stat numstat summary verbose' }
export const REBASE: Known = {
  flags: 'q',
  long: 'continue abort skip quit root quiet autostash no-autostash keep-base fork-point no-fork-point',
  longValued: 'onto',
}
export const STASH: Known = {
  flags: 'ukaSqp',
  valued: 'm',
  long: 'include-untracked keep-index no-keep-index all staged quiet index',
  longValued: 'message',
}
export const CONFIG_LOOK: Known = {
  flags: 'lz',
  long: `list get get-all get-regexp show-origin show-scope name-only null global local system worktree bool int path
    bool-or-int`,
  longValued: 'type default',
}
