/**
 * A WebSocket that reconnects: with back-off after a loss, a heartbeat that detects half-open connections, and its
 * state as a word. It does not know the messages. Used by the live connection (`live.ts`) and by the debugger page.
 */
export type SocketPhase = 'connecting' | 'open' | 'lost'

export interface SocketState {
  phase: SocketPhase
  /** Milliseconds since 1970, like all times of the browser. */
  lostSince: number | null
  retryAt: number | null
  /** Why the server closed the socket, if it said so. */
  closeCode: number | null
}

export interface LastingSocketOptions {
  url: string
  /** Called with every message, unchanged. */
  received(data: ArrayBuffer | string): void
  state(state: SocketState): void
  /** The connection ended: open requests will not be answered. */
  ended?(): void
  socket?: ((url: string) => WebSocket) | undefined
  random?: (() => number) | undefined
}

export const BACK_OFF_FIRST = 250
export const BACK_OFF_LAST = 5000
export const PING_EVERY = 10_000
export const PONG_WITHIN = 5_000

/** Close codes after which a reconnection would only repeat the failure. */
const FINAL_CODES = new Set([4400, 4403])
const LEAVING = 1000

/** The address of a socket of the dashboard, derived from that of its pages. */
export const socketUrl = (base: string, path: string): string => `${base}${path}`.replace(/^http/, 'ws')

export class LastingSocket {
  private socket: WebSocket | null = null
  private wanted = false
  private attempts = 0
  private retryTimer: ReturnType<typeof setTimeout> | undefined
  private aliveTimer: ReturnType<typeof setTimeout> | undefined
  private pingId = 0
  private state: SocketState = { phase: 'connecting', lostSince: null, retryAt: null, closeCode: null }

  constructor(private readonly options: LastingSocketOptions) {}

  /** Connects and stays connected until `close`. */
  open(): void {
    if (this.wanted) return
    this.wanted = true
    window.addEventListener('online', this.retryNow)
    document.addEventListener('visibilitychange', this.onVisibility)
    this.connect()
  }

  /** Closes for good. No timer and no listener remains. */
  close(): void {
    this.wanted = false
    window.removeEventListener('online', this.retryNow)
    document.removeEventListener('visibilitychange', this.onVisibility)
    clearTimeout(this.retryTimer)
    this.letGo(LEAVING)
  }

  /** Retries at once if the connection is lost. */
  readonly retryNow = (): void => {
    if (!this.wanted || this.socket) return
    clearTimeout(this.retryTimer)
    this.attempts = 0
    this.connect()
  }

  /** Sends a message if there is a connection. */
  send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message))
  }

  /** The server has answered as expected: the next loss starts with a short delay. */
  greeted(): void {
    this.attempts = 0
    this.tell({ phase: 'open', lostSince: null, retryAt: null, closeCode: null })
  }

  private connect(): void {
    const socket = (this.options.socket ?? ((url) => new WebSocket(url)))(this.options.url)
    socket.binaryType = 'arraybuffer'
    this.socket = socket
    this.tell({ ...this.state, retryAt: null })
    socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
      if (socket !== this.socket) return
      this.watchLife()
      this.options.received(event.data)
    }
    socket.onclose = (event) => {
      if (socket === this.socket) this.lost(event.code)
    }
    this.watchLife()
  }

  private lost(code: number): void {
    this.letGo(null)
    if (!this.wanted) return
    const delay = FINAL_CODES.has(code) ? null : this.backOff()
    const now = Date.now()
    if (delay !== null) this.retryTimer = setTimeout(() => this.connect(), delay)
    this.tell({
      phase: 'lost',
      lostSince: this.state.lostSince ?? now,
      retryAt: delay === null ? null : now + delay,
      closeCode: code,
    })
  }

  private backOff(): number {
    const plain = Math.min(BACK_OFF_LAST, BACK_OFF_FIRST * 2 ** this.attempts++)
    return Math.round(plain * (0.8 + 0.4 * (this.options.random ?? Math.random)()))
  }

  private letGo(code: number | null): void {
    clearTimeout(this.aliveTimer)
    this.options.ended?.()
    const socket = this.socket
    this.socket = null
    if (!socket) return
    socket.onmessage = socket.onclose = null
    if (code !== null) socket.close(code)
    else if (socket.readyState !== WebSocket.CLOSED) socket.close()
  }

  /**
   * A half-open connection reports nothing: after silence a ping is sent, and after further silence a new socket is
   * opened.
   */
  private watchLife(): void {
    clearTimeout(this.aliveTimer)
    this.aliveTimer = setTimeout(() => {
      this.send({ type: 'ping', id: ++this.pingId })
      this.aliveTimer = setTimeout(() => this.lost(1006), PONG_WITHIN)
    }, PING_EVERY)
  }

  private tell(state: SocketState): void {
    this.state = state
    this.options.state(state)
  }

  private readonly onVisibility = (): void => {
    if (document.visibilityState === 'visible') this.retryNow()
  }
}
