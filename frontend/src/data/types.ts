/**
 * The shapes that the pages work with. The API speaks snake_case; `rows.ts` turns its answers
 * into these at the border, so nothing behind it knows how the wire spells a name.
 */

export type RunState = 'running' | 'finished' | 'crashed' | 'stalled'

/** The first damaged place of a run's files, and how many there are. */
export interface Damage {
  count: number
  file: string
  offset: number
  reason: string
  /** What is wrong, in English. */
  message: string
  /** Name of that sentence; empty where an older version noted it. */
  code: string
  /** What the sentence names beside the offset. */
  detail: Record<string, unknown>
}

/** The series that stands for a run in lists: of its newest segment. */
export interface LeadTag {
  series: number
  name: string
  lastValue: number
}

/** A stretch of a run between two restarts. */
export interface Segment {
  number: number
  firstStep: number
  lastStep: number
  firstWall: number
}

/** How fast the back-log of a run is being read; seconds left are null while nobody can tell. */
export interface Reading {
  eventsPerSecond: number
  secondsLeft: number | null
}

/** What people noted about a run. */
export interface Marks {
  /** Counts the changes; 0 before the first. */
  version: number
  tags: readonly string[]
  /** 0 to 9 in place of the run's own. */
  colour: number | null
  /** Markdown. */
  note: string
  pinned: boolean
  archived: boolean
  /** One of ten in the table of lineage; 0 for none. */
  icon: number
  /** Not drawn on the page of lineage. */
  hidden: boolean
  /** The run that others are held against; one at most. */
  baseline: boolean
}

export interface RunRow {
  number: number
  id: string
  name: string
  /** The one that a person chose, or the run's own. */
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
  /** Everything in the run's directory, where it was counted. */
  diskBytes: number | null
  damage: Damage | null
  leadTag: LeadTag | null
  /** In order of number; one where the run never restarted. */
  segments: readonly Segment[]
  /** Null where less than a second of back-log is left. */
  reading: Reading | null
}

/** What one tag of a run has from one event file, between two falls of its steps. */
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

/** Why the dashboard can store nothing: which disk, and how many bytes are free there. */
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
   * A damaged database that was set aside: when (seconds since 1970), where it lies, and how many rows were saved from
   * it.
   */
  damagedDatabase: { at: number; file: string; saved: number } | null
}

/** A refusal of the API: `code` is stable and is what the pages translate. */
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
