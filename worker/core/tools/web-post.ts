import { z } from 'zod'
import { ToolFailure, type Tool } from './tool.ts'
import { ADDRESS_CHARS, checkAddress } from './web-address.ts'
import { isRedirect, sendRequest, toShown, WEB_TIME_MS, type WebOptions } from './web-request.ts'
import { dropBody, quoteText, readText } from './web-text.ts'

/** What a person can still read before it leaves. */
const BODY_CHARS = 32 * 1024
const CONTENT_TYPES = { json: 'application/json', text: 'text/plain; charset=utf-8' } as const
const TOOL_NAME = 'web_post'

/** All of it is checked here, before a person is asked about what could not be sent anyway. */
const createInput = (allowPrivate: boolean) =>
  z
    .strictObject({
      url: z
        .string()
        .trim()
        .min(1)
        .max(ADDRESS_CHARS)
        .superRefine((url, context) => {
          const problem = findAddressProblem(url, allowPrivate)
          if (problem !== null) context.addIssue({ code: 'custom', message: problem })
        })
        .describe('Absolute, http or https.'),
      method: z.enum(['POST', 'PUT']).default('POST'),
      type: z.enum(['json', 'text']).default('json').describe('What the body is.'),
      body: z.string().max(BODY_CHARS).describe('As it is sent; for json, the text of it.'),
    })
    .refine(({ type, body }) => type !== 'json' || isJson(body), {
      path: ['body'],
      message: 'it is not valid JSON',
    })

type Input = z.infer<ReturnType<typeof createInput>>

/** Not repeatable: a server that was asked twice has done it twice. */
export function createWebPost(options: WebOptions): Tool<Input> {
  const { fetch, allowPrivate = false } = options
  return {
    name: TOOL_NAME,
    description:
      'Send a JSON or text body to a public web address, such as a webhook, and read its answer. A ' +
      'person is asked first. Redirects are told, not followed; nothing is sent but the body.',
    input: createInput(allowPrivate),
    repeatable: false,
    readOnly: false,
    timeMs: options.timeMs ?? WEB_TIME_MS,
    async run({ url: text, method, type, body }, { signal, output }) {
      const checked = checkAddress(text, undefined, allowPrivate)
      if (!checked.ok) throw new ToolFailure(`This address cannot be used: ${checked.problem}.`)
      const { url } = checked
      const request = {
        toolName: TOOL_NAME,
        url,
        method,
        body: { text: body, contentType: CONTENT_TYPES[type] },
        noAnswer: 'gave no answer. Whether it received anything is not known.',
      }
      const response = await sendRequest(fetch, request, signal)
      const heading = `${method} ${toShown(url)} was answered with status ${response.status}.`
      const told = await tellAnswer(response, url, signal)
      if (response.ok || isRedirect(response)) return `${heading}\n${told}`
      // What a server says of its no is worth reading: it is kept beside the error.
      output(told)
      throw new ToolFailure(heading)
    },
  }
}

function findAddressProblem(text: string, allowPrivate: boolean): string | null {
  const checked = checkAddress(text, undefined, allowPrivate)
  if (!checked.ok) return checked.problem
  return checked.url.href.length > ADDRESS_CHARS ? 'it is too long' : null
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** It was sent, whatever the answer looks like: one that cannot be read is no failure. */
async function tellAnswer(response: Response, url: URL, signal: AbortSignal): Promise<string> {
  if (isRedirect(response)) {
    dropBody(response)
    return tellRedirect(response, url)
  }
  if (isEmpty(response)) return 'The answer is empty.'
  const answer = await readText(response, url, signal)
  return answer.ok ? quoteText('answer', answer.read) : `The answer ${answer.problem}.`
}

const isEmpty = ({ body, headers }: Response): boolean =>
  body === null || headers.get('content-length') === '0'

/** A body that was approved for one address is not for another. */
function tellRedirect({ headers }: Response, from: URL): string {
  const location = headers.get('location')
  if (location === null) return 'It redirects without saying where to.'
  const to = URL.parse(location, from.href)
  // Other schemes have room for words.
  const isWeb = to?.protocol === 'http:' || to?.protocol === 'https:'
  const where = isWeb ? toShown(to) : 'something that is no web address'
  return `It redirects to ${where}; nothing was sent there.`
}
