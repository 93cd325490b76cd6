import { afterEach, describe, expect, it, vi } from 'vitest'

import { readAhead, takeAhead } from './ahead'

const address = (path: string): string => new URL(path, document.baseURI).href

/** A document with such a link. In the real document the link would be followed. */
function preload(path: string): void {
  const link = document.createElement('link')
  link.href = address(path)
  vi.spyOn(document, 'querySelectorAll').mockReturnValue([link] as unknown as NodeListOf<Element>)
}

afterEach(() => vi.useRealTimers())

describe('what the document asks for ahead', () => {
  it('is read once, and given to the first who asks for it', async () => {
    vi.useFakeTimers()
    const asked = vi.fn((href: string) => Promise.resolve(Response.json({ href }, { headers: { ETag: '"a"' } })))
    vi.stubGlobal('fetch', asked)
    preload('api/runs?limit=1')
    readAhead()
    const answer = await takeAhead(new Request(address('api/runs?limit=1')))
    expect([answer?.headers.get('ETag'), await answer?.json()]).toEqual(['"a"', { href: address('api/runs?limit=1') }])
    expect(takeAhead(new Request(address('api/runs?limit=1')))).toBeUndefined()
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('is not given for another question, or to who changes something', () => {
    vi.useFakeTimers()
    vi.stubGlobal('fetch', () => Promise.resolve(Response.json({})))
    preload('api/runs')
    readAhead()
    expect(takeAhead(new Request(address('api/runs?limit=2')))).toBeUndefined()
    expect(takeAhead(new Request(address('api/runs'), { method: 'POST' }))).toBeUndefined()
  })

  it('is asked for anew where it failed, and when it has become old', async () => {
    vi.useFakeTimers()
    const asked = vi
      .fn()
      .mockRejectedValueOnce(new TypeError('lost'))
      .mockImplementation(() => Promise.resolve(Response.json({ second: true })))
    vi.stubGlobal('fetch', asked)
    preload('api/runs')
    readAhead()
    expect(await (await takeAhead(new Request(address('api/runs'))))?.json()).toEqual({ second: true })
    readAhead()
    vi.advanceTimersByTime(60_000)
    expect(takeAhead(new Request(address('api/runs')))).toBeUndefined()
  })
})
