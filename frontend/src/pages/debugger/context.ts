/**
 * What the parts of the page share about the session that is shown: its nodes, what is chosen, what may be done. Made
 * by SessionView.vue, taken by its parts.
 */
import {
  computed,
  inject,
  provide,
  ref,
  shallowRef,
  watch,
  type ComputedRef,
  type InjectionKey,
  type Ref,
  type WritableComputedRef,
} from 'vue'

import { useToasts } from '../../components/feedback/toasts'
import { choiceParam, useQueryParam, type QueryParam } from '../../scaffold/viewState'
import { useAnswer, type Answer } from '../../data/answer'
import { callsOf, ownCall, placeText, type Call } from './code/calls'
import { CommandProblem, type Action } from './data/commands'
import type { Reply } from './data/link'
import type { Cause, Line, Node, Program, TensorName } from './data/messages'
import { nameOf } from './data/messages'
import { askProgram } from './data/requests'
import type { Watched } from './data/session'
import { useDebugger } from './data/store'
import { useHealth, type Health } from './nodes/useHealth'
import { useProblemWords } from './words'

/** `fc/MatMul-op3:0`, `fc/MatMul-op3:1#2`. */
export const tensorParam: QueryParam<TensorName | null> = {
  default: null,
  parse(text) {
    const [, full_name, slot, iteration] = /^(.+):(\d{1,6})(?:#(\d{1,9}))?$/.exec(text) ?? []
    return full_name === undefined ? undefined : { full_name, slot: Number(slot), iteration: Number(iteration ?? 0) }
  },
  format: (tensor) => tensor && nameOf(tensor),
}

/** A step; changes that the training made cannot be undone. */
const stepParam: QueryParam<number | null> = {
  default: null,
  parse: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  format: (step) => (step === null ? null : String(step)),
  drifts: (_, after) => after === null,
}

/** The tensor with the error: the first abnormal one, or that of the producer. */
const tensorOf = ({ chain, producer }: Cause): TensorName | null =>
  (chain.find(({ role }) => role === 'ABNORMAL') ?? producer)?.tensor ?? null

/** Requests that every watching browser may send. */
const WATCHERS = ['view', 'health', 'read_source', 'recommend']

export interface Placed {
  node: Node
  /** Place in the order of execution, from 1. */
  order: number
}

export interface Place {
  shown: Call
  calls: readonly Call[]
}

export interface Debugging {
  session: Watched
  program: Answer<Program>
  nodes: ComputedRef<ReadonlyMap<string, Placed>>
  /** The selected tensor, shared by all parts. */
  tensor: WritableComputedRef<TensorName | null>
  tab: WritableComputedRef<'nodes' | 'graph' | 'divergence'>
  health: Health
  /** The shown cause: that of the chosen step, else of the current one. Without a training, the newest one. */
  cause: ComputedRef<Cause | null>
  /** Whether the shown cause is not of the step at which the training is. */
  isEarlier: ComputedRef<boolean>
  /** Shows the cause of a step; null: again that of the current one. */
  openCause(step: number | null): void
  paused: ComputedRef<boolean>
  /** The reason why the training cannot be asked; null if it can. */
  obstacle: ComputedRef<'lost' | 'ended' | 'other' | 'connection' | null>
  /** The number of open requests. */
  busy: Ref<number>
  choose(node: string | null, slot?: number): void
  /** The shown call and the calls around it, if they are not the current ones of the training; otherwise null. */
  place: Ref<Place | null>
  /** The line of a node and the calls that led there, innermost first. */
  callsAt(node: string, line?: Line | null): readonly Call[]
  /** The user's line of a node, such as `loss.py:42`; empty if unknown. */
  placeAt(node: string, line?: Line | null): string
  /** Shows the user's line of a node. */
  showLine(node: string, line?: Line | null): void
  /** Sends a request to the training and shows problems; returns null in that case. */
  act(action: Action): Promise<Reply | null>
}

const KEY: InjectionKey<Debugging> = Symbol('debugging')

export function useDebugging(): Debugging {
  const found = inject(KEY)
  if (!found) throw new Error('There is no session around this component.')
  return found
}

function useCause(session: Watched, tensor: Ref<TensorName | null>) {
  const opened = useQueryParam('cause', stepParam)
  const causeAt = (step: number | undefined): Cause | null => session.causes.find((one) => one.step === step) ?? null
  const cause = computed(() => {
    const chosen = opened.value === null ? null : causeAt(opened.value)
    const isOver = session.bye !== null || !session.connected
    return chosen ?? causeAt(session.state?.step) ?? (isOver ? (session.causes.at(-1) ?? null) : null)
  })
  // The tensor with the error is shown first, but not in place of the one in the address.
  watch(
    cause,
    (now, before) => {
      if (now && opened.value === null && (before !== undefined || !tensor.value)) tensor.value = tensorOf(now)
    },
    { immediate: true },
  )
  watch(
    () => session.state?.step,
    (_, before) => {
      if (before !== undefined) opened.value = null
    },
  )
  return {
    cause,
    isEarlier: computed(() => cause.value !== null && cause.value.step !== session.state?.step),
    openCause(step: number | null): void {
      opened.value = step
      const chosen = causeAt(step ?? undefined)
      if (chosen) tensor.value = tensorOf(chosen)
    },
  }
}

export function provideDebugging(session: Watched): Debugging {
  const store = useDebugger()
  const toasts = useToasts()
  const words = useProblemWords()
  const busy = ref(0)

  const program = useAnswer<Program>(
    () => (session.program === null ? null : `${session.id} ${session.program}`),
    (signal) => askProgram(session.id, signal),
  )
  const nodes = computed(
    () =>
      new Map(
        (program.value.value?.nodes ?? []).map((node, at): [string, Placed] => [
          node.full_name,
          { node, order: at + 1 },
        ]),
      ),
  )
  const paused = computed(() => session.state?.status === 'PAUSED' && session.connected && session.bye === null)
  const obstacle = computed(() => {
    if (session.bye) return 'ended'
    if (store.phase === 'lost') return 'connection'
    if (!session.connected) return 'lost'
    return session.controller !== null && !store.controls ? 'other' : null
  })

  async function act(action: Action): Promise<Reply | null> {
    busy.value++
    try {
      return await store.ask(action, !WATCHERS.some((name) => name in action))
    } catch (problem) {
      toasts.show(words(problem))
      if (!(problem instanceof CommandProblem)) throw problem
      return null
    } finally {
      busy.value--
    }
  }

  const tensor = useQueryParam('tensor', tensorParam)
  const { cause, isEarlier, openCause } = useCause(session, tensor)
  const place = shallowRef<Place | null>(null)
  // When the training moves, the current line is shown again.
  watch(
    () => [session.state?.step, session.state?.node_number, session.state?.stack[0]?.line],
    () => (place.value = null),
  )
  function callsAt(node: string, line: Line | null = null): Call[] {
    const known = nodes.value.get(node)?.node
    const { files = [], libraries = [] } = program.value.value ?? {}
    return callsOf([line ?? known?.line ?? null, ...(known?.callers ?? [])], files, libraries)
  }
  function showLine(node: string, line: Line | null = null): void {
    const calls = callsAt(node, line)
    const shown = ownCall(calls)
    place.value = shown && { shown, calls }
  }
  const debugging: Debugging = {
    session,
    program,
    nodes,
    tensor,
    paused,
    obstacle,
    busy,
    place,
    callsAt,
    placeAt: (node, line) => placeText(ownCall(callsAt(node, line))),
    act,
    tab: useQueryParam('tab', choiceParam(['nodes', 'graph', 'divergence'])),
    health: useHealth(session, act),
    cause,
    isEarlier,
    openCause,
    choose(node, slot = 0) {
      tensor.value = node === null ? null : { full_name: node, slot, iteration: 0 }
      if (node !== null && callsAt(node).length) showLine(node)
    },
    showLine,
  }
  provide(KEY, debugging)
  return debugging
}
