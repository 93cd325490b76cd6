/**
 * The calls that led to a line, innermost first: which of them are the user's, and what is folded. Pure; used by the
 * card of the source and wherever a line is named.
 */
import type { Line } from '../data/messages'

export interface Call {
  /** The path of the file. */
  path: string
  line: number
  function: string
  /** Whether the file belongs to a library, to the framework or to Python itself. */
  isLibrary: boolean
}

/** The calls of known lines. */
export const callsOf = (
  lines: readonly (Line | null)[],
  files: readonly string[],
  libraries: readonly number[],
): Call[] =>
  lines.flatMap((one) => {
    const path = one && one.line > 0 ? (files[one.file] ?? '') : ''
    return one && path
      ? [{ path, line: one.line, function: one.function, isLibrary: libraries.includes(one.file) }]
      : []
  })

/** The innermost line of the user; the innermost one of all if none is the user's. */
export const ownCall = (calls: readonly Call[]): Call | null => calls.find((one) => !one.isLibrary) ?? calls[0] ?? null

export const fileName = (path: string): string => path.split('/').at(-1) ?? path

/** `loss.py:42`, or an empty text. */
export const placeText = (call: Call | null): string => (call ? `${fileName(call.path)}:${call.line}` : '')

/** The user's calls one by one, those of libraries between them together. */
export function folded(calls: readonly Call[]): (readonly Call[])[] {
  const groups: Call[][] = []
  for (const call of calls) {
    const last = groups.at(-1)
    if (call.isLibrary && last?.[0].isLibrary) last.push(call)
    else groups.push([call])
  }
  return groups
}
