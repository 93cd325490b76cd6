import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defineComponent } from 'vue'

import { archiveAddress, useExports, type RunsExport } from './exports'

const made = (id: string, state: RunsExport['state']): RunsExport => ({ id, state }) as RunsExport

/** The server's exports, whether it can be reached, and the requests. */
let held: RunsExport[]
let lost: boolean
let asked: string[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  held = []
  lost = false
  asked = []
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`.trim())
    if (lost) throw new TypeError('lost')
    if (request.method === 'DELETE') return new Response(null, { status: 204 })
    return Response.json(request.method === 'POST' ? made('new', 'waiting') : { exports: held })
  })
})
enableAutoUnmount(afterEach)
afterEach(() => vi.useRealTimers())

function open(): ReturnType<typeof useExports> & { leave: () => void } {
  let exports: ReturnType<typeof useExports> | undefined
  const page = mount(
    defineComponent({
      setup: () => {
        exports = useExports()
        return () => null
      },
    }),
  )
  return { ...exports!, leave: () => page.unmount() }
}

async function wait(milliseconds: number): Promise<void> {
  vi.advanceTimersByTime(milliseconds)
  await flushPromises()
}
const looks = (): number => asked.filter((one) => one === 'GET /api/exports').length

describe('exports', () => {
  it.each(['waiting', 'writing'] as const)(
    'that are %s are looked at once a second until they are done',
    async (state) => {
      const { all, load } = open()
      expect(all.value).toEqual([])
      held = [made('a', 'done'), made('b', state)]
      await load()
      expect([all.value, looks()]).toEqual([held, 1])
      await wait(900)
      expect(looks()).toBe(1)
      await wait(100)
      expect(looks()).toBe(2)
      held = [made('a', 'done'), made('b', 'done')]
      await wait(1000)
      expect([all.value, looks()]).toEqual([held, 3])
      await wait(5000)
      expect(looks()).toBe(3)
    },
  )

  it('that failed or are done need no second look', async () => {
    held = [made('a', 'done'), made('b', 'failed')]
    await open().load()
    await wait(5000)
    expect(looks()).toBe(1)
  })

  it('are looked at again when the dashboard comes back', async () => {
    const { all, load } = open()
    held = [made('a', 'writing')]
    await load()
    lost = true
    await wait(1000)
    await wait(1000)
    expect([looks(), all.value]).toEqual([3, held])
    lost = false
    held = [made('a', 'done')]
    await wait(1000)
    expect(all.value).toEqual(held)
  })

  it('are looked at by one timer, however often somebody loads them', async () => {
    const { load } = open()
    held = [made('a', 'writing')]
    await load()
    await load()
    await wait(1000)
    expect(looks()).toBe(3)
  })

  it('are begun and removed, and then as the server has them', async () => {
    const { all, begin, remove } = open()
    held = [made('new', 'done')]
    await begin([3, 1], 'csv')
    expect(asked).toEqual(['POST /api/exports {"runs":[3,1],"format":"csv"}', 'GET /api/exports'])
    expect(all.value).toEqual(held)
    held = []
    await remove('new')
    expect(asked.slice(2)).toEqual(['DELETE /api/exports/new', 'GET /api/exports'])
    expect(all.value).toEqual([])
  })

  it('say what went wrong to who wanted something', async () => {
    const { load, begin, remove } = open()
    lost = true
    for (const wanted of [load(), begin([1], 'csv'), remove('a')]) {
      await expect(wanted).rejects.toMatchObject({ code: 'unreachable' })
    }
  })

  it('are not looked at by who left', async () => {
    const { load, leave } = open()
    held = [made('a', 'writing')]
    await load()
    leave()
    await wait(5000)
    expect(looks()).toBe(1)
  })

  it('have an address for their archive', () => {
    vi.spyOn(document, 'baseURI', 'get').mockReturnValue('http://host:8080/tools/')
    expect(archiveAddress('a')).toBe('http://host:8080/tools/api/exports/a/file')
  })
})
