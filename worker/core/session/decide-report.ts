// What the loop of a run reports, and what becomes of a run that has lost its loop. Here is the fence
// behind "cancel is a fact": a report of a run that is over changes nothing.

import type { EventBody, EventOf } from '#protocol/events'
import { parseRunId, toCheckpointId } from '#protocol/ids'
import { AUTOMATIC_CONTINUATIONS } from '#protocol/limits'
import { waitingCalls } from '#protocol/reduce-decisions'
import type { RunState, SessionState } from '#protocol/state'
import type { ToolPart } from '#protocol/turns'
import { isFor } from './addressee.ts'
import { askPerson } from './answers.ts'
import { startContact } from './contacts.ts'
import type { Accepted, DecideContext, RunReport } from './decide-types.ts'
import { inParts } from './file-commands.ts'
import { endMissionByTool } from './missions.ts'
import { Plan, toKind } from './plan.ts'
import { settleOpen } from './settle.ts'

/** null: the run is over, the report came too late and changes nothing. */
export function decideReport(
  state: SessionState,
  report: RunReport,
  context: DecideContext,
): Accepted | null {
  const { run } = state
  if (run.status !== 'running') return null
  if (run.runId !== report.runId || run.attempt !== report.attempt) return null
  const plan = new ReportPlan(state, context)
  switch (report.type) {
    case 'run_events':
      return plan.record(report.events)
    case 'step_begin':
      return plan.beginStep()
    case 'wait':
      return plan.wait(report)
    case 'contact':
      return plan.contact(report)
    case 'files':
      return plan.recordFiles(report)
    case 'run_finished':
      return plan.finish(report)
  }
}

/** The object woke with a run in flight and nothing that runs it (RUN9). */
export function decideRecovery(state: SessionState, context: DecideContext): Accepted | null {
  const { run } = state
  // Nothing executed: whoever waits for an answer has lost nothing.
  if (run.status !== 'running' || run.waiting === true) return null
  return new ReportPlan(state, context).recover()
}

class ReportPlan extends Plan {
  record(events: EventBody[]): Accepted {
    for (const event of events) {
      this.draft.add(event)
      endMissionByTool(this.draft, this.draft.events.at(-1)!, this.context.by)
    }
    return this.accept({})
  }

  /** Steers enter together, in order, before the provider is called. */
  beginStep(): Accepted {
    const { run } = this.draft.state
    this.takeSteers((steer) => isFor(steer, run))
    return this.accept({})
  }

  finish(report: Extract<RunReport, { type: 'run_finished' }>): Accepted {
    settleOpen(this.draft, this.context.liveTexts(), this.because('the run ended'))
    if (report.context !== undefined) this.draft.add(report.context)
    if (report.error !== undefined) {
      this.draft.add({ type: 'error', runId: report.runId, ...report.error })
    }
    this.endRun(report.outcome, report.stopReason)
    if (report.outcome === 'failed') this.goOnForAgents()
    else this.startNext()
    return this.accept({})
  }

  recover(): Accepted {
    const { run, session } = this.draft.state
    if (run.status !== 'running') return this.accept({})
    const goesOn =
      session.recovery === 'continue' &&
      run.attempt <= AUTOMATIC_CONTINUATIONS &&
      this.context.models.includes(run.model)
    const waits = waitingCalls(this.draft.state)
    const keep = (tool: ToolPart): boolean =>
      goesOn &&
      (waits.has(tool.callId) || (!isApproved(tool) && this.context.isRepeatable(tool.toolName)))
    settleOpen(this.draft, [], this.because('the server restarted'), keep)
    if (!goesOn) {
      this.endRun('interrupted', 'interrupted')
      this.goOnForAgents()
      return this.accept({})
    }
    const { runId, responseId, model, agent } = run
    const attempt = run.attempt + 1
    const again = { ...toKind(run.kind), ...toAskedAgain(run) }
    this.draft.add({ type: 'run_started', runId, responseId, model, agent, attempt, ...again })
    this.effects.push({ type: 'start_run', runId, attempt })
    return this.accept({})
  }

  recordFiles({ runId, files, childRunId }: Extract<RunReport, { type: 'files' }>) {
    const checkpointId = toCheckpointId(parseRunId(runId)?.startedSeq ?? 0)
    const child = childRunId === undefined ? {} : { childRunId }
    for (const part of inParts(files)) {
      this.draft.add({ type: 'files_changed', checkpointId, runId, ...child, files: part })
    }
    return this.accept({})
  }

  /** A call has to be answered for by a person. */
  wait({ callId, request }: Extract<RunReport, { type: 'wait' }>): Accepted {
    askPerson(this.draft, callId, request, this.context)
    return this.accept({})
  }

  /** A call turns to another agent, or to a child that is made for it. */
  contact({ callId, contact }: Extract<RunReport, { type: 'contact' }>): Accepted {
    startContact(this.draft, callId, contact)
    return this.accept({})
  }
}

/** A person said yes to this call: it was begun then, and they said yes to it once. */
const isApproved = ({ decision }: ToolPart): boolean =>
  decision?.status === 'accepted' && decision.decisionId !== null

/** The same run goes on: it still is who it was, and works for whoever it worked for. */
function toAskedAgain({
  parentRunId,
  exchangeId,
  asker,
  mode,
}: Extract<RunState, { status: 'running' }>): Pick<
  EventOf<'run_started'>,
  'parentRunId' | 'exchangeId' | 'asker' | 'mode'
> {
  return {
    ...(parentRunId !== undefined && { parentRunId }),
    ...(exchangeId !== undefined && { exchangeId }),
    ...(asker !== undefined && { asker }),
    ...(mode !== undefined && { mode }),
  }
}
