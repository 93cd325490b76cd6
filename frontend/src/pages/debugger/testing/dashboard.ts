/**
 * The dashboard's side of the debugger for tests: a socket in the hands of the test, and the answers over HTTP. For
 * tests only.
 */
import { flushPromises } from '@vue/test-utils'
import { vi } from 'vitest'
import type { Component } from 'vue'

import { FakeSocket } from '../../../data/testing/socket'
import { fakeServer, wireRun, type FakeServer } from '../../../testing/fakeServer'
import { mountPage, type Mounted } from '../../../testing/mountPage'
import { PROGRAM, REPLY, ROW, WHOLE } from './recorded'

class Socket extends FakeSocket {
  static readonly OPEN = 1
  static readonly CLOSED = 3
  static readonly CONNECTING = 0
  override readyState = 0
}

interface Command {
  id: string
  command: Record<string, unknown>
}

export interface Dashboard extends Mounted {
  server: FakeServer
  socket(): FakeSocket
  greet(sessions: readonly object[]): Promise<void>
  /** A message of the dashboard about the session. */
  say(message: object): Promise<void>
  /** The newest command of a kind. */
  command(kind: string): Command
  reply(kind: string, changes: object): Promise<void>
}

/** Opens the page at an address; the dashboard has sent nothing yet. */
export async function openPage(
  address = '/debugger',
  language = 'en',
  component: Component | null = null,
): Promise<Dashboard> {
  const server = fakeServer([wireRun(1)])
  server.answers[`/api/debugger/sessions/${ROW.id}/program`] = PROGRAM
  FakeSocket.made = []
  vi.stubGlobal('WebSocket', Socket)
  const mounted = await mountPage(component, address, language)
  const socket = (): FakeSocket => {
    const found = FakeSocket.made.filter(({ url }) => url.endsWith('/ws/debug')).at(-1)
    if (!found) throw new Error('The page did not connect.')
    return found
  }
  const command = (kind: string): Command => {
    const found = (socket().of('command') as unknown as Command[]).filter((one) => kind in one.command).at(-1)
    if (!found) throw new Error(`Nobody asked for ${kind}.`)
    return found
  }
  const say = async (message: object): Promise<void> => {
    socket().say({ session: ROW.id, ...message })
    await flushPromises()
  }
  return {
    ...mounted,
    server,
    socket,
    command,
    say,
    async greet(sessions) {
      socket().readyState = Socket.OPEN
      socket().say({ type: 'hello', protocol: 1, you: 'b41f09aa' })
      socket().say({ type: 'sessions', sessions })
      await flushPromises()
    },
    reply: (kind, changes) => say({ ...REPLY, id: command(kind).id, ...changes }),
  }
}

/** The page with the recorded session. */
export async function openSession(changes: object = {}, address = '/debugger', language = 'en'): Promise<Dashboard> {
  const page = await openPage(address, language)
  await page.greet([ROW])
  await page.say({ ...WHOLE, ...changes })
  // The parts of a session are in a separate file.
  await vi.waitFor(() => {
    if (!page.wrapper.find('.bar').exists()) throw new Error('The session is not shown.')
  })
  return page
}
