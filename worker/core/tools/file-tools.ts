import { deleteFileTool } from './delete-file.ts'
import { editFileTool } from './edit-file.ts'
import { listFilesTool } from './list-files.ts'
import { moveFileTool } from './move-file.ts'
import { readFileTool } from './read-file.ts'
import type { AnyTool } from './registry.ts'
import { searchFilesTool } from './search-files.ts'
import { writeFileTool } from './write-file.ts'

export const FILE_TOOLS: readonly AnyTool[] = [
  listFilesTool,
  readFileTool,
  searchFilesTool,
  writeFileTool,
  editFileTool,
  moveFileTool,
  deleteFileTool,
]
