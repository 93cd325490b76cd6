/**
 * Which charts stand first while nobody has pinned any: the loss, then scores. Pure.
 * Tags come in the order of their names, which decides between equals: ten thousand are not compared again.
 */

const LOSS = /(^|[/_.\-\s])loss($|[/.\-\s]|_(?!scale))/i
const SCORE = /(^|[/_.\-\s])(acc(uracy)?|auc|f1|m?ap|bleu|score|reward)($|[/_.\-\s])/i
/** No tag has it in its name. */
const BETWEEN = '\0'
/** Where one of the patterns may fit, and the rest of that name. */
const LIKELY = new RegExp(`(?:loss|acc|auc|f1|ap|bleu|score|reward)[^${BETWEEN}]*`, 'gi')
/** Of a tag that is no loss. */
const LAST = 2

/** The training's own loss comes before others. Of its names `loss` is the shortest, so it comes first. */
function lossRank(tag: string): number {
  if (/^(train[^/]*\/)?loss([/_]auto|[/_]train)?$/i.test(tag)) return 0
  return LOSS.test(tag) ? 1 : LAST
}

/** The tags that may count, in their order: one pass through all names is quicker than ten thousand questions. */
function likely(tags: readonly string[]): string[] {
  const all = tags.join(BETWEEN)
  return [...all.matchAll(LIKELY)].map(({ index, 0: rest }) =>
    all.slice(all.lastIndexOf(BETWEEN, index) + 1, index + rest.length),
  )
}

function lossOf(tags: readonly string[]): string | undefined {
  const losses = tags.map((tag) => ({ tag, rank: lossRank(tag) })).filter(({ rank }) => rank < LAST)
  return losses.sort((a, b) => a.rank - b.rank || a.tag.length - b.tag.length)[0]?.tag
}

function shortest(tags: readonly string[]): string | undefined {
  let [best] = tags
  for (const tag of tags) if (tag.length < best.length) best = tag
  return best
}

/** The tag that deserves the large chart: the loss; without one the first of the shortest names. */
export const mainTag = (tags: readonly string[]): string | undefined => lossOf(likely(tags)) ?? shortest(tags)

/**
 * What is pinned while nobody has pinned anything: the loss, then scores, then further losses, then whatever comes
 * first.
 */
export function standardPins(tags: readonly string[], count: number): string[] {
  const candidates = likely(tags)
  const main = lossOf(candidates) ?? shortest(tags)
  if (main === undefined) return []
  const scores = candidates.filter((tag) => SCORE.test(tag))
  const losses = candidates.filter((tag) => !SCORE.test(tag) && LOSS.test(tag))
  const chosen = new Set([main])
  for (const tag of [...scores, ...losses, ...tags.slice(0, count)]) {
    if (chosen.size >= count) break
    chosen.add(tag)
  }
  return [...chosen]
}
