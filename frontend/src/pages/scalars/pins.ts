/** Which charts stand first while nobody has pinned any: the loss, then scores. Pure. */
import { byName } from '../../components/tagNames'

const LOSS = /(^|[/_.\-\s])loss($|[/.\-\s]|_(?!scale))/i
const SCORE = /(^|[/_.\-\s])(acc(uracy)?|auc|f1|m?ap|bleu|score|reward)($|[/_.\-\s])/i

function lossRank(tag: string): number {
  if (tag.toLowerCase() === 'loss') return 0
  if (/^(train[^/]*\/)?loss([/_]auto|[/_]train)?$/i.test(tag)) return 1
  return LOSS.test(tag) ? 2 : 9
}

/** The tag that deserves the large chart: the loss; without one the first tag. */
export function mainTag(tags: readonly string[]): string | undefined {
  return [...tags].sort((a, b) => lossRank(a) - lossRank(b) || a.length - b.length || byName(a, b))[0]
}

/** What is pinned while nobody has pinned anything: the loss, then scores, then further losses. */
export function standardPins(tags: readonly string[], count: number): string[] {
  const main = mainTag(tags)
  if (main === undefined) return []
  const rank = (tag: string): number => (SCORE.test(tag) ? 0 : LOSS.test(tag) ? 1 : 2)
  const others = tags.filter((tag) => tag !== main).sort((a, b) => rank(a) - rank(b) || byName(a, b))
  return [main, ...others.slice(0, count - 1)]
}
