/** The commands of `summaries/schema/debugger.proto` and their results. */
import type { Lease, TensorName, Watchpoint } from './messages'

export type Mode = 'graph' | 'pynative'

export type Action =
  | { go_on: object }
  | { step: { steps: number } }
  | { next_node: object }
  | { run_to_node: { full_name: string } }
  | { next_line: { over: boolean } }
  | { pause: { now: boolean } }
  | { stop: { save: boolean } }
  | { run_again: { mode?: Mode; to_node?: string } }
  | { set_mode: { mode: Mode } }
  | { set_watchpoints: { watchpoints: readonly Watchpoint[] } }
  | { recheck: object }
  | { view: { tensor: TensorName; previous: boolean; values: boolean } }
  | { set_learning_rate: { name: string; value: number } }
  | { set_lease: { length?: number; hold: boolean; at_end: Lease['at_end'] } }
  | { detach: object }
  | { recommend: { without: readonly number[] } }
  | { read_source: { file: string } }
  | { health: object }

/** A command that was refused or can no longer be answered. `code` is a key of the page's texts. */
export class CommandProblem extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** The position in an expression, from 0; null if unknown. */
    readonly at: number | null = null,
  ) {
    super(message)
    this.name = 'CommandProblem'
  }
}
