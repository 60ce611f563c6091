import { describe, expect, test } from 'vitest'
import { toGlob } from './glob.ts'
import { findPatternProblem } from './sensitive.ts'
import { DEFAULT_SENSITIVE_PATTERNS, evaluate, toRule, type Action, type Policy } from './policy.ts'

type Change = Extract<Action, { kind: 'file_edit' }>['change']

const POLICY: Policy = {
  rules: [],
  autoApproveCommands: false,
  autoApproveSensitiveEdits: false,
  sensitivePatterns: DEFAULT_SENSITIVE_PATTERNS,
}

const judge = (path: string, change: Change = 'modify', policy: Partial<Policy> = {}) =>
  evaluate({ ...POLICY, ...policy }, { kind: 'file_edit', path, change })

const move = (from: string, path: string, policy: Partial<Policy> = {}) =>
  evaluate({ ...POLICY, ...policy }, { kind: 'file_edit', path, change: 'move', from })

const SENSITIVE = [
  '.env',
  '.env.local',
  'config/.env.production',
  'prod.env',
  '.ENV',
  '.git/config',
  'sub/.git/hooks/pre-commit',
  '.ssh/id_ed25519',
  'id_rsa',
  'keys/id_rsa.pub',
  'server.pem',
  'certs/Server.KEY',
  'a.p12',
  '.npmrc',
  '.github/workflows/ci.yml',
  '.gitlab-ci.yml',
  '.circleci/config.yml',
  'Jenkinsfile',
  'azure-pipelines.yml',
  '.vscode/settings.json',
  '.bashrc',
  '.zshrc',
  '.profile',
  'package-lock.json',
  'packages/a/yarn.lock',
  'pnpm-lock.yaml',
  'Cargo.lock',
  'go.sum',
  'credentials.json',
  'aws_credentials',
  'my-secrets.yaml',
  'secrets/a.txt',
  'service-account.json',
  'wrangler.toml',
  'AGENTS.md',
  'claude.md',
  './.env',
  'a//.env',
  'a/./.env',
  'a\\.env',
  '.e\u200bnv',
  '．ｅｎｖ',
  'a'.repeat(513),
  'ä'.repeat(300),
]

const ORDINARY = [
  'README.md',
  'src/index.ts',
  'src/env.ts',
  'environment.ts',
  'src/lock.ts',
  'package.json',
  'keyboard.ts',
  'src/pem.ts',
  'docs/agents/readme.md',
  'a.b.c',
  'src/[id].ts',
  '日本語.txt',
  'a'.repeat(512),
]

describe('file edits', () => {
  test.each(SENSITIVE)('[DEC3] %j is asked about', async (path) => {
    expect(await judge(path)).toMatchObject({ verdict: 'ask', severity: 'high', auto: false })
  })

  test.each(ORDINARY)('[DEC3] %j is not asked about', async (path) => {
    expect(await judge(path)).toMatchObject({ verdict: 'allow', severity: 'low', auto: false })
  })

  test('[DEC1] [DEC3] deleting is one step worse than changing', async () => {
    expect(await judge('a.ts', 'delete')).toMatchObject({ verdict: 'allow', severity: 'medium' })
    expect(await judge('.env', 'delete')).toMatchObject({ verdict: 'ask', severity: 'critical' })
    for (const change of ['create', 'modify', 'move'] as const) {
      expect(await judge('a.ts', change)).toMatchObject({ verdict: 'allow', severity: 'low' })
      expect(await judge('.env', change)).toMatchObject({ verdict: 'ask', severity: 'high' })
    }
  })

  test('[DEC3] a move is judged at both ends, and no rule is made of it', async () => {
    expect(await move('a.ts', 'b.ts')).toMatchObject({ verdict: 'allow', auto: false })
    expect(await move('.env', 'notes.txt')).toMatchObject({
      verdict: 'ask',
      severity: 'critical',
      reason: 'deletes a sensitive file: .env',
    })
    expect(await move('notes.txt', '.env')).toMatchObject({ verdict: 'ask', severity: 'high' })
    const auto = { autoApproveSensitiveEdits: true }
    expect(await move('.env', 'notes.txt', auto)).toMatchObject({ verdict: 'ask' })
    expect(await move('notes.txt', '.env', auto)).toMatchObject({ verdict: 'allow', auto: true })
    const action = { kind: 'file_edit', path: 'b', change: 'move', from: 'a' } as const
    expect(await toRule(action, 'always')).toBe(null)
  })

  test('[DEC3] the setting agrees to sensitive edits and says so, never to deleting', async () => {
    const policy = { autoApproveSensitiveEdits: true, autoApproveCommands: true }
    expect(await judge('.env', 'modify', policy)).toMatchObject({ verdict: 'allow', auto: true })
    expect(await judge('.env', 'delete', policy)).toMatchObject({ verdict: 'ask', auto: false })
    expect(await judge('a.ts', 'modify', policy)).toMatchObject({ verdict: 'allow', auto: false })
    const commands = { autoApproveCommands: true }
    expect(await judge('.env', 'modify', commands)).toMatchObject({ verdict: 'ask' })
  })

  test('[DEC1] a reason names the file, hidden characters spelled out', async () => {
    expect((await judge('.e\u202env')).reason).toBe('changes a sensitive file: .e<U+202E>nv')
  })

  test.each([
    ['docs/private', 'docs/private/a.md', true],
    ['docs/private', 'x/docs/private', true],
    ['docs/private', 'docs/privateer', false],
    ['/docs', 'docs/a.md', true],
    ['/docs', 'x/docs/a.md', false],
    ['docs/', 'docs/a.md', true],
    ['*.sql', 'db/a.SQL', true],
    ['db/**/*.sql', 'db/a.sql', true],
    ['db/**/*.sql', 'db/x/y/a.sql', true],
    ['db/*.sql', 'db/x/a.sql', false],
    ['{a,b}.txt', 'b.txt', true],
    ['./config.json', 'config.json', true],
    ['./config.json', 'x/config.json', false],
    ['/workspace/config.json', 'config.json', true],
    ['/workspace/config.json', 'workspace/config.json', false],
    ['{./a,/workspace/b}', 'b', true],
    ['docs//private', 'docs/private/a.md', true],
    ['docs/./private', 'docs/private/a.md', true],
    ['/workspace', 'a', true],
    ['.', 'a', true],
  ])('[DEC3] a session that adds %j: is %j sensitive? %s', async (pattern, path, isSensitive) => {
    const { verdict } = await judge(path, 'modify', { sensitivePatterns: [pattern] })
    expect(verdict).toBe(isSensitive ? 'ask' : 'allow')
  })
})

describe('a pattern that cannot be understood', () => {
  const BROKEN = [
    '',
    '!a',
    '[',
    '[abc',
    'a\\',
    '{a',
    'b}',
    'a/../b',
    'x'.repeat(201),
    '{a,b}'.repeat(7),
    'ﷺ'.repeat(20),
  ]

  test.each(BROKEN)('[DEC3] %j makes every file sensitive rather than none', async (pattern) => {
    expect(findPatternProblem(pattern)).not.toBeNull()
    const policy = { sensitivePatterns: [pattern] }
    expect(await judge('src/a.ts', 'modify', policy)).toMatchObject({ verdict: 'ask' })
    const action: Action = { kind: 'command', command: 'touch a', cwd: '/workspace' }
    const willing = { ...POLICY, ...policy, autoApproveCommands: true }
    expect(await evaluate(willing, action)).toMatchObject({ verdict: 'ask' })
  })

  test.each([...DEFAULT_SENSITIVE_PATTERNS, './a', '/workspace/a', '\\{a', '[{]'])(
    '[DEC3] %j is none',
    (pattern) => {
      expect(findPatternProblem(pattern)).toBeNull()
    },
  )

  test('[DEC2] no rule is made of a path that would deny everything', async () => {
    const action: Action = { kind: 'file_edit', path: '../a', change: 'modify' }
    expect(await toRule(action, 'always')).toBeNull()
  })
})

describe('globs', () => {
  test.each([
    ['*', 'a', true],
    ['*', '.a', true],
    ['*', 'a/b', false],
    ['**', 'a/b/c', true],
    ['a/**', 'a', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/x/y/c', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['a?c', 'a🎉c', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a-c]x', 'dx', true],
    ['[]]', ']', true],
    ['{a,b{c,d}}', 'bd', true],
    ['{a,b{c,d}}', 'b', false],
    ['a{,b}', 'a', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['a*b*c', 'axxbyyc', true],
    ['a*b*c', 'axxbyy', false],
    ['a.c', 'abc', false],
    ['(a|b)', '(a|b)', true],
  ])('[DEC3] %j on %j: %s', (pattern, path, isMatch) => {
    expect(toGlob(pattern)(path)).toBe(isMatch)
  })

  test('[DEC3] a pattern that would keep a backtracking matcher busy for hours is only long', () => {
    const glob = toGlob(`${'*a'.repeat(90)}b`)
    expect(glob('a'.repeat(512))).toBe(false)
    const folders = toGlob(`${'**/a/'.repeat(39)}b`)
    expect(folders('a/'.repeat(255) + 'c')).toBe(false)
  })
})
