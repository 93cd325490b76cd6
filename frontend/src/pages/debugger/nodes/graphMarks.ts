/**
 * What stands out on the graph of a training, by the boxes that show it: where it stands, what was hit, what is
 * watched. Pure; used by its tab.
 */
import { boxPath, chainOf } from '../../../graphs/paths'
import type { Cause, Targets, Watching } from '../data/messages'
import type { StepHits } from '../data/session'
import type { Placed } from '../context'

/** The marks by priority, the highest first. */
export const MARKS = ['standing', 'producer', 'hit', 'abnormal', 'watched'] as const
export type Mark = (typeof MARKS)[number]
export const COLOURS: Record<Mark, string> = {
  standing: 'var(--accent)',
  producer: 'var(--err)',
  hit: 'var(--err)',
  abnormal: 'var(--warn)',
  watched: 'var(--control)',
}

/** `Default/conv*` as the training reads it: a star matches anything. */
function fits(pattern: string): (name: string) => boolean {
  const words = pattern.split('*').map((word) => word.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const whole = new RegExp(`^${words.join('.*')}$`)
  return (name) => whole.test(name)
}

export function watchedNames({ kinds, patterns, nodes }: Targets, all: Iterable<Placed>): Set<string> {
  const some = patterns.map(fits)
  const names = [...all].flatMap(({ node }) =>
    kinds.includes(node.kind) || some.some((fit) => fit(node.full_name)) ? [node.full_name] : [],
  )
  return new Set([...names, ...nodes])
}

export interface Live {
  /** The last executed node. */
  standing: string | null
  step: number
  hits: readonly StepHits[]
  cause: Cause | null
  watching: Watching | null
}

/** Full names of nodes by mark. */
export function markedNames(
  { standing, step, hits, cause, watching }: Live,
  all: readonly Placed[],
): Record<Mark, ReadonlySet<string>> {
  const chain = cause?.step === step ? cause.chain : []
  const named = (role: string): Set<string> =>
    new Set(chain.filter((link) => link.role === role).map((link) => link.tensor.full_name))
  return {
    standing: new Set(standing === null ? [] : [standing]),
    producer: named('PRODUCER'),
    hit: new Set(hits.filter((one) => one.step === step).flatMap((one) => one.hits.map((hit) => hit.tensor.full_name))),
    abnormal: named('ABNORMAL'),
    watched: new Set(
      watching?.watched
        .filter(({ watchpoint }) => watchpoint.enabled)
        .flatMap(({ watchpoint }) => [...watchedNames(watchpoint.targets, all)]),
    ),
  }
}

/** Boxes by mark; a closed box has the marks of its contents. */
export function markedBoxes(
  names: Record<Mark, ReadonlySet<string>>,
  places: Readonly<Record<string, string>>,
): Map<string, Mark> {
  const found = new Map<string, Mark>()
  for (const mark of MARKS) {
    for (const name of names[mark]) {
      const path = places[name]
      if (path !== undefined) for (const box of chainOf(path)) if (!found.has(box)) found.set(box, mark)
    }
  }
  return found
}

export const colouring =
  (boxes: ReadonlyMap<string, Mark>) =>
  (container: string, index: number): string | null => {
    const mark = boxes.get(boxPath(container, index))
    return mark === undefined ? null : COLOURS[mark]
  }
