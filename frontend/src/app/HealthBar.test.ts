import { describe, expect, it } from 'vitest'
import { nextTick } from 'vue'

import { useConnection } from '../data/live/connection'
import { fakeServer, type FakeServer } from '../testing/fakeServer'
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
