// Structured log lines for the operator. No header, body, query or token ever goes in.

export function logFailure(
  event: string,
  error: unknown,
  fields: Record<string, string> = {},
): void {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
  // oxlint-disable-next-line no-console -- the platform collects console lines; this is the one place
  console.error(JSON.stringify({ level: 'error', event, ...fields, cause }))
}
