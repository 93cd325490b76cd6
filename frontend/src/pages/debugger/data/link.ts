/**
 * The browser's end of `/ws/debug` (mindinsight/debugger/api.md): sessions, the one that is watched, commands with
 * their replies. Knows nothing of Vue; `store.ts` keeps what it tells.
 */
import { LastingSocket, type SocketState } from '../../../data/live/lastingSocket'
import { CommandProblem, type Action } from './commands'
import { reply as plainReply } from './messages'
import { sessionRows, tensorRow, type SessionRow, type TensorRow } from './rows'
import { isRecord, maybe, message, type Of } from './wire'

const reply = (value: unknown): Reply => ({ ...plainReply(value), tensor: withTensor(value).tensor })
const withTensor = message({ tensor: maybe(tensorRow) })
/** The training's reply; for the values of a tensor also their row. */
export type Reply = Of<typeof plainReply> & { tensor: TensorRow | null }

/** A message of the dashboard about a session; the store reads `body`. */
export interface SessionEvent {
  type: string
  session: string
  body: Record<string, unknown>
}

export interface LinkHandlers {
  state(state: SocketState): void
  /** This browser's name at the dashboard; every connection has a new one. */
  greeted(you: string): void
  sessions(rows: readonly SessionRow[]): void
  event(event: SessionEvent): void
  /** The dashboard could not understand a message. */
  trouble(problem: CommandProblem): void
}

interface Waiting {
  answer(reply: Reply): void
  refuse(problem: CommandProblem): void
}

export class DebugLink {
  private readonly line: LastingSocket
  private readonly waiting = new Map<string, Waiting>()
  private watched: string | null = null
  private spoken = false
  private last = 0

  constructor(
    url: string,
    private readonly handlers: LinkHandlers,
    socket?: (url: string) => WebSocket,
  ) {
    this.line = new LastingSocket({
      url,
      socket,
      received: (data) => this.received(data),
      state: (state) => handlers.state(state),
      ended: () => this.ended(),
    })
  }

  open(): void {
    this.line.open()
  }

  close(): void {
    this.line.close()
  }

  readonly retryNow = (): void => this.line.retryNow()

  /** Follows a session, or none; a new connection follows it again. */
  watch(session: string | null): void {
    if (this.watched === session) return
    const before = this.watched
    this.watched = session
    if (!this.spoken) return
    if (before !== null) this.line.send({ type: 'unwatch', session: before })
    if (session !== null) this.line.send({ type: 'watch', session })
  }

  /** Takes or releases control of the session; `force` takes it from another browser. */
  control(take: boolean, force: boolean): void {
    if (this.watched !== null) this.line.send({ type: 'control', session: this.watched, take, force })
  }

  /**
   * Asks something of the session that is watched.
   * @throws CommandProblem where it is refused, or the connection ends before there is an answer
   */
  command(action: Action): Promise<Reply> {
    const session = this.watched
    if (session === null || !this.spoken) return Promise.reject(new CommandProblem('not_connected', ''))
    const id = String(++this.last)
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {
        answer: (one) =>
          one.ok ? resolve(one) : reject(new CommandProblem(one.problem, one.message, one.at >= 0 ? one.at : null)),
        refuse: reject,
      })
      this.line.send({ type: 'command', id, session, command: action })
    })
  }

  private ended(): void {
    this.spoken = false
    const left = [...this.waiting.values()]
    this.waiting.clear()
    for (const { refuse } of left) refuse(new CommandProblem('connection_lost', ''))
  }

  private received(data: ArrayBuffer | string): void {
    const said: unknown = typeof data === 'string' ? parsed(data) : null
    if (!isRecord(said) || typeof said['type'] !== 'string')
      return this.handlers.trouble(new CommandProblem('unreadable', ''))
    switch (said['type']) {
      case 'pong':
        return
      case 'hello':
        return this.greet(String(said['you']))
      case 'sessions':
        return this.handlers.sessions(sessionRows(said['sessions']))
      case 'reply':
        return this.answer(reply(said))
      case 'error':
        return this.handlers.trouble(new CommandProblem(String(said['code']), String(said['message'])))
      default:
        return this.handlers.event({ type: said['type'], session: String(said['session']), body: said })
    }
  }

  private greet(you: string): void {
    this.spoken = true
    if (this.watched !== null) this.line.send({ type: 'watch', session: this.watched })
    this.line.greeted()
    this.handlers.greeted(you)
  }

  private answer(one: Reply): void {
    this.waiting.get(one.id)?.answer(one)
    this.waiting.delete(one.id)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
