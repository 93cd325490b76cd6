/**
 * Which charts stand first while nobody has pinned any: the loss, then scores. Pure.
 * Tags come in the order of their names, which decides between equals: ten thousand are not compared again.
 */

const LOSS = /(^|[/_.\-\s])loss($|[/.\-\s]|_(?!scale))/i
const SCORE = /(^|[/_.\-\s])(acc(uracy)?|auc|f1|m?ap|bleu|score|reward)($|[/_.\-\s])/i

function lossRank(tag: string): number {
  if (tag.toLowerCase() === 'loss') return 0
  if (/^(train[^/]*\/)?loss([/_]auto|[/_]train)?$/i.test(tag)) return 1
  return LOSS.test(tag) ? 2 : 9
}

interface Ranked {
  tag: string
  rank: number
  /** Decides between equal ranks, before the place. */
  next: number
}

const inOrder = (a: Ranked, b: Ranked): number => a.rank - b.rank || a.next - b.next

/** The first `count` in order: of ten thousand tags a handful is wanted, so that they are not sorted. */
function firstOf(tags: readonly string[], count: number, rankOf: (tag: string) => number, nextOf: (tag: string) => number): string[] {
  const best: Ranked[] = []
  for (const tag of tags) {
    const one = { tag, rank: rankOf(tag), next: nextOf(tag) }
    if (best.length >= count && (count === 0 || inOrder(one, best[best.length - 1]) >= 0)) continue
    const at = best.findIndex((other) => inOrder(one, other) < 0)
    best.splice(at < 0 ? best.length : at, 0, one)
    best.length = Math.min(best.length, count)
  }
  return best.map(({ tag }) => tag)
}

/** The tag that deserves the large chart: the loss; without one the first tag. */
export function mainTag(tags: readonly string[]): string | undefined {
  return firstOf(tags, 1, lossRank, (tag) => tag.length)[0]
}

/** What is pinned while nobody has pinned anything: the loss, then scores, then further losses. */
export function standardPins(tags: readonly string[], count: number): string[] {
  const main = mainTag(tags)
  if (main === undefined) return []
  const rank = (tag: string): number => (SCORE.test(tag) ? 0 : LOSS.test(tag) ? 1 : 2)
  return [main, ...firstOf(tags, count - 1, (tag) => (tag === main ? Infinity : rank(tag)), () => 0).filter((tag) => tag !== main)]
}
