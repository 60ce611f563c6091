// A fetch whose answers are bounded while they are read: a server cannot fill the memory.

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Of one answer. Lists and results that are worth their tokens are far smaller. */
export const ANSWER_BYTES = 4 * 1024 * 1024

export type BoundedFetch = {
  fetch: Fetch
  /** How many answers were event streams: such a one can end without the answer in it. */
  streams: () => number
  /** An answer was larger than the bound and has been cut off. */
  isOverflown: () => boolean
}

export function boundFetch(fetch: Fetch): BoundedFetch {
  let streams = 0
  let isOverflown = false

  const countBytes = (): TransformStream<Uint8Array, Uint8Array> => {
    let left = ANSWER_BYTES
    return new TransformStream({
      transform(chunk, controller) {
        left -= chunk.byteLength
        if (left >= 0) return controller.enqueue(chunk)
        isOverflown = true
        controller.error(new Error('the answer is too large'))
      },
    })
  }

  return {
    streams: () => streams,
    isOverflown: () => isOverflown,
    fetch: async (url, init) => {
      const isResumption = new Headers(init?.headers).has('last-event-id')
      // A standing stream of news, which nobody would read after this use: not even asked for.
      if (init?.method === 'GET' && !isResumption) return new Response(null, { status: 405 })
      const response = await fetch(url, init)
      const { status, statusText, body } = response
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      if (response.ok && isStream === true) streams += 1
      if (body === null) return response
      const headers = new Headers(response.headers)
      // The body is decoded already, and its length is no longer known.
      headers.delete('content-encoding')
      headers.delete('content-length')
      return new Response(body.pipeThrough(countBytes()), { status, statusText, headers })
    },
  }
}
