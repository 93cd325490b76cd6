/**
 * Answers to what the document asks for ahead of the pages (`link rel=preload as=fetch`), read while the shell is put
 * up: whoever asks has them at once, instead of after the way through the browser. Read by main.ts, taken by api.ts.
 */

/** Who asks later than this many milliseconds after the beginning wants to know what is so by then. */
const LATEST = 5000

const answers = new Map<string, Promise<Response>>()

/** Reads what the document has asked for. */
export function readAhead(): void {
  for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[rel=preload][as=fetch]')) {
    const read = fetch(href).then(async (answer) => new Response(await answer.arrayBuffer(), answer))
    // Whoever takes it asks anew; where nobody does, nobody minds.
    read.catch(() => undefined)
    answers.set(href, read)
  }
  setTimeout(() => answers.clear(), LATEST)
}

/** The answer to a request that was read ahead, once; undefined where there is none. */
export function takeAhead(request: Request): Promise<Response> | undefined {
  const answer =
    request.method === 'GET' && !request.headers.has('If-None-Match') ? answers.get(request.url) : undefined
  answers.delete(request.url)
  return answer?.catch(() => globalThis.fetch(request))
}
