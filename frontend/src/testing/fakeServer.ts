/** A fake server for unit tests: the test controls the answers of the HTTP API and a live socket. */
import { vi } from 'vitest'

import { createHub, setHub } from '../data/live/hub'
import type { WireRun, WireStatus, WireTagsAnswer } from '../data/rows'
import { seriesColumns } from '../data/testing/seriesColumns'

export const STATUS: WireStatus = {
  version: '0.1.0',
  store: 's1',
  now: 1_795_227_714,
  base_directory: '/home/me/summaries',
  base_directory_short: '~/summaries',
  readable: true,
  runs: 0,
  watching: 'events',
  checked: 1_795_227_712,
  reader: 'ok',
  broker: 'ok',
  disk: null,
  started: 1_795_227_000,
  damaged_database: null,
  mirror: null,
}

/** A run with plausible values, as the server sends it. */
export function wireRun(number: number, changes: Partial<WireRun> = {}): WireRun {
  return {
    number,
    id: `${number}a0f`.padStart(6, '0').padEnd(32, '0'),
    name: `run_${number}`,
    colour: number % 10,
    writer: 'mindspore',
    state: 'finished',
    state_since: 1_795_227_000,
    state_detail: {},
    first_wall: 1_795_220_000 - number,
    last_wall: 1_795_227_000,
    last_step: 100 * number,
    tags: 2,
    points: 200 * number,
    files: 1,
    bytes: 5_000_000,
    bytes_read: 5_000_000,
    disk_bytes: null,
    damage: null,
    segments: [{ number: 0, first_step: 0, last_step: 100 * number, first_wall: 1_795_220_000 - number }],
    reading: null,
    lead_tag: { series: number * 10, name: 'loss', last_value: 0.0418 },
    ...changes,
  } as WireRun
}

/** The server's end of the live socket. */
export class FakeSocket extends EventTarget {
  static readonly OPEN = 1
  readyState = 0
  binaryType = 'blob'
  readonly sent: unknown[] = []
  onopen: ((event: Event) => void) | null = null
  onmessage: ((event: MessageEvent) => void) | null = null
  onclose: ((event: CloseEvent) => void) | null = null
  onerror: ((event: Event) => void) | null = null

  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }

  close(): void {
    this.readyState = 3
  }

  private emit(event: Event): void {
    const handler = { open: this.onopen, message: this.onmessage, close: this.onclose }[event.type]
    ;(handler as ((event: Event) => void) | null | undefined)?.call(this, event)
    this.dispatchEvent(event)
  }

  open(): void {
    this.readyState = 1
    this.emit(new Event('open'))
    this.message({
      type: 'hello',
      protocol: 2,
      version: '0.1.0',
      store: 's1',
      now: Date.now() / 1000,
      limits: { message_bytes: 1 << 20, tags: 20_000, frame_points: 8192, backlog_points: 16_384 },
    })
  }

  message(message: object): void {
    this.emit(new MessageEvent('message', { data: JSON.stringify(message) }))
  }

  drop(): void {
    this.readyState = 3
    this.emit(Object.assign(new Event('close'), { code: 1006, reason: '', wasClean: false }))
  }
}

/** The answer of `/api/runs/order` that lists these runs in this order, without groups. */
export function orderOf(runs: readonly WireRun[]): object {
  return { runs: runs.map((run) => run.number), groups: [], of: runs.length, archived: 0, milliseconds: 4 }
}

export type Answer = object | Response | Promise<Response>

export interface FakeServer {
  /** Answers by path, e.g. `/api/runs`; a test may change them at any time. */
  answers: Record<string, Answer>
  /** The requests, in order. */
  asked: { method: string; path: string }[]
  sockets: FakeSocket[]
  /** The newest socket. */
  socket: () => FakeSocket
}

/** Replaces the network until the test ends. */
export function fakeServer(runs: WireRun[] = [], tags: WireTagsAnswer = { tags: [] }): FakeServer {
  const answers: Record<string, Answer> = {
    '/api/status': STATUS,
    '/api/runs': { count: runs.length, results: runs },
    '/api/runs/order': orderOf(runs),
    '/api/runs/values': { columns: [], values: {} },
    '/api/scalars/tags': tags,
    '/api/scalars/points': new Response(new ArrayBuffer(0)),
  }
  const asked: FakeServer['asked'] = []
  vi.stubGlobal('fetch', (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    asked.push({ method: request.method, path: pathname + search })
    const answer =
      answers[pathname] ??
      (pathname === '/api/scalars/series' ? seriesColumns(answers['/api/scalars/tags'] as WireTagsAnswer) : undefined)
    if (answer === undefined) return Promise.resolve(new Response('{}', { status: 404 }))
    if (answer instanceof Promise) return answer
    return Promise.resolve(answer instanceof Response ? answer.clone() : Response.json(answer))
  })
  const sockets: FakeSocket[] = []
  vi.stubGlobal('WebSocket', FakeSocket)
  setHub(
    createHub('ws://localhost/ws/live', () => {
      const socket = new FakeSocket()
      sockets.push(socket)
      return socket as unknown as WebSocket
    }),
  )
  return { answers, asked, sockets, socket: () => sockets[sockets.length - 1] }
}

/** An error in the format of the API. */
export function refusal(status: number, code: string, message: string): Response {
  return Response.json({ code, message, detail: {} }, { status })
}
