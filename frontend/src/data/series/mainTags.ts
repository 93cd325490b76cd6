/**
 * Chooses the first charts while the user has pinned none: the loss, then scores. Pure. Tags are sorted by name, which
 * decides between equals, so ten thousand are not compared again.
 */

const LOSS = /(^|[/_.\-\s])loss($|[/.\-\s]|_(?!scale))/i
const SCORE = /(^|[/_.\-\s])(acc(uracy)?|auc|f1|m?ap|bleu|score|reward)($|[/_.\-\s])/i
/** No tag has this in its name. */
const BETWEEN = '\0'
/** A position where one of the patterns may match, and the rest of that name. */
const LIKELY = new RegExp(`(?:loss|acc|auc|f1|ap|bleu|score|reward)[^${BETWEEN}]*`, 'gi')
/** Rank of a tag that is not a loss. */
const LAST = 2

/** The training's own loss comes before others. Its shortest name is `loss`, so it comes first. */
function lossRank(tag: string): number {
  if (/^(train[^/]*\/)?loss([/_]auto|[/_]train)?$/i.test(tag)) return 0
  return LOSS.test(tag) ? 1 : LAST
}

/** What TensorBoard's add_hparams writes: metrics of a whole run, which describe no course. */
const isHparam = (tag: string): boolean => tag.startsWith('hparam/')

/** The candidate tags in order. One pass through all names is faster than ten thousand checks. */
function likely(tags: readonly string[]): string[] {
  const all = tags.join(BETWEEN)
  return [...all.matchAll(LIKELY)].map(({ index, 0: rest }) =>
    all.slice(all.lastIndexOf(BETWEEN, index) + 1, index + rest.length),
  )
}

/** The number of shown runs that recorded a tag. */
type RunsOf = (tag: string) => number
const AS_MANY: RunsOf = () => 1

function lossOf(tags: readonly string[], runsOf: RunsOf): string | undefined {
  const losses = tags.map((tag) => ({ tag, rank: lossRank(tag) })).filter(({ rank }) => rank < LAST)
  const fewer = (a: string, b: string): number => runsOf(b) - runsOf(a)
  return losses.sort((a, b) => a.rank - b.rank || fewer(a.tag, b.tag) || a.tag.length - b.tag.length)[0]?.tag
}

function shortest(tags: readonly string[]): string | undefined {
  let [best] = tags
  for (const tag of tags) if (tag.length < best.length) best = tag
  return best
}

/**
 * The tag of the large chart: the loss that most runs recorded, or without a loss the first of the shortest names.
 * @param runsOf the number of runs of a tag; if absent, all count the same
 */
export function mainTag(all: readonly string[], runsOf: RunsOf = AS_MANY): string | undefined {
  const tags = all.filter((tag) => !isHparam(tag))
  return lossOf(likely(tags), runsOf) ?? shortest(tags)
}

/**
 * The default pins: the loss, then scores, then further losses, then whatever comes first. Among scores and among
 * losses, those of most runs come first.
 * @param runsOf the number of runs of a tag; if absent, all count the same
 */
export function standardPins(all: readonly string[], count: number, runsOf: RunsOf = AS_MANY): string[] {
  const tags = all.filter((tag) => !isHparam(tag))
  const candidates = likely(tags)
  const main = lossOf(candidates, runsOf) ?? shortest(tags)
  if (main === undefined) return []
  const byRuns = (found: string[]): string[] => found.sort((a, b) => runsOf(b) - runsOf(a))
  const scores = byRuns(candidates.filter((tag) => SCORE.test(tag)))
  const losses = byRuns(candidates.filter((tag) => !SCORE.test(tag) && LOSS.test(tag)))
  const chosen = new Set([main])
  for (const tag of [...scores, ...losses, ...tags.slice(0, count)]) {
    if (chosen.size >= count) break
    chosen.add(tag)
  }
  return [...chosen]
}
