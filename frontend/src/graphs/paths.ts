/**
 * Paths of boxes: indices from the root joined by ".", with "#i" for an instance of a stack, as in "2.0#3.5"; "" is the
 * root. A box's own path ends with its index ("2.0"). The path of the inside of a stack has the instance ("2.0#3");
 * that of an unrolled stack ends with "#*". Pure functions; used by the canvas and by the page around it.
 */

const INSTANCE = /#(\d+|\*)$/
const PATH = /^\d+(#\d+)?(\.\d+(#\d+)?)*(#\*)?$/

/** The path of a box inside a container, whose path includes its instance. */
export function boxPath(container: string, index: number): string {
  return container ? `${container}.${index}` : String(index)
}

export function instancePath(stack: string, instance: number): string {
  return `${stack}#${instance}`
}

/** Whether a text can be a path. */
export const isPath = (text: string): boolean => text === '' || PATH.test(text)

/** The box of a path: for a stack its own path, without the open instance. */
export const boxOf = (path: string): string => path.replace(INSTANCE, '')

/** The instance in a path; null for none. */
export function instanceOf(path: string): number | null {
  const found = INSTANCE.exec(path)
  return found && found[1] !== '*' ? Number(found[1]) : null
}

/** The number of a box in its container. */
export const indexOf = (path: string): number => Number(boxOf(path).slice(path.lastIndexOf('.') + 1))

/** The path under which the inside of an open container is requested: for an unrolled stack, the stack's own. */
export const insideOf = (path: string): string => (path.endsWith('#*') ? boxOf(path) : path)

/** The path without the instance at its end, and that instance. */
export function splitInstance(path: string): { box: string; instance: number | null } {
  const instance = instanceOf(path)
  return { box: instance === null ? path : boxOf(path), instance }
}

/** The inside that contains a box, including the instance of a stack: `2.0#3` for `2.0#3.5`, the root for `2`. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')))

/** The insides around a box from the outside in, without the root: `2`, `2.0#3` for `2.0#3.5`. */
export function containersOf(path: string): string[] {
  const all: string[] = []
  for (let at = parentOf(path); at !== ''; at = parentOf(at)) all.unshift(at)
  return all
}

/** The container of a box: for an instance, its stack; null for the root. */
export function containerOf(path: string): string | null {
  if (!path) return null
  const at = Math.max(path.lastIndexOf('.'), path.lastIndexOf('#'))
  return at < 0 ? '' : path.slice(0, at)
}

/** All boxes and instances around a path from the outside in, including itself, without the root. */
export function chainOf(path: string): string[] {
  const chain: string[] = []
  for (let at: string | null = path; at; at = containerOf(at)) chain.unshift(at)
  return chain
}

/** Whether a path is another one or inside it. */
export function isWithin(path: string, outer: string): boolean {
  return (
    outer === '' ||
    path === outer ||
    (path.startsWith(outer) && (path[outer.length] === '.' || path[outer.length] === '#'))
  )
}
