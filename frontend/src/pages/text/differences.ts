/** Differences between two texts: by words, or by lines if they are long. Called by DifferenceView.vue. */
import type { ChangeObject } from 'diff'

export interface Part {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** Up to this total length in characters, words are compared. */
const WORDS_UP_TO = 60_000
/** A comparison that takes longer is replaced by a coarser one. */
const MILLISECONDS = 1500

const partOf = ({ value, added, removed }: ChangeObject<string>): Part => ({
  kind: added ? 'added' : removed ? 'removed' : 'same',
  text: value,
})

/** @returns the parts of both texts in order */
export async function differences(before: string, after: string): Promise<Part[]> {
  if (before === after) return before ? [{ kind: 'same', text: before }] : []
  const { diffLines, diffWordsWithSpace } = await import('diff')
  const fine =
    before.length + after.length <= WORDS_UP_TO
      ? diffWordsWithSpace(before, after, { timeout: MILLISECONDS })
      : undefined
  const found = fine ?? diffLines(before, after, { timeout: MILLISECONDS })
  if (found) return found.map(partOf)
  const whole: Part[] = [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ]
  return whole.filter(({ text }) => text)
}

/** The visible parts of a long unchanged stretch: its two ends, and the number of characters left out between them. */
export function folded(text: string, edge: number): { head: string; left: number; tail: string } | null {
  const left = text.length - 2 * edge
  return left > edge ? { head: text.slice(0, edge), left, tail: text.slice(-edge) } : null
}
