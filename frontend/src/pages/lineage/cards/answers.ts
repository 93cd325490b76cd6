/**
 * Results that the server computes for the runs found: answers of `/api/lineage/importance` and `gap`
 * (mindinsight/lineage/api.md).
 */
import type { components } from '../../../data/schema'

type Schemas = components['schemas']

export type ImportanceResult = Schemas['Importance']
export type Interaction = Schemas['Interaction']
/** The modelled effect of one parameter, with the others as they are in the runs. */
export type Effect = Schemas['Effect']
export type Notice = Schemas['Notice']
export type Gap = Schemas['Gap']
/** The modelled effect of a change on the target. */
export type Change = Schemas['Together']
export type Worked<T> = Omit<Schemas['ImportanceAnswer'], 'result'> & {
  /** While the work runs, the result for older values, if there is one. */
  result: T | null
}
