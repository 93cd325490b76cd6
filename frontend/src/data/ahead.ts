/**
 * Answers to the document's preloads (`link rel=preload as=fetch`), read while the shell is mounted. A request for them
 * is then answered at once, without another trip through the browser. Read by main.ts, used by api.ts.
 */

/** Milliseconds after the start from which a request needs a fresh answer. */
const LATEST = 5000

const answers = new Map<string, Promise<Response>>()

/** Reads the preloads of the document. */
export function readAhead(): void {
  for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[rel=preload][as=fetch]')) {
    const read = fetch(href).then(async (answer) => new Response(await answer.arrayBuffer(), answer))
    // If it fails, the request is sent again when it is needed.
    read.catch(() => undefined)
    answers.set(href, read)
  }
  setTimeout(() => answers.clear(), LATEST)
}

/** The preloaded answer to a request, once; undefined if there is none. */
export function takeAhead(request: Request): Promise<Response> | undefined {
  const answer =
    request.method === 'GET' && !request.headers.has('If-None-Match') ? answers.get(request.url) : undefined
  answers.delete(request.url)
  return answer?.catch(() => globalThis.fetch(request))
}
