/**
 * Paths of boxes: indices from the root joined by ".", with "#i" for an instance of a stack, as in "2.0#3.5"; "" is the root.
 * A box's own path ends in its index ("2.0"); the path of what is inside of a stack names the instance ("2.0#3").
 */

/** The path of a box inside of a container, whose path names its instance. */
export function boxPath(container: string, index: number): string {
  return container ? `${container}.${index}` : String(index)
}

export function instancePath(stack: string, instance: number): string {
  return `${stack}#${instance}`
}

/** The path without the instance at its end, and that instance. */
export function splitInstance(path: string): { box: string; instance: number | null } {
  const found = /^(.*)#(\d+)$/.exec(path)
  return found ? { box: found[1], instance: Number(found[2]) } : { box: path, instance: null }
}

/** The container that a box is in: of an instance, that is its stack; null for the root. */
export function containerOf(path: string): string | null {
  if (!path) return null
  const at = Math.max(path.lastIndexOf('.'), path.lastIndexOf('#'))
  return at < 0 ? '' : path.slice(0, at)
}

/** All boxes and instances around a path from the outside in, itself at the end; the root is not among them. */
export function chainOf(path: string): string[] {
  const chain: string[] = []
  for (let at: string | null = path; at; at = containerOf(at)) chain.unshift(at)
  return chain
}

/** Whether a path is another one or lies in it. */
export function isWithin(path: string, outer: string): boolean {
  return outer === '' || path === outer || (path.startsWith(outer) && (path[outer.length] === '.' || path[outer.length] === '#'))
}
