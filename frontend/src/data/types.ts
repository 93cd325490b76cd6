/**
 * The types of the pages. The API uses snake_case; `rows.ts` converts its answers to these types, so that no other code
 * knows the names on the wire.
 */

export type RunState = 'running' | 'finished' | 'crashed' | 'stalled'

/** The first damaged place of a run's files, and the number of such places. */
export interface Damage {
  count: number
  file: string
  offset: number
  reason: string
  /** What is wrong, in English. */
  message: string
  /** Name of that sentence; empty if an older version stored it. */
  code: string
  /** The values in the sentence, besides the offset. */
  detail: Record<string, unknown>
}

/** The series that represents a run in lists, of its newest segment. */
export interface LeadTag {
  series: number
  name: string
  lastValue: number
}

/** A segment of a run, between two restarts. */
export interface Segment {
  number: number
  firstStep: number
  lastStep: number
  firstWall: number
}

/** The rate at which a run's back-log is read; the seconds left are null if unknown. */
export interface Reading {
  eventsPerSecond: number
  secondsLeft: number | null
}

/** The marks of a run. */
export interface Marks {
  /** Number of changes; 0 before the first. */
  version: number
  tags: readonly string[]
  /** Colour 0 to 9 instead of the run's own. */
  colour: number | null
  /** Markdown. */
  note: string
  pinned: boolean
  archived: boolean
  /** One of ten icons in the lineage table; 0 for none. */
  icon: number
  /** Whether it is hidden on the lineage page. */
  hidden: boolean
  /** The run with which others are compared; at most one. */
  baseline: boolean
  /** Shown in place of the directory; empty for none. */
  display_name: string
}

export interface RunRow {
  number: number
  id: string
  /** The name that a user gave it, otherwise its directory. */
  name: string
  /** Path relative to the base directory. */
  directory: string
  /** The chosen colour, or the run's own. */
  colour: number
  ownColour: number
  marks: Marks
  writer: string
  state: RunState
  stateSince: number
  stateDetail: Record<string, unknown>
  firstWall: number | null
  lastWall: number | null
  lastStep: number | null
  tags: number
  points: number
  files: number
  bytes: number
  bytesRead: number
  /** Size of all files in the run's directory, if measured. */
  diskBytes: number | null
  damage: Damage | null
  leadTag: LeadTag | null
  /** In order of number; a run without restarts has one. */
  segments: readonly Segment[]
  /** Null if less than a second of back-log is left. */
  reading: Reading | null
}

/** The values of a run's tag in one event file, between two falls of its steps. */
export interface SeriesRow {
  run: number
  series: number
  segment: number
  /** Its tag. */
  name: string
  count: number
  firstStep: number | null
  lastStep: number | null
  firstWall: number | null
  lastWall: number | null
  lastValue: number
  min: number
  max: number
  notFinite: number
}

export type Health = 'ok' | 'down'

/** Why the dashboard cannot store anything: the disk, and its free bytes. */
export interface DiskTrouble {
  condition: 'full' | 'read_only' | 'failing'
  directory: string
  free: number
}

export interface StatusAnswer {
  version: string
  store: string
  now: number
  baseDirectory: string
  baseDirectoryShort: string
  readable: boolean
  runs: number
  watching: 'events' | 'polling'
  checked: number
  reader: Health
  broker: Health
  disk: DiskTrouble | null
  started: number
  /**
   * A damaged database that was set aside: time (seconds since 1970), its new path, and the number of rows saved from
   * it.
   */
  damagedDatabase: { at: number; file: string; saved: number } | null
  /** The local copy of an object store, or null if the watched directory is none. */
  mirror: MirrorAnswer | null
}

/** How far the copy of an object store has come. `error` says what failed last, and what to do. */
export interface MirrorAnswer {
  address: string
  state: 'copying' | 'current' | 'failing'
  error: string
  files: number
  filesDone: number
  bytes: number
  bytesDone: number
}

/** An error of the API: `code` is stable, and the pages translate it. */
export class ApiProblem extends Error {
  readonly code: string
  readonly detail: Record<string, unknown>
  readonly status: number

  constructor(code: string, message: string, detail: Record<string, unknown>, status: number) {
    super(message)
    this.name = 'ApiProblem'
    this.code = code
    this.detail = detail
    this.status = status
  }
}
