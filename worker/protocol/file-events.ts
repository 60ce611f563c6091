// What happened to the files of a workspace. Contents lie beside the log, under their hash: with
// these events the workspace of any moment can be rebuilt, and no version is ever lost.

import { z } from 'zod'

export const FileAction = z.enum(['created', 'modified', 'deleted', 'renamed'])

/**
 * Hashes of contents; null: there is no such file. All of it is about the whole checkpoint: from what
 * the file was at first to what it is now. Where those are the same there is no change any more.
 */
export const ChangedFile = z.object({
  path: z.string(),
  action: FileAction,
  additions: z.number(),
  deletions: z.number(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  size: z.number(),
  /** Where a renamed file was; that path is a change of its own. */
  from: z.string().optional(),
})

/** The three versions that do not agree; null: absent in that version. */
export const Conflict = z.object({
  before: z.string().nullable(),
  agent: z.string().nullable(),
  current: z.string().nullable(),
})

export const fileBodies = {
  // One checkpoint per run that writes; `by`: a person wrote, and there is nothing to review.
  files_changed: z.object({
    checkpointId: z.string(),
    runId: z.string().optional(),
    callId: z.string().optional(),
    childRunId: z.string().optional(),
    by: z.string().optional(),
    files: z.array(ChangedFile),
    truncatedCount: z.number().optional(),
  }),
  // `hash`: what the file is now, where the action wrote it. `undone`, `kept`: hunks, after it.
  // `left`: how many nobody has said anything about. Not ok: the versions that do not agree, or in
  // words why it could not be done. `file`: on a redo, so that it can be reviewed again.
  file_change_result: z.object({
    checkpointId: z.string(),
    path: z.string(),
    hunk: z.number().optional(),
    action: z.enum(['keep', 'undo', 'redo']),
    ok: z.boolean(),
    by: z.string(),
    undone: z.array(z.number()),
    kept: z.array(z.number()),
    left: z.number(),
    hash: z.string().nullable().optional(),
    size: z.number().optional(),
    conflict: Conflict.optional(),
    problem: z.string().optional(),
    file: ChangedFile.optional(),
  }),
} as const

export type FileAction = z.infer<typeof FileAction>
export type ChangedFile = z.infer<typeof ChangedFile>
export type Conflict = z.infer<typeof Conflict>
