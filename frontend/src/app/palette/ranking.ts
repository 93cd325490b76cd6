/** Finds the commands that match the typed text, the best first. Pure; called by the command palette. */

export interface Ranked {
  /** The searched texts. */
  title: string
  /** Other names of it, in small letters. They match from their start. */
  aliases?: readonly string[]
}

const SHORTEST_ALIAS = 3
const ALIAS_SCORE = 4

/** How well a query matches the other names; 0 if none of them starts with it. */
function aliasScore(query: string, aliases: readonly string[] = []): number {
  const low = query.trim().toLowerCase()
  return low.length >= SHORTEST_ALIAS && aliases.some((alias) => alias.startsWith(low)) ? ALIAS_SCORE : 0
}

const START = /[\s/_.\-:]/

/** How well one word matches a text: 0 for no match, more for a match at the start of the text or of a word. */
function wordScore(word: string, text: string): number {
  const at = text.indexOf(word)
  if (at === 0) return word.length === text.length ? 6 : 5
  if (at > 0) return START.test(text[at - 1]) || hasStart(word, text) ? 4 : 3
  return word.length > 2 && inOrder(word, text) ? 1 : 0
}

function hasStart(word: string, text: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at > 0 && START.test(text[at - 1])) return true
  return false
}

/** Whether all letters occur, in this order: `gacc` in `grad_accum`. */
function inOrder(word: string, text: string): boolean {
  let at = -1
  for (const letter of word) {
    at = text.indexOf(letter, at + 1)
    if (at < 0) return false
  }
  return true
}

/** How well a query matches a text; 0 if one of its words does not match. */
export function score(query: string, text: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const low = text.toLowerCase()
  let sum = 0
  for (const word of words) {
    const found = wordScore(word, low)
    if (found === 0) return 0
    sum += found
  }
  // Among equals the shorter text wins, because the query covers more of it.
  return words.length ? sum / words.length + 1 / (2 + text.length) : 0
}

export interface Best<T> {
  found: T[]
  /** The number of further matches. */
  more: number
  /** The score of the first match; 0 if there is none. */
  top: number
}

/** The best `most` matches, in order. Equal ones keep their order. */
export function best<T extends Ranked>(query: string, all: readonly T[], most: number): Best<T> {
  const fitting: { one: T; points: number }[] = []
  for (const one of all) {
    const points = Math.max(score(query, one.title), aliasScore(query, one.aliases))
    if (points > 0) fitting.push({ one, points })
  }
  fitting.sort((a, b) => b.points - a.points)
  return {
    found: fitting.slice(0, most).map(({ one }) => one),
    more: Math.max(0, fitting.length - most),
    top: fitting[0]?.points ?? 0,
  }
}
