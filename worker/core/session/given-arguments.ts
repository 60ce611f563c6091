import type { Edits } from '#protocol/decision-events'
import type { ToolPart } from '#protocol/turns'

/** The arguments as a person changed them, as JSON text; undefined: they did not. */
export function argumentsGiven(
  tool: ToolPart,
  edits: Edits | undefined = tool.decision?.edits,
): string | undefined {
  if (edits?.arguments !== undefined) return edits.arguments
  if (edits?.command === undefined) return undefined
  return JSON.stringify({ ...(JSON.parse(tool.arguments) as object), command: edits.command })
}
