// One version for events, commands and frames. A change to any schema needs a line here; the
// fingerprint below is checked by version.test.ts.
//
// 1  2026-11-18  the session: runs, text, thinking, tools, queue, cancel, resume.

export const PROTOCOL_VERSION = 1
export const SCHEMA_FINGERPRINT = 'cebbeafd49867c16'
