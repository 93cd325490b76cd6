/**
 * How names of runs are shortened, by one rule for all pages. The folder that all runs share is said once and left out
 * of the names. Of the rest, what all names begin or end with is cut first, then the middle of what differs.
 */

export interface NameCut {
  /** The folder of all runs, with a slash at its end; empty if they share none. */
  folder: string
  /** What the rests of all names begin and end with, in whole words. */
  start: string
  end: string
}
export const NO_CUT: NameCut = { folder: '', start: '', end: '' }

/** A name in parts: `start` and `end` are cut first, then `head`. `tail` is cut last. */
export interface NameParts {
  start: string
  head: string
  tail: string
  end: string
}

/** A name up to this length has no part that is kept longer than the rest of it. */
const SHORT = 12
const LONGEST_TAIL = 14
/** The last part of a path is kept whole up to this length. */
const LONGEST_LAST = 20
const BETWEEN_WORDS = /[/_\-.,=+: ]/

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a[at] === b[at]) at++
  return at
}
function commonEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a[a.length - 1 - at] === b[b.length - 1 - at]) at++
  return at
}

/** The text that all names begin with, up to a letter after which a part may end. */
function sharedStart(names: readonly string[], mayEnd: (letter: string) => boolean): string {
  let length = names[0].length
  for (const name of names) length = Math.min(length, commonStart(names[0], name))
  while (length > 0 && !mayEnd(names[0][length - 1])) length--
  return names[0].slice(0, length)
}
function sharedEnd(names: readonly string[]): string {
  let length = Math.min(...names.map((name) => name.length - 1))
  for (const name of names) length = Math.min(length, commonEnd(names[0], name))
  while (length > 0 && !BETWEEN_WORDS.test(names[0][names[0].length - length])) length--
  return length > 0 ? names[0].slice(-length) : ''
}

/** How the names of these runs are shortened. One name alone has nothing to share. */
export function nameCut(names: readonly string[]): NameCut {
  if (names.length < 2) return NO_CUT
  const folder = sharedStart(names, (letter) => letter === '/')
  const rests = names.map((name) => name.slice(folder.length))
  const start = sharedStart(rests, (letter) => BETWEEN_WORDS.test(letter))
  return { folder, start, end: sharedEnd(rests.map((rest) => rest.slice(start.length))) }
}

/** A name without the folder that all runs share. */
export function shortName(name: string, { folder }: NameCut): string {
  return folder && name.length > folder.length && name.startsWith(folder) ? name.slice(folder.length) : name
}

export function nameParts(name: string, cut: NameCut): NameParts {
  const rest = shortName(name, cut)
  const common = rest.length > cut.start.length + cut.end.length
  const start = common && rest.startsWith(cut.start) ? cut.start : ''
  const end = common && rest.endsWith(cut.end) ? cut.end : ''
  const telling = rest.slice(start.length, rest.length - end.length)
  const last = telling.length - telling.lastIndexOf('/') - 1
  const half = Math.min(LONGEST_TAIL, Math.ceil(telling.length / 2))
  const kept = last < telling.length && last > half && last <= LONGEST_LAST ? last : half
  const at = telling.length > SHORT ? telling.length - kept : telling.length
  return { start, head: telling.slice(0, at), tail: telling.slice(at), end }
}
