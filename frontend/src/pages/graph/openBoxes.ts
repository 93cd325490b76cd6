/**
 * Which boxes are open, as sets of paths: with all around them, the innermost only, after one opened or closed. Pure;
 * used by the page's parts.
 */
import { boxOf, containersOf, isWithin } from '../../graphs/paths'

/** Open containers with those around them, each once, one instance of a stack. */
export function withContainers(open: readonly string[]): string[] {
  const all = new Map<string, string>()
  const unrolled = new Set(open.filter((path) => path.endsWith('#*')).map(boxOf))
  // The instances of an unrolled stack are open or closed one by one.
  const keyOf = (path: string): string => (unrolled.has(boxOf(path)) ? path : boxOf(path))
  for (const path of open) for (const one of [...containersOf(path), path]) if (one) all.set(keyOf(one), one)
  // A container in an instance that another one took the place of is gone with it.
  const kept = new Set(all.values())
  return [...kept].filter((path) => containersOf(path).every((one) => kept.has(one)))
}

/** The fewest paths that say the same: the innermost ones. */
export const innermost = (open: readonly string[]): string[] =>
  open.filter((path) => !open.some((other) => other !== path && isWithin(other, path))).sort()

/** Open containers after one was opened in place of another instance of it. */
export function opened(open: readonly string[], path: string): string[] {
  return withContainers([...closed(open, boxOf(path), path), path])
}

/** Open containers after a box was closed with all that is in it; `except` an instance that stays. */
export function closed(open: readonly string[], box: string, except?: string): string[] {
  return open.filter((path) => (except !== undefined && isWithin(path, except)) || !isWithin(path, box))
}
