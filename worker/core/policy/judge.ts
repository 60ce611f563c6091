// Which judge a program has, and what is said of one that has none.

import { judged, type Call, type Judge, type Judgement } from './call.ts'
import { destroys, plain, READS, risky, unseen } from './finding.ts'
import { FILE_JUDGES } from './judge-files.ts'
import { git } from './judge-git.ts'
import { PROGRAM_JUDGES } from './judge-programs.ts'
import { TEXT_JUDGES } from './judge-text.ts'
import { WRAPPER_JUDGES } from './judge-wrappers.ts'

const JUDGES: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ...PROGRAM_JUDGES,
  ...Object.entries(FILE_JUDGES),
  ...Object.entries(TEXT_JUDGES),
  ...WRAPPER_JUDGES,
  ['git', git],
])

/** Where the system's own programs live: `/bin/rm` is rm. */
const SYSTEM_PROGRAM = /^(?:\/usr(?:\/local)?)?\/s?bin\/([^/]+)$/

export function isListed(name: string): boolean {
  return JUDGES.has(name)
}

/** `name` may be a path. `isDefined`: a function of that name stands earlier in the command. */
export function judgeCall(call: Call, isDefined: boolean): Judgement {
  const name = SYSTEM_PROGRAM.exec(call.name)?.[1] ?? call.name
  return name.includes('/') ? judgeFile(call) : judgeNamed({ ...call, name }, isDefined)
}

function judgeNamed(call: Call, isDefined: boolean): Judgement {
  // `time -o x ls`, where time is a word of the shell itself: nobody means a program called `-o`.
  if (call.name.startsWith('-'))
    return judged(risky('runs a program that is called like an option'))
  if (call.name.startsWith('mkfs')) return judged(destroys('erases a disk'))
  const judge = JUDGES.get(call.name)
  if (judge !== undefined) return judge(call)
  // What the function does was looked at where it is defined.
  if (isDefined) return judged(READS)
  return judged(plain('runs a program that is not known here'))
}

/** A file of the workspace can carry any name, so its name excuses nothing. */
function judgeFile(call: Call): Judgement {
  const named = judgeNamed({ ...call, name: call.name.split('/').at(-1) ?? '' }, false)
  const finding = unseen('runs a program whose content is not seen here')
  return { ...named, findings: [...named.findings, finding] }
}
