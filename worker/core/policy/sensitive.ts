// Files a person wants to be asked about: what holds secrets, what runs by itself, and what other
// programs take their orders from.

import { PATTERN_CHARS } from '#protocol/limits'
import { isTreePattern, toTreeGlob } from './glob.ts'

/**
 * A pattern without a slash is the name of a file or of any folder on the way to it; one with a
 * slash is a path from any folder on, with everything below it.
 */
export const DEFAULT_SENSITIVE_PATTERNS: readonly string[] = [
  // Dotfiles and dot-folders: .env, .git, .ssh, .npmrc, .github, .vscode, shell profiles.
  '.*',
  '*.env',
  // Keys, certificates, credentials.
  '*.{pem,key,crt,cer,der,p12,pfx,jks,keystore,kdbx,asc,gpg,ppk}',
  '{id_rsa,id_dsa,id_ecdsa,id_ed25519}*',
  '{authorized_keys,known_hosts}',
  '*{credential,secret,password}*',
  '*service?account*.json',
  // Lock files: a changed line is another program.
  '{package-lock,npm-shrinkwrap}.json',
  '{yarn,Cargo,Gemfile,poetry,composer,Pipfile,uv,flake,mix,bun,deno}.lock',
  '{pnpm-lock.yaml,bun.lockb,go.sum}',
  // What builds, deploys or schedules.
  '{Jenkinsfile,azure-pipelines.*,bitbucket-pipelines.*,appveyor.*,cloudbuild.*,buildkite.*}',
  'wrangler.{toml,json,jsonc}',
  '{crontab,sudoers,fstab,hosts,passwd,shadow}',
  // Orders to agents outlive the session they were written in.
  '{AGENTS,CLAUDE,GEMINI}.md',
]

const PATH_BYTES = 512

export type IsSensitive = {
  (path: string): boolean
  /** A pattern names something below this folder. */
  leadsTo: (folder: string) => boolean
}

/** Patterns ignore case, like the file systems that people download a workspace to. */
export function toSensitive(patterns: readonly string[]): IsSensitive {
  const globs = patterns.map((pattern) => toTreeGlob(toFolded(pattern)))
  const isSensitive = (path: string): boolean => {
    // Nothing that long is a path of a workspace, and a secret must not hide in one.
    if (path.length > PATH_BYTES || new TextEncoder().encode(path).length > PATH_BYTES) return true
    const folded = fold(path)
    return globs.some((glob) => glob(folded))
  }
  const leadsTo = (folder: string): boolean => {
    const folded = fold(folder)
    return globs.some((glob) => glob.leadsTo(folded))
  }
  return Object.assign(isSensitive, { leadsTo })
}

/** Why nobody could be asked by this pattern, as words that follow its name; null: it is fine. */
export function findPatternProblem(pattern: string): string | null {
  if (pattern.length > PATTERN_CHARS) return `longer than ${PATTERN_CHARS} characters`
  if (isTreePattern(toFolded(pattern))) return null
  return (
    'not a pattern of files: it begins with an exclamation mark, leaves a bracket or a brace open, ' +
    'ends in a backslash, contains .. or stands for too many alternatives'
  )
}

const toFolded = (pattern: string): string => toVisible(pattern).toLowerCase()

/** Wider than the file system sees it: what merely looks like a sensitive name is asked about too. */
function fold(path: string): string {
  const names = toVisible(path).toLowerCase().replaceAll('\\', '/').split('/')
  return names.filter((name) => !/^\.*$/.test(name)).join('/')
}

function toVisible(text: string): string {
  return text.normalize('NFKC').replaceAll(/[\p{Cf}\p{Cc}]/gu, '')
}
