/**
 * What the server works out about the runs found, as `/api/lineage/importance` and `gap` answer it
 * (mindinsight/lineage/api.md).
 */
import type { components } from '../../../data/schema'

type Schemas = components['schemas']

export type ImportanceResult = Schemas['Importance']
export type Interaction = Schemas['Interaction']
/** What a fitted model says of one parameter, the others as they are in the runs. */
export type Effect = Schemas['Effect']
export type Notice = Schemas['Notice']
export type Gap = Schemas['Gap']
/** What changing something would do to the target, as the model says. */
export type Change = Schemas['Together']
export type Worked<T> = Omit<Schemas['ImportanceAnswer'], 'result'> & {
  /** While work goes on that of older values, where there is one. */
  result: T | null
}
