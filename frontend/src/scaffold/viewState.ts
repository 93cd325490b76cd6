/**
 * The state of a view is kept in the address, so that a link shows what its sender saw. Every page reads and writes it
 * through `useQueryParam`; nothing else changes the query. Changes can be undone (history.ts), and a page keeps its
 * state when it is left and opened again.
 */
import { computed, shallowReactive, type ComputedRef, type WritableComputedRef } from 'vue'
import {
  useRoute,
  useRouter,
  type LocationQuery,
  type LocationQueryRaw,
  type RouteLocationNormalized,
  type Router,
} from 'vue-router'

import { ViewHistory, type Change, type Edit, type Say } from './history'

export interface QueryParam<T> {
  /** The value if the address has none; it is never written to the address. */
  default: T
  /** Parses a text; undefined if the text is not valid (the default is used). */
  parse: (text: string) => T | undefined
  /** The text of a value, or null to drop the parameter. */
  format: (value: T) => string | null
  /** Whether its texts are fixed words with translations, in contrast to user input, which is shown as it is. */
  chosen?: boolean
  /** Describes a change for undo; without it, the parameter's name and text are shown. */
  say?: (value: T) => Say
  /** Whether a change was not made by the user, as in a range that follows the newest point. It cannot be undone. */
  drifts?: (before: T, after: T) => boolean
}

/** A free text, empty by default. */
export const textParam: QueryParam<string> = {
  default: '',
  parse: (text) => text,
  format: (value) => value || null,
}

/** One of several words, the first of which is the default. */
export function choiceParam<T extends string>(choices: readonly [T, ...T[]]): QueryParam<T> {
  return {
    default: choices[0],
    parse: (text) => choices.find((choice) => choice === text),
    format: (value) => value,
    chosen: true,
  }
}

/** Parameters that mean the same on every page and are part of its links: visible runs and the step cursor. */
export const SHARED_PARAMS = ['runs', 'at'] as const

/** The part of an address's query that other pages also understand. */
export function sharedQuery(query: LocationQuery): LocationQuery {
  const kept: LocationQuery = {}
  for (const name of SHARED_PARAMS) {
    const value = query[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}

const pageOf = (route: RouteLocationNormalized): string => String(route.name ?? route.path)

/** Collects changes of the query and writes them in one navigation. One per router. */
class QueryWriter {
  readonly history = new ViewHistory()
  /** The last query of each page. */
  private readonly left = shallowReactive(new Map<string, LocationQuery>())
  /** Changes that are not yet in the address; null means "drop it". */
  readonly changes = shallowReactive(new Map<string, string | null>())
  private navigating: boolean
  private scheduled = false
  private writing = false

  constructor(private readonly router: Router) {
    // Before the first page nothing is matched, because that navigation is pending.
    this.navigating = router.currentRoute.value.matched.length === 0
    router.beforeEach(() => {
      this.navigating = true
    })
    router.afterEach((to, from) => {
      this.navigating = false
      if (to.path !== from.path) {
        if (from.matched.length > 0) this.left.set(pageOf(from), from.query)
        this.keepShared()
      }
      if (this.changes.size > 0) this.schedule()
    })
    router.onError(() => {
      this.navigating = false
    })
  }

  set(name: string, text: string | null): void {
    this.changes.set(name, text)
    this.schedule()
  }

  /** The page that a change belongs to. */
  get page(): string {
    return pageOf(this.router.currentRoute.value)
  }

  /** The text in the address, or the pending one. */
  textOf(name: string): string | null {
    const waiting = this.changes.get(name)
    return waiting === undefined ? firstText(this.router.currentRoute.value.query[name]) : waiting
  }

  /** The query for a link to a page: its last state, with the current runs and cursor. */
  queryFor(page: string, now: LocationQuery): LocationQuery {
    const kept: LocationQuery = {}
    for (const [name, value] of Object.entries(this.left.get(page) ?? {})) {
      if (!(SHARED_PARAMS as readonly string[]).includes(name)) kept[name] = value
    }
    return { ...kept, ...sharedQuery(now) }
  }

  replay(edit: Edit | null, side: keyof Change): void {
    for (const [name, change] of edit?.changes ?? []) this.set(name, change[side])
  }

  /** Pending changes of one page must not reach the next page. */
  private keepShared(): void {
    const shared: readonly string[] = SHARED_PARAMS
    for (const name of this.changes.keys()) if (!shared.includes(name)) this.changes.delete(name)
  }

  private schedule(): void {
    if (this.scheduled || this.writing) return
    this.scheduled = true
    // One task later, a navigation requested in the same tick has begun.
    window.setTimeout(() => {
      this.scheduled = false
      // Replacing the address would cancel a pending navigation; afterEach then writes the changes.
      if (!this.navigating) void this.write()
    })
  }

  private async write(): Promise<void> {
    const route = this.router.currentRoute.value
    const query: LocationQuery = { ...route.query }
    const written = [...this.changes]
    this.writing = true
    for (const [name, text] of written) {
      if (text === null) Reflect.deleteProperty(query, name)
      else query[name] = text
    }
    await this.router.replace({ path: route.path, query, hash: route.hash })
    for (const [name, text] of written) {
      if (this.changes.get(name) === text) this.changes.delete(name)
    }
    this.writing = false
    if (this.changes.size > 0) this.schedule()
  }
}

const writers = new WeakMap<Router, QueryWriter>()

function writerOf(router: Router): QueryWriter {
  let writer = writers.get(router)
  if (!writer) {
    writer = new QueryWriter(router)
    writers.set(router, writer)
  }
  return writer
}

function firstText(value: LocationQuery[string] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null
}

/**
 * A parameter of the address as a writable reference.
 * Writing replaces the current address, once per tick for all parameters; unknown parameters are kept.
 */
export function useQueryParam<T>(name: string, param: QueryParam<T>): WritableComputedRef<T> {
  const route = useRoute()
  const router = useRouter()
  const writer = writerOf(router)
  const valueOf = (text: string | null): T => (text === null ? param.default : (param.parse(text) ?? param.default))
  const read = computed<T>(() => {
    const waiting = writer.changes.get(name)
    return valueOf(waiting === undefined ? firstText(route.query[name]) : waiting)
  })
  const textOf = (value: T): string | null => {
    const text = param.format(value)
    return text === param.format(param.default) ? null : text
  }
  return computed<T>({
    get: () => read.value,
    set(value) {
      const before = writer.textOf(name)
      const after = textOf(value)
      // An invalid text, or another spelling of the same value, does not change the view.
      const changed = textOf(valueOf(before)) !== after
      if (changed && !param.drifts?.(valueOf(before), value)) {
        writer.history.record(
          writer.page,
          name,
          { before, after },
          param.say?.(value) ?? sayText(name, after, param.chosen ?? false),
        )
      }
      writer.set(name, after)
    },
  })
}

/** A description for parameters that have none: "Filter: loss". */
function sayText(name: string, text: string | null, chosen: boolean): Say {
  return (t) => {
    const title = t(`edits.param.${name}`, {}, name)
    if (text === null) return t('app.edit.standard', { name: title })
    return t('app.edit.value', { name: title, value: chosen ? t(`edits.word.${text}`, {}, text) : text })
  }
}

/** Undo and redo for the open page. */
export interface UndoRedo {
  undoable: ComputedRef<Edit | null>
  redoable: ComputedRef<Edit | null>
  /** Undoes an edit and returns it. */
  undo: () => Edit | null
  redo: () => Edit | null
}

export function useUndoRedo(): UndoRedo {
  const route = useRoute()
  const writer = writerOf(useRouter())
  const { history } = writer
  const page = computed(() => pageOf(route))
  function undo(): Edit | null {
    const edit = history.undo(page.value)
    writer.replay(edit, 'before')
    return edit
  }
  function redo(): Edit | null {
    const edit = history.redo(page.value)
    writer.replay(edit, 'after')
    return edit
  }
  return {
    undoable: computed(() => history.undoable(page.value)),
    redoable: computed(() => history.redoable(page.value)),
    undo,
    redo,
  }
}

/** Links to pages, each with its last state and the current runs and cursor. */
export function usePageLinks(): (page: string) => { name: string; query: LocationQueryRaw } {
  const route = useRoute()
  const writer = writerOf(useRouter())
  return (page) => ({ name: page, query: writer.queryFor(page, route.query) })
}
