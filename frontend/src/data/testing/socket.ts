/** A WebSocket whose other end is the test. For tests only. */

export class FakeSocket {
  static made: FakeSocket[] = []
  /** The newest socket. */
  static get last(): FakeSocket {
    const socket = FakeSocket.made.at(-1)
    if (!socket) throw new Error('No socket was opened.')
    return socket
  }

  readonly url: string
  readyState: number = WebSocket.CONNECTING
  binaryType = ''
  sent: Record<string, unknown>[] = []
  closedWith: number | undefined
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null

  constructor(url: string) {
    this.url = url
    FakeSocket.made.push(this)
  }

  static make = (url: string): WebSocket => new FakeSocket(url) as unknown as WebSocket

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>)
  }

  close(code?: number): void {
    this.readyState = WebSocket.CLOSED
    this.closedWith = code
  }

  // --- actions of the server

  hello(store = 'one'): void {
    this.readyState = WebSocket.OPEN
    this.say({ type: 'hello', protocol: 2, version: '0.1.0', store, now: 0, limits: {} })
  }

  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }

  bytes(data: ArrayBuffer): void {
    this.onmessage?.({ data })
  }

  drop(code = 1006): void {
    this.readyState = WebSocket.CLOSED
    this.onclose?.({ code })
  }

  /** All sent messages of a type. */
  of(type: string): Record<string, unknown>[] {
    return this.sent.filter((message) => message['type'] === type)
  }
}
