/**
 * The open boxes of a graph, their insides and all positions. Opening a box only lays out its container and those
 * around it. Made by GraphCanvas.vue; independent of canvases.
 */
import type { Inside, InsideBox } from '../inside'
import type { LayoutEngine } from '../layout/engine'
import type { LayoutOutput } from '../layout/types'
import { chainOf, isWithin, splitInstance } from '../paths'
import { compose } from './compose'
import type { Contraction } from './contract'
import { NOTHING, type Drawing } from './drawing'
import type { BoxWords } from './measure'
import {
  buildTree,
  countBoxes,
  insidePath,
  layoutInput,
  layoutKey,
  type Arranged,
  type OpenState,
  type Shown,
} from './tree'

/** Maximum number of drawn boxes. */
export const MOST_BOXES = 5000
const MOST_LAYOUTS = 2000

/** Too many boxes would be shown. */
export class TooManyBoxes extends Error {
  constructor(
    readonly path: string,
    readonly boxes: number,
    readonly most: number,
  ) {
    super(`opening ${path} would show ${boxes} boxes, more than ${most}`)
  }
}

export type Load = (path: string) => Promise<Inside>

export class Scene {
  drawing: Drawing = NOTHING
  /** Boxes of other phases are left out; null for all. */
  phases: ReadonlySet<string> | null = null
  /** Boxes that compute nothing are left out; null for none. */
  contraction: Contraction | null = null
  private readonly insides = new Map<string, Inside>()
  private readonly loading = new Map<string, Promise<Inside>>()
  private readonly layouts = new Map<string, Promise<LayoutOutput>>()
  private states = new Map<string, OpenState>()
  private arranged: Arranged | null = null
  private version = 0

  constructor(
    private readonly load: Load,
    private readonly engine: LayoutEngine,
    readonly words: BoxWords,
    private readonly most = MOST_BOXES,
  ) {}

  /** Shows the root and the open boxes. Rejects like `load`. */
  async start(open: readonly string[] = []): Promise<boolean> {
    await this.fetch('')
    if (!open.length) return this.arrange()
    return this.openAll(open)
  }

  /**
   * Open boxes in the form of `openAll`: the path of a stack ends with its instance, that of an unrolled one with "#*".
   */
  get opened(): string[] {
    return this.drawing.boxes
      .filter(({ open }) => open)
      .map(({ path, instance }) => (instance === null ? path : `${path}#${instance === 'all' ? '*' : instance}`))
  }

  boxAt(path: string): InsideBox | null {
    return this.drawing.byPath.get(path)?.box ?? null
  }

  /** The inside of a box, if it has been loaded. */
  insideAt(path: string): Inside | null {
    return this.insides.get(path) ?? null
  }

  /** Opens a box; for a stack one instance, or the last shown one. */
  async open(path: string, instance?: number): Promise<boolean> {
    const box = this.boxAt(path)
    if (!box || box.kind === 'node') return false
    const state = { instance: instance ?? this.states.get(path)?.instance ?? 0, all: false }
    this.refuseEarly(path, box.inside)
    return this.change(path, [[path, state]])
  }

  /**
   * Fetches and lays out the inside of a box in advance, so that it opens at once. A failure is tried again when it
   * opens.
   */
  async prepare(path: string): Promise<void> {
    const box = this.boxAt(path)
    if (!box || box.kind === 'node' || this.states.has(path) || this.drawing.boxes.length + box.inside > this.most)
      return
    const state = { instance: 0, all: false }
    try {
      await this.fetch(insidePath(path, box, state))
      const tree = buildTree(this.insides, new Map(this.states).set(path, state), this.phases, this.contraction)
      if (tree) await this.arrangeInside(tree)
    } catch {
      // Opening the box will report the failure.
    }
  }

  /** Shows all instances of a stack as separate boxes. */
  async unroll(path: string): Promise<boolean> {
    const box = this.boxAt(path)
    if (box?.kind !== 'stack') return false
    this.refuseEarly(path, box.count)
    return this.change(path, [[path, { instance: this.states.get(path)?.instance ?? 0, all: true }]])
  }

  /** Shows another instance of an open stack, with the same boxes open inside. */
  async choose(path: string, instance: number): Promise<boolean> {
    const before = this.states.get(path)
    const carried: [string, OpenState][] = []
    if (before && !before.all) {
      const old = `${path}#${before.instance}`
      for (const [inner, state] of this.states)
        if (inner !== path && isWithin(inner, old))
          carried.push([`${path}#${instance}${inner.slice(old.length)}`, state])
    }
    return this.change(path, [[path, { instance, all: false }], ...carried])
  }

  async close(path: string): Promise<boolean> {
    if (!this.states.delete(path)) return false
    return this.arrange()
  }

  async closeAll(): Promise<boolean> {
    this.states.clear()
    return this.arrange()
  }

  /** Opens all containers around a path, so that its box is visible. */
  async openTo(path: string): Promise<boolean> {
    const wanted = chainOf(path).slice(0, -1)
    const { box, instance } = splitInstance(path)
    if (instance !== null && this.states.get(box)?.all !== true) wanted.push(path)
    return this.openAll(wanted)
  }

  /** Opens boxes by path, stacks at the given instance. Invalid paths are left out. */
  async openAll(paths: readonly string[]): Promise<boolean> {
    const chains = new Set(paths.flatMap((path) => chainOf(path.replace(/#\*$/, ''))))
    const wanted: [string, OpenState][] = []
    for (const path of chains) {
      const { box, instance } = splitInstance(path)
      const all = this.states.get(box)?.all === true || paths.includes(`${box}#*`)
      if (instance === null) {
        if (!wanted.some(([known]) => known === path))
          wanted.push([
            path,
            {
              instance: this.states.get(path)?.instance ?? 0,
              all: paths.includes(`${path}#*`) || (this.states.get(path)?.all ?? false),
            },
          ])
      } else if (all) wanted.push([path, { instance: 0, all: false }])
      else {
        const known = wanted.find(([before]) => before === box)
        if (known) known[1] = { instance, all: false }
        else wanted.push([box, { instance, all: false }])
      }
    }
    return this.change(paths[paths.length - 1] ?? '', wanted)
  }

  /** The whole drawing again with a margin, for exports. */
  composed(margin: number): Drawing {
    return this.arranged ? compose(this.arranged, this.states, this.words, margin) : NOTHING
  }

  /** Lays out everything again, after a change of fonts, language or visible phases. */
  async again(): Promise<boolean> {
    return this.arrange()
  }

  private refuseEarly(path: string, more: number): void {
    const boxes = this.drawing.boxes.length + more
    if (boxes > this.most) throw new TooManyBoxes(path, boxes, this.most)
  }

  /** Loads the insides of boxes from the outside in, because each describes the next one, and then shows them. */
  private async change(path: string, wanted: readonly (readonly [string, OpenState])[]): Promise<boolean> {
    const before = new Map(this.states)
    for (const [box, state] of wanted) this.states.set(box, state)
    try {
      await this.loadOpen(wanted)
      const tree = buildTree(this.insides, this.states, this.phases, this.contraction)
      const boxes = tree ? countBoxes(tree) : 0
      if (boxes > this.most) throw new TooManyBoxes(path, boxes, this.most)
    } catch (problem) {
      this.states = before
      throw problem
    }
    return this.arrange()
  }

  private async loadOpen(wanted: readonly (readonly [string, OpenState])[]): Promise<void> {
    for (let round = 0, more = true; more && round < 64; round++) {
      const tree = buildTree(this.insides, this.states, this.phases, this.contraction)
      const missing = tree ? [...missingIn(tree, this.states, this.insides)] : ['']
      const own =
        round === 0
          ? wanted.flatMap(([path, state]) =>
              this.states.has(path) && !state.all && state.instance && !this.boxAt(path)
                ? [`${path}#${state.instance}`]
                : [],
            )
          : []
      const paths = new Set([...missing, ...own.filter((path) => !this.insides.has(path))])
      more = missing.length > 0
      await Promise.all([...paths].map((path) => this.fetch(path)))
    }
  }

  private async fetch(path: string): Promise<Inside> {
    const known = this.insides.get(path)
    if (known) return known
    const job = this.loading.get(path) ?? this.load(path)
    this.loading.set(path, job)
    try {
      const inside = await job
      this.insides.set(path, inside)
      return inside
    } finally {
      this.loading.delete(path)
    }
  }

  /** @returns false if a later change has overtaken this one */
  private async arrange(): Promise<boolean> {
    const version = ++this.version
    const tree = buildTree(this.insides, this.states, this.phases, this.contraction)
    if (!tree) return false
    const arranged = await this.arrangeInside(tree)
    if (version !== this.version) return false
    this.arranged = arranged
    this.drawing = compose(arranged, this.states, this.words)
    return true
  }

  private async arrangeInside(shown: Shown): Promise<Arranged> {
    const kids = new Map(
      await Promise.all([...shown.kids].map(async ([at, kid]) => [at, await this.arrangeInside(kid)] as const)),
    )
    const { input, feet, first, last } = layoutInput(shown, kids, this.words)
    const key = layoutKey(shown.template, input)
    let job = this.layouts.get(key)
    if (!job) {
      job = this.engine.layOut(input)
      this.layouts.set(key, job)
      job.catch(() => this.layouts.delete(key))
      if (this.layouts.size > MOST_LAYOUTS)
        for (const oldest of this.layouts.keys()) {
          this.layouts.delete(oldest)
          break
        }
    }
    return { shown, layout: await job, feet, kids, first, last }
  }
}

/** Insides of open boxes that are not loaded yet. */
function* missingIn(
  shown: Shown,
  states: ReadonlyMap<string, OpenState>,
  insides: ReadonlyMap<string, Inside>,
): Generator<string> {
  for (const [at, box] of shown.boxes.entries()) {
    const state = states.get(shown.paths[at])
    if (!state || box.kind === 'node') continue
    const path = insidePath(shown.paths[at], box, state)
    if (!insides.has(path)) yield path
    const kid = shown.kids.get(at)
    if (kid) yield* missingIn(kid, states, insides)
  }
}
