/**
 * The open boxes as a tree of insides, and the layout of each from the sizes of its content. Called by scene.ts.
 */
import { INPUT, OUTPUT, type Inside, type InsideBox, type InsideEdge, type StackInstance } from '../inside'
import type { LayoutInput, LayoutOutput } from '../layout/types'
import { boxPath, instancePath } from '../paths'
import { contract, type Contraction } from './contract'
import { BOX, footprintOf, headerWidth, type BoxWords, type Footprint } from './measure'

/** The open state of a box: the shown instance of a stack, or all instances. */
export interface OpenState {
  instance: number
  all: boolean
}

/** A shown inside, and its open boxes. */
export interface Shown {
  /** Path of the inside; for an unrolled stack, the path of the stack. */
  path: string
  template: string
  boxes: readonly InsideBox[]
  edges: readonly InsideEdge[]
  /** Paths of the boxes. */
  paths: readonly string[]
  /** By place in `boxes`. */
  kids: ReadonlyMap<number, Shown>
  /** Of an unrolled stack: its instances. */
  instances: readonly StackInstance[] | null
}

/** The inside of an unrolled stack: its instances, with edges from those that each reads. */
function unrolled(
  path: string,
  stack: InsideBox,
  template: string,
  instances: readonly StackInstance[],
): Omit<Shown, 'kids'> {
  const boxes = instances.map(({ instance, name, status, changes }): InsideBox => ({
    ...stack,
    index: instance,
    kind: 'one',
    name,
    count: 1,
    operators: Math.round(stack.operators / Math.max(1, stack.count)),
    variants: [],
    proxies: [],
    status,
    changes,
  }))
  const link = (source: number, target: number): InsideEdge => ({
    source,
    target,
    count: 1,
    kind: 'data',
    type: stack.type,
    types: 1,
    bytes: null,
    phase: null,
    status: null,
  })
  const read = new Set(instances.flatMap(({ reads }) => reads))
  const edges = instances.flatMap(({ instance, reads }) => [
    ...(reads.length ? reads.map((source) => link(source, instance)) : [link(INPUT, instance)]),
    ...(read.has(instance) ? [] : [link(instance, OUTPUT)]),
  ])
  return {
    path,
    template: `${template}/${stack.index}/all`,
    boxes,
    edges,
    paths: boxes.map(({ index }) => instancePath(path, index)),
    instances,
  }
}

/** The path under which the inside of an open box is loaded. */
export function insidePath(path: string, box: InsideBox, state: OpenState): string {
  return box.kind === 'stack' && !state.all ? instancePath(path, state.instance) : path
}

/**
 * The tree of shown insides. An open box whose inside is not known yet is shown closed.
 * @param insides known ones by path
 * @param phases boxes of other phases are left out; null for all
 * @param contraction boxes that compute nothing are removed; null for none
 */
export function buildTree(
  insides: ReadonlyMap<string, Inside>,
  states: ReadonlyMap<string, OpenState>,
  phases: ReadonlySet<string> | null = null,
  contraction: Contraction | null = null,
): Shown | null {
  const root = insides.get('')
  if (!root) return null
  const withKids = (made: Omit<Shown, 'kids'>): Shown => {
    const kids = new Map<number, Shown>()
    made.boxes.forEach((box, at) => {
      const kid = kidOf(made, box, made.paths[at])
      if (kid) kids.set(at, kid)
    })
    return { ...made, kids }
  }
  const kidOf = (parent: Omit<Shown, 'kids'>, box: InsideBox, path: string): Shown | null => {
    const state = states.get(path)
    if (!state) return null
    const at = insidePath(path, box, state)
    const inside = insides.get(at)
    if (!inside) return null
    if (state.all) return withKids(unrolled(path, box, parent.template, inside.instances ?? []))
    return withKids(shownOf(at, inside, phases, contraction))
  }
  return withKids(shownOf('', root, phases, contraction))
}

function shownOf(
  path: string,
  inside: Inside,
  phases: ReadonlySet<string> | null,
  contraction: Contraction | null,
): Omit<Shown, 'kids'> {
  const boxes = phases ? inside.boxes.filter(({ phase }) => phases.has(phase)) : inside.boxes
  const known = new Set([INPUT, OUTPUT, ...boxes.map(({ index }) => index)])
  // An edge to a hidden phase would end at the container's port.
  const edges = phases
    ? inside.edges.filter(
        ({ source, target, phase }) => known.has(source) && known.has(target) && (phase === null || phases.has(phase)),
      )
    : inside.edges
  const pathsOf = (all: readonly InsideBox[]): string[] => all.map(({ index }) => boxPath(path, index))
  const left = contraction ? contract({ boxes, edges }, pathsOf(boxes), contraction) : { boxes, edges }
  return { path, template: inside.template, ...left, paths: pathsOf(left.boxes), instances: null }
}

/** The number of shown boxes. */
export function countBoxes(shown: Shown): number {
  return shown.boxes.length + [...shown.kids.values()].reduce((sum, kid) => sum + countBoxes(kid), 0)
}

/** A laid out inside. */
export interface Arranged {
  shown: Shown
  layout: LayoutOutput
  feet: readonly Footprint[]
  kids: ReadonlyMap<number, Arranged>
  /** Indices of the ports in the layout, or -1. */
  first: number
  last: number
}

/** Position of the inside in the container's body, and size of the body. */
export function bodyOf(
  box: InsideBox,
  kid: Arranged,
  words: BoxWords,
): { width: number; height: number; dx: number; dy: number } {
  const width = Math.round(Math.max(kid.layout.width + 2 * BOX.padding, headerWidth(box, words)))
  const height = Math.round(BOX.header + 14 + kid.layout.height + (kid.last >= 0 ? 0 : BOX.padding))
  return { width, height, dx: Math.round((width - kid.layout.width) / 2), dy: BOX.header + 14 }
}

/** The input of an inside's layout: its boxes with sizes, followed by its ports. */
export function layoutInput(
  shown: Shown,
  kids: ReadonlyMap<number, Arranged>,
  words: BoxWords,
): { input: LayoutInput; feet: Footprint[]; first: number; last: number } {
  const hasInput = shown.edges.some(({ source }) => source === INPUT)
  const hasOutput = shown.edges.some(({ target }) => target === OUTPUT)
  const count = shown.boxes.length
  const first = hasInput ? count : -1
  const last = hasOutput ? count + Number(hasInput) : -1
  const total = count + Number(hasInput) + Number(hasOutput)
  const make = (): Float32Array => new Float32Array(total)
  const [width, height, inAt, outAt, spread] = [make(), make(), make(), make(), make()]
  const feet = shown.boxes.map((box, at) => {
    const kid = kids.get(at)
    const foot = footprintOf(box, words)
    if (kid) {
      const body = bodyOf(box, kid, words)
      foot.width += body.width - foot.bodyWidth
      foot.height += body.height - foot.bodyHeight
      foot.bodyWidth = body.width
      foot.bodyHeight = body.height
    }
    const middle = foot.left + foot.bodyWidth / 2 - foot.width / 2
    const port = (index: number): number =>
      kid && index >= 0 ? portAt(box, kid, index, words) - foot.bodyWidth / 2 : 0
    width[at] = foot.width
    height[at] = foot.height
    inAt[at] = middle + port(kid?.first ?? -1)
    outAt[at] = middle + port(kid?.last ?? -1)
    spread[at] = kid ? 24 : Math.max(0, Math.min(40, foot.bodyWidth / 2 - 14))
    return foot
  })
  if (first >= 0) width[first] = height[first] = BOX.port
  const place = new Map(shown.boxes.map(({ index }, at) => [index, at]))
  place.set(INPUT, first)
  place.set(OUTPUT, last)
  const end = (index: number): number => place.get(index) ?? 0
  return {
    input: {
      width,
      height,
      inAt,
      outAt,
      spread,
      first,
      last,
      source: Int32Array.from(shown.edges, ({ source }) => end(source)),
      target: Int32Array.from(shown.edges, ({ target }) => end(target)),
    },
    feet,
    first,
    last,
  }
}

/** Horizontal position of a port in the body of its container. */
function portAt(box: InsideBox, kid: Arranged, index: number, words: BoxWords): number {
  const width = index === kid.first ? BOX.port : 0
  return bodyOf(box, kid, words).dx + kid.layout.x[index] + width / 2
}

/** Key of a layout: the same template with boxes of the same sizes is laid out once. */
export function layoutKey(template: string, { width, height, inAt, outAt, source, target }: LayoutInput): string {
  let digest = 2_166_136_261
  for (const values of [width, height, inAt, outAt, source, target]) {
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length)
    for (const value of bits) digest = Math.imul(digest ^ value, 16_777_619) ^ (digest >>> 13)
  }
  return `${template}|${width.length}|${digest >>> 0}`
}
