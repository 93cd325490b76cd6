/** The state of the watched session, and its changes by messages of the dashboard. Kept by the store. */
import { shallowReactive } from 'vue'

import {
  bye,
  cause,
  divergence,
  hits,
  log,
  state,
  watching,
  type Bye,
  type Cause,
  type Divergence,
  type Hit,
  type Hits,
  type State,
  type Watching,
} from './messages'
import { sessionRow, tensorRow, type SessionRow, type TensorRow } from './rows'
import { flag, list, maybe, message, number, text } from './wire'

/** The number of kept hits and causes, the same as in the dashboard. */
const MOST_HITS = 2000
const MOST_LOGGED = 1000
const MOST_CAUSES = 100

export interface StepHits {
  step: number
  hits: readonly Hit[]
  leftOut: number
}

export interface Watched {
  id: string
  /** Null until the dashboard has sent the full state. */
  row: SessionRow | null
  state: State | null
  /** When the state arrived, in ms since 1970: its lease counts from then. */
  stateAt: number
  /** The program whose nodes can be requested. */
  program: string | null
  /** The name of the graph in `/api/graphs`, and its version. */
  graph: { graph: string; digest: string } | null
  watching: Watching | null
  /** In order of steps. */
  hits: readonly StepHits[]
  log: readonly StepHits[]
  /** One per step, in order of steps. */
  causes: readonly Cause[]
  divergence: Divergence | null
  tensors: ReadonlyMap<number, TensorRow>
  viewers: number
  controller: string | null
  connected: boolean
  bye: Bye | null
  removed: boolean
}

export function emptySession(id: string): Watched {
  return shallowReactive<Watched>({
    id,
    row: null,
    state: null,
    stateAt: 0,
    program: null,
    graph: null,
    watching: null,
    hits: [],
    log: [],
    causes: [],
    divergence: null,
    tensors: new Map(),
    viewers: 0,
    controller: null,
    connected: false,
    bye: null,
    removed: false,
  })
}

const digest = message({ digest: text })
const graph = message({ graph: text, digest: text })
const whole = message({
  row: maybe(sessionRow),
  state: maybe(state),
  program: maybe(digest),
  graph: maybe(graph),
  watching: maybe(watching),
  hits: list(hits),
  causes: list(cause),
  divergence: maybe(divergence),
  log: list(log),
  tensors: list(tensorRow),
  viewers: number,
  connected: flag,
  ended: maybe(message({ reason: text })),
})

/** @param limit the number of newest hits to keep */
function added(
  before: readonly StepHits[],
  one: Pick<Hits, 'step' | 'hits'> & Partial<Hits>,
  limit: number,
): readonly StepHits[] {
  const known = before.find(({ step }) => step === one.step)
  const joined: StepHits = {
    step: one.step,
    hits: one.replace || !known ? one.hits : [...known.hits, ...one.hits],
    leftOut: one.left_out ?? known?.leftOut ?? 0,
  }
  const all = [...before.filter(({ step }) => step !== one.step), joined]
    .filter((each) => each.hits.length > 0 || each.leftOut > 0)
    .sort((a, b) => a.step - b.step)
  let room = limit
  const kept = all.reverse().filter((each) => (room -= each.hits.length) >= 0 || each.step === all[0].step)
  return kept.reverse()
}

const withCause = (before: readonly Cause[], one: Cause): readonly Cause[] =>
  [...before.filter(({ step }) => step !== one.step), one].sort((a, b) => a.step - b.step).slice(-MOST_CAUSES)

const nameOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Takes the full state of a session, which is sent first. */
function takeWhole(session: Watched, body: Record<string, unknown>, now: number): void {
  const all = whole(body)
  Object.assign(session, {
    row: all.row,
    state: all.state,
    stateAt: now,
    program: all.program?.digest ?? null,
    graph: all.graph,
    watching: all.watching,
    causes: all.causes,
    divergence: all.divergence,
    hits: all.hits.map(({ step, hits: some, left_out }) => ({ step, hits: some, leftOut: left_out })),
    log: all.log.map((one) => ({ ...one, leftOut: 0 })),
    tensors: new Map(all.tensors.map((one) => [one.number, one])),
    viewers: all.viewers,
    controller: nameOrNull(body['controller']),
    connected: all.connected,
    bye: all.ended && { reason: all.ended.reason, message: all.row?.message ?? '' },
  } satisfies Partial<Watched>)
}

/** Takes a message about the session. Unknown types are skipped. */
export function take(session: Watched, type: string, body: Record<string, unknown>, now = Date.now()): void {
  switch (type) {
    case 'session':
      return takeWhole(session, body, now)
    case 'state':
      session.state = state(body['state'])
      session.stateAt = now
      return
    case 'watching':
      return void (session.watching = watching(body['watching']))
    case 'cause':
      return void (session.causes = withCause(session.causes, cause(body['cause'])))
    case 'divergence':
      return void (session.divergence = divergence(body['divergence']))
    case 'hits':
      return void (session.hits = added(session.hits, hits(body['hits']), MOST_HITS))
    case 'log':
      return void (session.log = added(session.log, log(body['log']), MOST_LOGGED))
    case 'program':
      return void (session.program = digest(body['program']).digest)
    case 'graph':
      return void (session.graph = graph(body['graph']))
    case 'tensor': {
      const row = tensorRow(body['tensor'])
      return void (session.tensors = new Map([...session.tensors, [row.number, row]]))
    }
    case 'bye':
      return void (session.bye = bye(body['bye']))
    case 'connection':
      return void (session.connected = body['connected'] === true)
    case 'viewers':
    case 'control':
      if (typeof body['viewers'] === 'number') session.viewers = body['viewers']
      return void (session.controller = nameOrNull(body['controller']))
    case 'removed':
      return void (session.removed = true)
  }
}
