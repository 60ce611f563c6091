// One thing a command would do, how bad that is, and who may say yes to it.

export type Severity = 'low' | 'medium' | 'high' | 'critical'

/**
 * Who can stand in for a person.
 * - `none`: nobody has to be asked.
 * - `setting`: "auto-approve commands", or a saved rule. What can be undone and aims at named files
 *   (medium), and programs that are not known here but are called plainly: people who switch that
 *   setting on mean their build and test tools, which no table can list.
 * - `rule`: a saved rule, not the setting.
 * - `exact`: a saved rule with exactly this text, nothing else. Destructive, sensitive or reaching
 *   the network, where one more argument makes it another command; files that are not named one by
 *   one, since a sensitive one can be among them; and whatever was not understood, because nobody
 *   can say what a setting would be agreeing to.
 * - `once`: no rule. It runs a file of the workspace, which the agent can write anew after the yes.
 */
export type Consent = 'none' | 'setting' | 'rule' | 'exact' | 'once'

/** `what` is said to people, and goes before the command: "deletes files recursively". */
export type Finding = { severity: Severity; consent: Consent; what: string }

const SEVERITIES: readonly Severity[] = ['low', 'medium', 'high', 'critical']
const CONSENTS: readonly Consent[] = ['none', 'setting', 'rule', 'exact', 'once']

/** Worse is larger. At the same severity what fewer may agree to is worse. */
export function compareFindings(a: Finding, b: Finding): number {
  const severity = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
  return severity !== 0 ? severity : CONSENTS.indexOf(a.consent) - CONSENTS.indexOf(b.consent)
}

export const READS: Finding = { severity: 'low', consent: 'none', what: 'only reads' }

export const changes = (what: string): Finding => ({ severity: 'medium', consent: 'setting', what })

export const plain = (what: string): Finding => ({ severity: 'high', consent: 'setting', what })

export const broad = (what: string): Finding => ({ severity: 'high', consent: 'rule', what })

export const risky = (what: string): Finding => ({ severity: 'high', consent: 'exact', what })

/** What it runs is not in the command. */
export const unseen = (what: string): Finding => ({ severity: 'high', consent: 'once', what })

export const destroys = (what: string): Finding => ({
  severity: 'critical',
  consent: 'exact',
  what,
})
