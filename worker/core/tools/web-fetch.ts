import { z } from 'zod'
import { ToolFailure, type Tool } from './tool.ts'
import { ADDRESS_CHARS, checkAddress } from './web-address.ts'
import { isRedirect, sendRequest, toShown, WEB_TIME_MS, type WebOptions } from './web-request.ts'
import { dropBody, quoteText, readText } from './web-text.ts'

/** Browsers allow twenty; a page that needs more than a few is a loop or a tracker. */
const REDIRECTS = 5
const TOOL_NAME = 'web_fetch'

const input = z.strictObject({
  url: z.string().trim().min(1).max(ADDRESS_CHARS).describe('Absolute, http or https.'),
})

export function createWebFetch(options: WebOptions): Tool<z.infer<typeof input>> {
  return {
    name: TOOL_NAME,
    description:
      'Read one public web page or text file by its address. HTML comes back as plain text with ' +
      'its links. Does not run scripts, log in or send anything.',
    input,
    repeatable: true,
    readOnly: true,
    timeMs: options.timeMs ?? WEB_TIME_MS,
    async run({ url }, { signal }) {
      const { response, address } = await load(url, options, signal)
      if (!response.ok) {
        dropBody(response)
        throw new ToolFailure(`${toShown(address)} answered with status ${response.status}.`)
      }
      const page = await readText(response, address, signal)
      if (!page.ok) throw new ToolFailure(`${toShown(address)} ${page.problem}.`)
      return `Fetched ${toShown(address)} (${page.read.kind})\n${quoteText('page', page.read)}`
    },
  }
}

/** Follows redirects by hand, so that each address is checked before it is asked. */
async function load(
  first: string,
  { fetch, allowPrivate = false }: WebOptions,
  signal: AbortSignal,
): Promise<{ response: Response; address: URL }> {
  let next = first
  let from: URL | undefined
  for (let hop = 0; hop <= REDIRECTS; hop++) {
    const checked = checkAddress(next, from, allowPrivate)
    const where =
      from === undefined ? 'This address' : `${toShown(from)} redirects to an address that`
    if (!checked.ok) throw new ToolFailure(`${where} cannot be fetched: ${checked.problem}.`)
    const { url } = checked
    if (url.href.length > ADDRESS_CHARS) throw new ToolFailure(`${where} is too long.`)
    const request = {
      toolName: TOOL_NAME,
      url,
      method: 'GET',
      noAnswer: 'cannot be reached.',
    } as const
    // One after the other: each hop says where the next one is.
    // oxlint-disable-next-line no-await-in-loop
    const response = await sendRequest(fetch, request, signal)
    if (!isRedirect(response)) return { response, address: url }
    dropBody(response)
    const location = response.headers.get('location')
    if (location === null) {
      throw new ToolFailure(`${toShown(url)} redirects without saying where to.`)
    }
    next = location
    from = url
  }
  throw new ToolFailure(`More than ${REDIRECTS} redirects; the last was from ${toShown(from!)}.`)
}
