/**
 * Rows of sessions and of tensors that came, as the dashboard tells them (mindinsight/debugger/api.md). Read by the
 * store; shown by the list, the rail and charts.
 */
import { tensorName } from './messages'
import { flag, list, maybe, message, number, text, word, type Of, type Reader } from './wire'

const optional =
  <T>(of: Reader<T>): Reader<T | null> =>
  (value) =>
    value === null || value === undefined ? null : of(value)

const ended = message({ reason: text, at: number })
export const STANDINGS = ['starting', 'running', 'paused', 'ended', 'lost'] as const
export type Standing = (typeof STANDINGS)[number]

export const sessionRow = message({
  id: text,
  number,
  run: optional(text),
  run_name: optional(text),
  name: text,
  host: text,
  pid: number,
  device: text,
  mode: text,
  status: word(...STANDINGS),
  step: number,
  started: number,
  seen: number,
  connected: flag,
  viewers: number,
  controller: optional(text),
  ended: maybe(ended),
  message: text,
})
export type SessionRow = Of<typeof sessionRow>
export const sessionRows = list(sessionRow)

export const tensorRow = message({
  number,
  session: text,
  tensor: tensorName,
  step: number,
  previous: flag,
  state: word('asked', 'arriving', 'ready', 'failed', 'gone'),
  dtype: optional(text),
  shape: optional(list(number)),
  bytes: optional(number),
  received: number,
  problem: text,
  message: text,
})
export type TensorRow = Of<typeof tensorRow>

/** The displayed name of a session: its run or its program. */
export const titleOf = ({ run_name, name, id }: SessionRow): string => run_name || name || id
