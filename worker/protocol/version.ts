// One version for events, commands and frames. A change to any schema needs a line here; the
// fingerprint below is checked by version.test.ts.
//
// 1  2026-11-18  the session: runs, text, thinking, tools, queue, cancel, resume.
//    2026-11-18  added: model_fallback, context_usage, compacted, compact, kinds of run, signatures.
//    2026-11-18  added: decisions, questions, plans, rules; files, checkpoints, keep, undo, redo, restore.
//    2026-11-18  added: exchanges between agents, children, who a run works for, who made a session.
//    2026-11-18  added: missions, idle prompts, overrides of agents.
//    2026-11-18  added: when a question expires.
//    2026-11-18  added: tokens that were written into a provider's cache; signatures of calls.
//    2026-11-18  added: why an answer is only a record; whom a held queue is held for.
//    2026-11-18  added: messages that are addressed to another agent than the session's own.
//    2026-11-18  added: limits of whoever asks.
//    2026-11-18  added: whom a message is sent for.

export const PROTOCOL_VERSION = 1
export const SCHEMA_FINGERPRINT = 'f9d6364024bacadb'
