/**
 * Paths of boxes: indices from the root joined by dots, `#i` for the instance of a stack (`2.0#3.5`); the empty text is the
 * root, `#*` at the end an unrolled stack. Pure functions; used by the page's parts.
 */

const INSTANCE = /#(\d+|\*)$/
const BOX = /^\d+(#\d+)?(\.\d+(#\d+)?)*(#\*)?$/

/** Whether a text may be a path. */
export const isPath = (text: string): boolean => text === '' || BOX.test(text)

/** The container that a box lies in: `2.0#3` of `2.0#3.5`, the root of `2`. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')))

/** The box of a container: a stack's own path, without the instance that is open. */
export const boxOf = (path: string): string => path.replace(INSTANCE, '')

/** The path under which the inside of an open container is asked for: an unrolled stack's is the stack's own. */
export const insideOf = (path: string): string => (path.endsWith('#*') ? boxOf(path) : path)

/** The instance that a path names, null for none. */
export function instanceOf(path: string): number | null {
  const found = INSTANCE.exec(path)
  return found && found[1] !== '*' ? Number(found[1]) : null
}

/** The number of a box in its container. */
export const indexOf = (path: string): number => Number(boxOf(path).slice(path.lastIndexOf('.') + 1))

/** The containers around a box from the outside in, without the root: `2`, `2.0#3` of `2.0#3.5`. */
export function containersOf(path: string): string[] {
  const all: string[] = []
  for (let at = parentOf(path); at !== ''; at = parentOf(at)) all.unshift(at)
  return all
}

/** Whether a container is, or holds, a place. */
const holds = (container: string, path: string): boolean => path === container || path.startsWith(`${container}.`)

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
  open.filter((path) => !open.some((other) => other !== path && holds(path, other))).sort()

/** Open containers after one was opened in place of another instance of it. */
export function opened(open: readonly string[], path: string): string[] {
  return withContainers([...closed(open, boxOf(path), path), path])
}

/** Open containers after a box was closed with all that is in it; `except` an instance that stays. */
export function closed(open: readonly string[], box: string, except?: string): string[] {
  return open.filter((path) => (except !== undefined && holds(except, path)) || !(holds(box, path) || path.startsWith(`${box}#`)))
}
