/**
 * Sets of open boxes by path: with all ancestors, innermost only, after opening or closing one. Pure; used by the
 * page's parts.
 */
import { boxOf, containersOf, isWithin } from '../../graphs/paths'

/** Open containers with their ancestors, without duplicates; one instance of a stack. */
export function withContainers(open: readonly string[]): string[] {
  const all = new Map<string, string>()
  const unrolled = new Set(open.filter((path) => path.endsWith('#*')).map(boxOf))
  // The instances of an unrolled stack open and close separately.
  const keyOf = (path: string): string => (unrolled.has(boxOf(path)) ? path : boxOf(path))
  for (const path of open) for (const one of [...containersOf(path), path]) if (one) all.set(keyOf(one), one)
  // When another instance replaces this one, the containers inside it close too.
  const kept = new Set(all.values())
  return [...kept].filter((path) => containersOf(path).every((one) => kept.has(one)))
}

/** The shortest equivalent list: the innermost paths. */
export const innermost = (open: readonly string[]): string[] =>
  open.filter((path) => !open.some((other) => other !== path && isWithin(other, path))).sort()

/** Open containers after one box was opened in place of another instance. */
export function opened(open: readonly string[], path: string): string[] {
  return withContainers([...closed(open, boxOf(path), path), path])
}

/** Open containers after a box and everything in it was closed; `except` is an instance that stays open. */
export function closed(open: readonly string[], box: string, except?: string): string[] {
  return open.filter((path) => (except !== undefined && isWithin(path, except)) || !isWithin(path, box))
}
