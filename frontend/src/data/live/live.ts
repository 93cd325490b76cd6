/**
 * The browser's only live WebSocket (docs/architecture/wire.md): subscriptions that count their users, and resuming
 * after a lost connection. It does not use Vue; `hub.ts` connects it with the stores.
 */
import { decodeFrames, FrameError, type Frame } from '../frames'
import { LastingSocket, type SocketState } from './lastingSocket'
import type { WireRun, WireNamedSeries } from '../rows'
import type { DiskTrouble } from '../types'

export type { SocketPhase as LivePhase, SocketState as LiveState } from './lastingSocket'

export interface RunsMessage {
  type: 'runs'
  complete: boolean
  runs: WireRun[]
  removed: number[]
  series: WireNamedSeries[]
}

export interface HealthMessage {
  type: 'health'
  reader: 'ok' | 'down'
  broker: 'ok' | 'down'
  since: number
  /** Servers of older versions do not send it. */
  disk?: DiskTrouble | null
}

export interface LiveHandlers {
  state?(state: SocketState): void
  frames?(frames: Frame[]): void
  runs?(message: RunsMessage): void
  /** Too many points wait for a live channel: fetch a view of these series. */
  refetch?(series: number[]): void
  removed?(series: number[]): void
  health?(message: HealthMessage): void
  /** The server's columns are different from ours: all held data is invalid. */
  storeChanged?(store: string): void
  /** Any message: the sign of life whose age the page shows. */
  heard?(): void
  /** The server rejected a message, or its own message could not be read. */
  trouble?(message: string): void
}

type ServerMessage =
  | { type: 'hello'; store: string }
  | { type: 'pong'; id: number }
  | { type: 'refetch'; series: [number, number][] }
  | { type: 'removed'; series: number[] }
  | { type: 'error'; code: string; message: string }
  | RunsMessage
  | HealthMessage

export interface LiveOptions {
  url: string
  handlers: LiveHandlers
  socket?: (url: string) => WebSocket
  random?: () => number
}

interface Followed {
  users: number
  next: number
}

export class LiveConnection {
  private readonly handlers: LiveHandlers
  private readonly line: LastingSocket

  private greeted = false
  private store: string | null = null

  private readonly followed = new Map<number, Followed>()
  private readonly topics = new Map<string, number>()
  private readonly added = new Set<number>()
  private readonly dropped = new Set<number>()
  private readonly addedTopics = new Set<string>()
  private readonly droppedTopics = new Set<string>()
  private flushing = false

  constructor({ url, handlers, socket, random }: LiveOptions) {
    this.handlers = handlers
    this.line = new LastingSocket({
      url,
      socket,
      random,
      received: (data) => this.receive(data),
      state: (state) => handlers.state?.(state),
      ended: () => (this.greeted = false),
    })
  }

  /** Connects and stays connected until `close`. */
  open(): void {
    this.line.open()
  }

  /** Closes for good. No timer and no listener remains. */
  close(): void {
    this.line.close()
  }

  /** Retries at once if the connection is lost. */
  readonly retryNow = (): void => this.line.retryNow()

  /**
   * Follows a series from the point with index `next` on.
   * @returns the function that ends the subscription
   */
  follow(series: number, next: number): () => void {
    const known = this.followed.get(series)
    if (known) known.users++
    else this.followed.set(series, { users: 1, next })
    this.dropped.delete(series)
    if (!known) this.added.add(series)
    this.flushSoon()
    return once(() => this.unfollow(series))
  }

  /** Moves the point from which a followed series is sent, after a view was fetched. */
  moveTo(series: number, next: number): void {
    const known = this.followed.get(series)
    if (!known || known.next === next) return
    known.next = next
    this.added.add(series)
    this.flushSoon()
  }

  /** Follows a topic, such as `runs`. Returns the function that ends it. */
  followTopic(topic: string): () => void {
    const users = this.topics.get(topic) ?? 0
    this.topics.set(topic, users + 1)
    this.droppedTopics.delete(topic)
    if (!users) this.addedTopics.add(topic)
    this.flushSoon()
    return once(() => this.unfollowTopic(topic))
  }

  private unfollow(series: number): void {
    const known = this.followed.get(series)
    if (!known || --known.users > 0) return
    this.followed.delete(series)
    this.added.delete(series)
    this.dropped.add(series)
    this.flushSoon()
  }

  private unfollowTopic(topic: string): void {
    const users = (this.topics.get(topic) ?? 1) - 1
    if (users > 0) {
      this.topics.set(topic, users)
      return
    }
    this.topics.delete(topic)
    this.addedTopics.delete(topic)
    this.droppedTopics.add(topic)
    this.flushSoon()
  }

  /** A page mounts dozens of charts at once, so their subscriptions are sent as one message. */
  private flushSoon(): void {
    if (this.flushing || !this.greeted) return
    this.flushing = true
    queueMicrotask(() => {
      this.flushing = false
      this.flush()
    })
  }

  private flush(): void {
    if (!this.greeted) return
    if (this.dropped.size || this.droppedTopics.size) {
      this.line.send({ type: 'unsubscribe', topics: [...this.droppedTopics], series: [...this.dropped] })
    }
    if (this.added.size || this.addedTopics.size) {
      const series = [...this.added].map((one) => [one, this.followed.get(one)?.next ?? 0])
      this.line.send({ type: 'subscribe', topics: [...this.addedTopics], series })
    }
    this.forgetWishes()
  }

  private forgetWishes(): void {
    for (const wishes of [this.added, this.dropped, this.addedTopics, this.droppedTopics]) wishes.clear()
  }

  private receive(data: ArrayBuffer | string): void {
    this.handlers.heard?.()
    try {
      if (typeof data === 'string') this.receiveText(JSON.parse(data) as ServerMessage)
      else this.receiveFrames(decodeFrames(data))
    } catch (problem) {
      // Unreadable points are missing points: the store sees the gap and fetches a view.
      if (!(problem instanceof FrameError || problem instanceof SyntaxError)) throw problem
      this.handlers.trouble?.(problem.message)
    }
  }

  private receiveFrames(frames: Frame[]): void {
    const wanted = frames.filter((frame) => {
      const known = this.followed.get(frame.series)
      if (known) known.next = frame.end
      return known !== undefined
    })
    if (wanted.length) this.handlers.frames?.(wanted)
  }

  private receiveText(message: ServerMessage): void {
    switch (message.type) {
      case 'hello':
        return this.greet(message.store)
      case 'runs':
        return this.handlers.runs?.(message)
      case 'refetch':
        return this.refetch(message.series)
      case 'removed':
        for (const one of message.series) this.followed.delete(one)
        return this.handlers.removed?.(message.series)
      case 'health':
        return this.handlers.health?.(message)
      case 'error':
        return this.handlers.trouble?.(`${message.message} (${message.code})`)
    }
  }

  private refetch(series: [number, number][]): void {
    for (const [one, next] of series) {
      const known = this.followed.get(one)
      if (known) known.next = next
    }
    this.handlers.refetch?.(series.map(([one]) => one))
  }

  private greet(store: string): void {
    const changed = this.store !== null && this.store !== store
    this.store = store
    if (changed) {
      for (const known of this.followed.values()) known.next = 0
      this.handlers.storeChanged?.(store)
    }
    this.greeted = true
    this.forgetWishes()
    for (const one of this.followed.keys()) this.added.add(one)
    for (const topic of this.topics.keys()) this.addedTopics.add(topic)
    this.flush()
    this.line.greeted()
  }
}

function once(action: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}
