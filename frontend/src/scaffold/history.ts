/**
 * What people changed on each page, to be undone and done again. `useQueryParam` records every change of the address's
 * query here; each page has a history of its own, which lasts as long as the window.
 */
import { shallowReactive } from 'vue'

/** `otherwise` stands for what has no words. */
export type Say = (t: (key: string, named?: Record<string, unknown>, otherwise?: string) => string) => string

/** One parameter: its texts in the address before and after; null stands for "not in the address". */
export interface Change {
  before: string | null
  after: string | null
}

export interface Edit {
  changes: ReadonlyMap<string, Change>
  /** What was done, in words. */
  say: Say
}

interface Recorded extends Edit {
  at: number
}

interface Track {
  done: Recorded[]
  undone: Recorded[]
}

/** A slider moves many times a second: what follows this soon belongs to the same change. */
const SAME_WITHIN = 1000
/** One act may change several parameters: a new x axis also gives up the zoom. */
const TOGETHER_WITHIN = 60
/** A page may answer to an undone change by writing what it made of it. */
const ECHO_WITHIN = 400
const MOST = 100

/** The cursor is walked, not set: all its moves in a row are one change. */
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
      // The first change is what was meant, the others follow from it.
      this.put(done, { ...last, changes: new Map(last.changes).set(name, { before, after }) })
    } else {
      done.push({ at, changes: new Map([[name, { before, after }]]), say })
      if (done.length > MOST) done.shift()
    }
  }

  /** Puts an edit in the place of the last one; one that ends where it began is none. */
  private put(done: Recorded[], edit: Recorded): void {
    const changed = [...edit.changes.values()].some(({ before, after }) => before !== after)
    done.splice(-1, 1, ...(changed ? [edit] : []))
  }

  /** What would be undone, null where there is nothing. */
  undoable(page: string): Edit | null {
    return this.trackOf(page).done.at(-1) ?? null
  }

  redoable(page: string): Edit | null {
    return this.trackOf(page).undone.at(-1) ?? null
  }

  /** Takes the last change back. The caller writes what every parameter had `before`. */
  undo(page: string): Edit | null {
    const { done, undone } = this.trackOf(page)
    return this.move(done, undone)
  }

  /** Does again what was undone last. The caller writes what every parameter had `after`. */
  redo(page: string): Edit | null {
    const { done, undone } = this.trackOf(page)
    return this.move(undone, done)
  }

  private move(from: Recorded[], to: Recorded[]): Edit | null {
    const edit = from.pop()
    if (!edit) return null
    this.replayed = this.now()
    // A later change begins anew, however soon it comes.
    to.push({ ...edit, at: -Infinity })
    return edit
  }
}
