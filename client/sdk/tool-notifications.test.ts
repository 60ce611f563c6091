import { expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import type { Fragment } from '#protocol/frames'
import { SessionModel } from './session-model.ts'
import { MemorySession } from './testing/memory-session.ts'
import { createRandom, LogWriter, withoutSuperseded } from './testing/random-log.ts'
import {
  activeNotifications,
  latestToolActivity,
  toolActivity,
  type ToolActivity,
} from './tool-notifications.ts'

class Scene {
  readonly log = new LogWriter(createRandom(1))
  readonly model = new SessionModel('s')
  readonly runId: string
  readonly responseId: string

  constructor() {
    this.log.message()
    this.runId = this.log.startRun()
    this.responseId = `${this.runId}.1`
    const session = new MemorySession(this.log)
    for (const frame of session.resume(this.model.hello())) this.model.receive(frame)
  }

  add(body: Parameters<LogWriter['add']>[0]): void {
    this.model.receive({ type: 'events', events: [this.log.add(body)] })
  }

  prepare(callId: string, toolName: string, text: string): void {
    const { responseId } = this
    const fragment: Fragment = { responseId, kind: 'tool_input', callId, toolName, offset: 0, text }
    this.model.receive({ type: 'fragment', ...fragment })
  }

  start(callId: string, toolName = 'calculate', args = '{"expression":"1"}'): void {
    const { responseId } = this
    this.add({ type: 'tool_call_start', responseId, callId, toolName, arguments: args })
  }

  settle(callId: string, ok = true): void {
    this.add({ type: 'tool_result', callId, toolName: 'calculate', ok, durationMs: 1 })
  }

  get activity() {
    return latestToolActivity(this.model.view)
  }
}

function reloaded(events: SessionEvent[]): ToolActivity {
  const model = new SessionModel('s')
  model.receive({ type: 'events', events })
  return latestToolActivity(model.view)
}

test('[TOOL6] a call is preparing, executing, complete, with its arguments', () => {
  const scene = new Scene()
  scene.prepare('c1', 'calculate', '{"expr')
  expect(scene.activity).toEqual({
    notifications: [{ id: 'c1', toolName: 'calculate', status: 'preparing', arguments: '{"expr' }],
    statistics: { activeCount: 1, completedCount: 0, totalCount: 1 },
  })
  scene.start('c1')
  expect(scene.activity.notifications).toEqual([
    { id: 'c1', toolName: 'calculate', status: 'executing', arguments: '{"expression":"1"}' },
  ])
  scene.settle('c1')
  expect(scene.activity.notifications).toMatchObject([{ id: 'c1', status: 'complete' }])
  expect(activeNotifications(scene.activity)).toEqual([])
  expect(scene.activity.statistics).toEqual({ activeCount: 0, completedCount: 1, totalCount: 1 })
})

test('[TOOL4] [TOOL6] parallel calls are counted each, whichever ends first', () => {
  const scene = new Scene()
  scene.start('c1')
  scene.start('c2')
  scene.prepare('c3', 'countdown', '')
  scene.settle('c2', false)
  expect(scene.activity.notifications.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'c1 executing',
    'c2 complete',
    'c3 preparing',
  ])
  expect(scene.activity.statistics).toEqual({ activeCount: 2, completedCount: 1, totalCount: 3 })
})

test('[TOOL7] an execution that was never prepared is a proper notification', () => {
  const scene = new Scene()
  scene.start('c1', 'web_fetch', '{"url":"x"}')
  expect(scene.activity.notifications).toEqual([
    { id: 'c1', toolName: 'web_fetch', status: 'executing', arguments: '{"url":"x"}' },
  ])
})

test('[TOOL5] a thought notifies until its first text, and is never a tool', () => {
  const scene = new Scene()
  const { responseId } = scene
  scene.add({ type: 'thinking_start', responseId, partId: 'p', callId: 'think-1' })
  expect(scene.activity.notifications).toEqual([
    { id: 'think-1', toolName: 'think', status: 'preparing', arguments: '' },
  ])
  expect(scene.activity.statistics.totalCount).toBe(0)
  scene.model.receive({
    type: 'fragment',
    responseId,
    kind: 'thinking',
    partId: 'p',
    offset: 0,
    text: 'Hm',
  })
  expect(scene.activity.notifications).toEqual([])
  scene.add({ type: 'thinking_done', responseId, partId: 'p', text: 'Hm.' })
  expect(scene.activity.notifications).toEqual([])
  expect(scene.activity.statistics).toEqual({ activeCount: 0, completedCount: 0, totalCount: 0 })
})

test('[TOOL5] thinking that is no tool does not notify, nor does an empty thought that ended', () => {
  const scene = new Scene()
  const { responseId } = scene
  scene.add({ type: 'thinking_start', responseId, partId: 'p' })
  scene.add({ type: 'thinking_start', responseId, partId: 'q', callId: 'think-1' })
  scene.add({ type: 'thinking_done', responseId, partId: 'q', text: '', interrupted: true })
  expect(scene.activity.notifications).toEqual([])
})

test('[TOOL5] a backend that announces think as a tool gets no tool either', () => {
  const scene = new Scene()
  scene.prepare('think-1', 'think', '{"thought":')
  expect(scene.activity.notifications).toMatchObject([{ toolName: 'think', status: 'preparing' }])
  expect(scene.activity.statistics.totalCount).toBe(0)
  scene.start('think-1', 'think')
  expect(scene.activity.notifications).toEqual([])
  scene.settle('think-1')
  expect(scene.activity).toEqual(toolActivity([]))
})

test('[LOG2] [TOOL6] live, after a reload and across a steer the run says the same', () => {
  const scene = new Scene()
  scene.start('c1')
  scene.settle('c1')
  scene.add({
    type: 'user_message',
    messageId: 'm',
    text: 'and this',
    attachments: [],
    delivery: 'steer',
  })
  const responseId = `${scene.runId}.2`
  scene.add({ type: 'tool_call_start', responseId, callId: 'c2', toolName: 't', arguments: '{}' })
  expect(scene.activity.notifications.map(({ id }) => id)).toEqual(['c1', 'c2'])
  expect(reloaded(withoutSuperseded(scene.log.events))).toEqual(scene.activity)
  scene.settle('c2')
  scene.log.endRun()
  expect(reloaded(scene.log.events).statistics).toEqual({
    activeCount: 0,
    completedCount: 2,
    totalCount: 2,
  })
})

test('[TOOL6] a new run starts counting again', () => {
  const scene = new Scene()
  scene.start('c1')
  scene.settle('c1')
  scene.log.endRun()
  scene.log.message()
  scene.log.startRun()
  scene.model.receive({ type: 'events', events: scene.log.events })
  expect(scene.activity.notifications).toEqual([])
})
