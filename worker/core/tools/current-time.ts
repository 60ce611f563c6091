import { z } from 'zod'
import { ToolFailure, type Tool } from './tool.ts'

const input = z.strictObject({
  timezone: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('IANA name, for example Europe/Berlin or Asia/Tokyo. UTC when left out.'),
})

export const currentTime: Tool<z.infer<typeof input>> = {
  name: 'current_time',
  description: 'The current date and time in a time zone.',
  input,
  repeatable: true,
  readOnly: true,
  run: ({ timezone = 'UTC' }, { now }) =>
    Promise.resolve(describeTime(toFormat(timezone), timezone, now())),
}

function toFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    })
  } catch {
    throw new ToolFailure(
      `timezone: "${timeZone}" is not a time zone. Use an IANA name such as Europe/Berlin, ` +
        'America/New_York or UTC.',
      'tool_invalid_input',
    )
  }
}

function describeTime(format: Intl.DateTimeFormat, timezone: string, at: number): string {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {}
  for (const { type, value } of format.formatToParts(at)) part[type] = value
  // "GMT+02:00", or just "GMT" at no offset.
  const offset = part.timeZoneName?.slice('GMT'.length) || '+00:00'
  const date = `${part.year}-${part.month}-${part.day}`
  const time = `${part.hour}:${part.minute}:${part.second}`
  return `${part.weekday}, ${date} ${time} (${timezone}, UTC${offset})`
}
