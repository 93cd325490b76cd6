/**
 * The undo history of each page. `useQueryParam` records every change of the address's query here. A history lasts as
 * long as the window.
 */
import { shallowReactive } from 'vue'

/** `otherwise` is for changes without a text of their own. */
export type Say = (t: (key: string, named?: Record<string, unknown>, otherwise?: string) => string) => string

/** One parameter: its texts in the address before and after; null means "not in the address". */
export interface Change {
  before: string | null
  after: string | null
}

export interface Edit {
  changes: ReadonlyMap<string, Change>
  /** A description of the change. */
  say: Say
}

interface Recorded extends Edit {
  at: number
}

interface Track {
  done: Recorded[]
  undone: Recorded[]
}

/** A slider moves many times a second, so changes within this time belong together. In ms. */
const SAME_WITHIN = 1000
/** One action may change several parameters: a new x axis also resets the zoom. In ms. */
const TOGETHER_WITHIN = 60
/** A page may respond to an undone change by rewriting it. In ms. */
const ECHO_WITHIN = 400
const MOST = 100

/** The cursor moves in steps; consecutive moves are one change. */
const WALKED = new Set(['at'])

export class ViewHistory {
  private readonly tracks = new Map<string, Track>()
  private replayed = -Infinity

  constructor(private readonly now: () => number = () => performance.now()) {}

  private trackOf(page: string): Track {
    let track = this.tracks.get(page)
    if (!track) this.tracks.set(page, (track = { done: shallowReactive([]), undone: shallowReactive([]) }))
    return track
  }

  record(page: string, name: string, { before, after }: Change, say: Say): void {
    const at = this.now()
    if (before === after || at - this.replayed < ECHO_WITHIN) return
    const { done, undone } = this.trackOf(page)
    undone.length = 0
    const last = done.at(-1)
    const known = last?.changes.get(name)
    const since = last ? at - last.at : Infinity
    if (last && known && (since < SAME_WITHIN || (WALKED.has(name) && last.changes.size === 1))) {
      this.put(done, { ...last, at, changes: new Map(last.changes).set(name, { before: known.before, after }), say })
    } else if (last && since < TOGETHER_WITHIN) {
      // The first change is the user's; the others are consequences.
      this.put(done, { ...last, changes: new Map(last.changes).set(name, { before, after }) })
    } else {
      done.push({ at, changes: new Map([[name, { before, after }]]), say })
      if (done.length > MOST) done.shift()
    }
  }

  /** Replaces the last edit; an edit without effect is removed. */
  private put(done: Recorded[], edit: Recorded): void {
    const changed = [...edit.changes.values()].some(({ before, after }) => before !== after)
    done.splice(-1, 1, ...(changed ? [edit] : []))
  }

  /** The edit that undo would take back; null if there is none. */
  undoable(page: string): Edit | null {
    return this.trackOf(page).done.at(-1) ?? null
  }

  redoable(page: string): Edit | null {
    return this.trackOf(page).undone.at(-1) ?? null
  }

  /** Undoes the last change. The caller writes the `before` text of every parameter. */
  undo(page: string): Edit | null {
    const { done, undone } = this.trackOf(page)
    return this.move(done, undone)
  }

  /** Redoes the change that was undone last. The caller writes the `after` text of every parameter. */
  redo(page: string): Edit | null {
    const { done, undone } = this.trackOf(page)
    return this.move(undone, done)
  }

  private move(from: Recorded[], to: Recorded[]): Edit | null {
    const edit = from.pop()
    if (!edit) return null
    this.replayed = this.now()
    // A later change starts a new edit, however soon it comes.
    to.push({ ...edit, at: -Infinity })
    return edit
  }
}
