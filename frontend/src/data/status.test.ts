import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'

import { useStatus } from './status'
import { STATUS } from '../testing/fakeServer'

let answer: () => Response

beforeEach(() => {
  setActivePinia(createPinia())
  vi.stubGlobal('fetch', ({ url }: Request) =>
    Promise.resolve().then(() => (url.endsWith('/api/status') ? answer() : new Response(null, { status: 404 }))),
  )
})

it('tells what the dashboard says of itself', async () => {
  answer = () => Response.json(STATUS)
  const status = useStatus()
  expect(status.status).toBeNull()
  await status.refresh()
  expect(status.status).toEqual({
    version: '0.1.0',
    store: 's1',
    now: 1_795_227_714,
    baseDirectory: '/home/me/summaries',
    baseDirectoryShort: '~/summaries',
    readable: true,
    runs: 0,
    watching: 'events',
    checked: 1_795_227_712,
    reader: 'ok',
    broker: 'ok',
    disk: null,
    started: 1_795_227_000,
    damagedDatabase: null,
    mirror: null,
  })
})

it('sums up what was saved of a damaged database', async () => {
  const damaged = { at: 7, file: '/d/damaged.db', saved: { marks: 3, views: 4 } }
  answer = () => Response.json({ ...STATUS, damaged_database: damaged })
  const status = useStatus()
  await status.refresh()
  expect(status.status?.damagedDatabase).toEqual({ at: 7, file: '/d/damaged.db', saved: 7 })
})

it('keeps what it knew while the dashboard is away, and says why', async () => {
  answer = () => Response.json(STATUS)
  const status = useStatus()
  await status.refresh()
  answer = () => {
    throw new TypeError('lost')
  }
  await status.refresh()
  expect([status.status?.version, status.error?.code]).toEqual(['0.1.0', 'unreachable'])
  answer = () => Response.json({ ...STATUS, runs: 3 })
  await status.refresh()
  expect([status.status?.runs, status.error]).toEqual([3, null])
})
