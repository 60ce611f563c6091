import { describe, expect, test } from 'vitest'
import { DEFAULT_SENSITIVE_PATTERNS, type Policy, type Rule } from './policy.ts'
import { reviewOutcome, type Approval } from './review.ts'

const rule = (pattern: string, more: Partial<Rule> = {}): Rule => ({
  id: pattern,
  verdict: 'allow',
  kind: 'command',
  pattern,
  scope: 'always',
  createdAt: 1,
  ...more,
})

const changed = (...paths: string[]) => paths.map((path) => ({ path, isDelete: false }))
const deleted = (...paths: string[]) => paths.map((path) => ({ path, isDelete: true }))

const review = (
  command: string,
  outcome: ReturnType<typeof changed>,
  { approval = 'policy', ...policy }: Partial<Policy> & { approval?: Approval } = {},
) =>
  reviewOutcome(
    {
      rules: [],
      autoApproveCommands: true,
      autoApproveSensitiveEdits: true,
      sensitivePatterns: DEFAULT_SENSITIVE_PATTERNS,
      ...policy,
    },
    { kind: 'command', command, cwd: '/workspace' },
    approval,
    outcome,
  )

const ALLOW = { verdict: 'allow' }

describe('[DEC3] what a command came to', () => {
  test('is nothing where it only reads', async () => {
    expect(await review('ls', [])).toEqual(ALLOW)
    expect(await review('ls', changed('a.txt'))).toEqual({
      verdict: 'ask',
      severity: 'high',
      reason: 'seemed to only read, but it would change a.txt',
    })
    expect(await review('ls', deleted('a.txt'))).toMatchObject({ severity: 'critical' })
  })

  test('is nothing sensitive where it was approved unasked', async () => {
    expect(await review('touch a.txt', changed('a.txt', 'b.txt'))).toEqual(ALLOW)
    const found = await review('touch a.txt', changed('a.txt', 'x/.env'))
    expect(found).toMatchObject({ verdict: 'ask', severity: 'high' })
    expect(found).toMatchObject({ reason: 'would change what is sensitive: x/.env' })
    const rules = [rule('touch')]
    const byRule = { rules, autoApproveCommands: false }
    expect(await review('touch a.txt', changed('.env'), byRule)).toMatchObject({ verdict: 'ask' })
    expect(await review('touch a.txt', changed('a.txt'), byRule)).toEqual(ALLOW)
  })

  test('is no deletion but of what it names', async () => {
    expect(await review('rm a.txt', deleted('a.txt'))).toEqual(ALLOW)
    expect(await review('mv a.txt b.txt', [...deleted('a.txt'), ...changed('b.txt')])).toEqual(
      ALLOW,
    )
    expect(await review('cd src && mv a.ts b.ts', deleted('src/a.ts'))).toEqual(ALLOW)
    for (const command of ['rm a.txt', 'mv a.d b.d', 'touch a.txt', 'gzip x.d']) {
      // oxlint-disable-next-line no-await-in-loop
      const found = await review(command, deleted('a.d/1', 'a.d/2'))
      expect({ command, ...found }).toMatchObject({
        command,
        verdict: 'ask',
        severity: 'critical',
        reason: 'would delete what it does not name: a.d/1 (deleted), a.d/2 (deleted)',
      })
    }
  })

  test('[DEC2] with a rule for exactly its text is what the text names, and deletions', async () => {
    const command = 'rm -rf build "$x"; cp -r a/. docs'
    const exact = { rules: [rule(command)], autoApproveCommands: false }
    expect(await review(command, deleted('build/.cache', 'other/a.txt'), exact)).toEqual(ALLOW)
    expect(await review(command, changed('docs/.env'), exact)).toEqual(ALLOW)
    for (const outcome of [deleted('other/.env'), changed('.env'), changed('docs2/.env')]) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await review(command, outcome, exact)).toMatchObject({ verdict: 'ask' })
    }
    const glob = { rules: [rule('rm -rf tmp/*')], autoApproveCommands: false }
    expect(await review('rm -rf tmp/*', deleted('tmp/.env'), glob)).toEqual(ALLOW)
    expect(await review('rm -rf tmp/*', deleted('x/.env'), glob)).toMatchObject({ verdict: 'ask' })
  })

  test('is not kept where what approved it was taken back meanwhile', async () => {
    const policy = { autoApproveCommands: false }
    expect(await review('touch a.txt', changed('a.txt'), policy)).toMatchObject({
      verdict: 'ask',
      severity: 'medium',
    })
    const rules = [rule('touch', { verdict: 'deny' })]
    expect(await review('touch a.txt', changed('a.txt'), { rules })).toMatchObject({
      verdict: 'deny',
    })
  })

  test('is what a person agreed to, whatever it is', async () => {
    const outcome = [...deleted('.env', 'src/a.ts'), ...changed('package-lock.json')]
    expect(await review('ls', outcome, { approval: 'person' })).toEqual(ALLOW)
  })

  test.each<Approval>(['person', 'policy'])(
    '[DEC2] is never what a rule denies, approval by %s',
    async (approval) => {
      const rules = [
        rule('docs/x.md', { kind: 'file_edit', verdict: 'deny' }),
        rule('delete keep', { kind: 'file_edit', verdict: 'deny' }),
      ]
      const given = { rules, approval }
      const denied = { verdict: 'deny', reason: 'a saved rule denies changes of docs/x.md' }
      expect(await review('touch a.txt', changed('DOCS/x.md'), given)).toMatchObject(denied)
      expect(await review('rm keep', deleted('keep'), given)).toMatchObject({ verdict: 'deny' })
      expect(await review('touch keep', changed('keep'), given)).toEqual(ALLOW)
    },
  )

  test('is told in a few names', async () => {
    const many = deleted(...Array.from({ length: 9 }, (_, index) => `${index}\u200b`))
    expect(await review('ls', many)).toMatchObject({
      reason: expect.stringMatching(/^[^\u200b]* 0<U\+200B> \(deleted\), .*, and 4 more$/),
    })
  })
})
