import { flushPromises } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'

import { useConnection } from '../data/live/connection'
import { useStatus } from '../data/status'
import { fakeServer, STATUS, type Answer, type FakeServer } from '../testing/fakeServer'
import { mountPage } from '../testing/mountPage'
import HealthBar from './HealthBar.vue'

async function open(): Promise<{
  server: FakeServer
  text: () => string
  click: () => Promise<void>
  notices: () => number
}> {
  const server = fakeServer()
  const { wrapper } = await mountPage(HealthBar)
  useConnection()
  server.socket().open()
  await nextTick()
  const notices = (): number => wrapper.findAll('.notice').length
  return {
    server,
    notices,
    text: () => wrapper.find('.notice').text(),
    click: () => wrapper.get('.notice button').trigger('click'),
  }
}

describe('the health bar', () => {
  it('is not there while all is well', async () => {
    const server = fakeServer()
    const { wrapper } = await mountPage(HealthBar)
    useConnection()
    server.socket().open()
    await nextTick()
    expect(wrapper.find('.notice').exists()).toBe(false)
  })

  it('counts since when the connection is lost, and retries at once on demand', async () => {
    const { server, text, click } = await open()
    server.socket().drop()
    await nextTick()
    expect(text()).toContain('Connection lost 0 s ago')
    await click()
    expect(server.sockets).toHaveLength(2)
  })

  it('says that the reader stopped and is being started again', async () => {
    const { server, text } = await open()
    server.socket().message({ type: 'health', reader: 'down', broker: 'ok', since: Date.now() / 1000 - 14 })
    await nextTick()
    expect(text()).toBe(
      'The reader of event files stopped 14 s ago; it is being started again. Curves show what was read until then.',
    )
  })

  it.each([
    ['full', 'A disk is full. The disk of /data/ws has 1.20 MB free.'],
    ['read_only', 'A disk is read-only. The disk of /data/ws accepts no changes.'],
    ['failing', 'A disk fails. Writing to the disk of /data/ws fails.'],
  ])('names a disk that is %s, until it is well again', async (condition, words) => {
    const { server, text, notices } = await open()
    const health = { type: 'health', reader: 'ok', broker: 'ok', since: 0 }
    server.socket().message({ ...health, disk: { condition, directory: '/data/ws', free: 1_200_000 } })
    await nextTick()
    expect(text()).toContain(words)
    server.socket().message({ ...health, disk: null })
    await nextTick()
    expect(notices()).toBe(0)
  })

  it('shows a full disk beside a stopped reader, and neither once the connection is lost', async () => {
    const { server, notices } = await open()
    server.socket().message({
      type: 'health',
      reader: 'down',
      broker: 'ok',
      since: 0,
      disk: { condition: 'full', directory: '/d', free: 0 },
    })
    await nextTick()
    expect(notices()).toBe(2)
    server.socket().drop()
    await nextTick()
    expect(notices()).toBe(1)
  })

  it('says what still works without the broker', async () => {
    const { server, text } = await open()
    server.socket().message({ type: 'health', reader: 'ok', broker: 'down', since: Date.now() / 1000 - 5 })
    await nextTick()
    expect(text()).toContain('Points still arrive, about once a second.')
  })
})

describe('the copy of an object store', () => {
  const mirror = {
    address: 's3://bucket/runs',
    state: 'copying',
    error: '',
    files: 0,
    files_done: 0,
    bytes: 0,
    bytes_done: 0,
    checked: 0,
  }

  async function shown(change: Partial<typeof mirror> | null): Promise<string> {
    const server = fakeServer()
    server.answers['/api/status'] = { ...STATUS, mirror: change && { ...mirror, ...change } } as Answer
    const { wrapper } = await mountPage(HealthBar)
    await useStatus().refresh()
    // The notice is loaded when it is needed.
    await vi.dynamicImportSettled()
    await flushPromises()
    return wrapper.find('.notice').exists() ? wrapper.find('.notice').text() : ''
  }

  it('is not mentioned for a directory, nor when all is copied', async () => {
    expect(await shown(null)).toBe('')
    expect(await shown({ state: 'current' })).toBe('')
  })

  it('says how far it has come', async () => {
    expect(await shown({})).toBe('Copying s3://bucket/runs. The files are being listed.')
    expect(await shown({ files: 1200, files_done: 7, bytes: 3e6, bytes_done: 1e6 })).toMatch(
      /^Copying s3:\/\/bucket\/runs\. 7 of 1,200 files, 1\S* MB of 3\S* MB\.$/,
    )
  })

  it('says what it cannot read, and that the rest is shown', async () => {
    expect(await shown({ state: 'failing', error: 'Cannot read s3://bucket/runs: Access Denied.' })).toBe(
      'The object store cannot be copied. Cannot read s3://bucket/runs: Access Denied. What was copied before is shown.',
    )
  })
})
