/**
 * Converts the API's JSON for the pages: snake_case becomes camelCase, and the strings "NaN", "Infinity" and
 * "-Infinity" become numbers. Called only by the stores.
 */
import type { components } from './schema'
import type { LeadTag, Marks, Reading, RunRow, Segment, SeriesRow, StatusAnswer } from './types'

type Schemas = components['schemas']

/** A float of the API. JSON has no NaN and no infinities. */
export type WireFloat = Schemas['Series']['last_value']
export type WireRun = Schemas['Run']
export type WireMarks = Schemas['Marks']
export type WireSeries = Schemas['Series']
/** A series in the form of the live connection. */
export type WireNamedSeries = WireSeries & { name: string }
export type WireTagsAnswer = Schemas['TagList']
export type WireRunsAnswer = Schemas['RunList']
export type WireStatus = Schemas['Status']

/** Converts a float of the API to a number; a missing one becomes NaN. */
export function wireFloat(value: WireFloat | undefined): number {
  return value === null || value === undefined ? NaN : Number(value)
}

function leadTag(lead: WireRun['lead_tag']): LeadTag | null {
  return lead && { series: lead.series, name: lead.name, lastValue: wireFloat(lead.last_value) }
}

function segment(wire: WireRun['segments'][number]): Segment {
  return { number: wire.number, firstStep: wire.first_step, lastStep: wire.last_step, firstWall: wire.first_wall }
}

function reading(wire: WireRun['reading']): Reading | null {
  return wire && { eventsPerSecond: wire.events_per_second, secondsLeft: wire.seconds_left }
}

const NO_MARKS: Marks = {
  version: 0,
  tags: [],
  colour: null,
  note: '',
  pinned: false,
  archived: false,
  icon: 0,
  hidden: false,
  baseline: false,
  display_name: '',
}

/** The marks of a run; empty if the API has none. */
export function marksOf(wire: WireMarks | null | undefined): Marks {
  return wire ?? NO_MARKS
}

/** Converts a row of `/api/runs`. */
export function runRow(wire: WireRun): RunRow {
  return {
    number: wire.number,
    id: wire.id,
    name: wire.marks?.display_name || wire.name,
    directory: wire.name,
    colour: wire.marks?.colour ?? wire.colour,
    ownColour: wire.colour,
    marks: marksOf(wire.marks),
    writer: wire.writer,
    state: wire.state,
    stateSince: wire.state_since,
    stateDetail: wire.state_detail,
    firstWall: wire.first_wall,
    lastWall: wire.last_wall,
    lastStep: wire.last_step,
    tags: wire.tags,
    points: wire.points,
    files: wire.files,
    bytes: wire.bytes,
    bytesRead: wire.bytes_read,
    diskBytes: wire.disk_bytes,
    damage: wire.damage,
    leadTag: leadTag(wire.lead_tag),
    segments: wire.segments.map(segment),
    reading: reading(wire.reading),
  }
}

/** Converts a series of `/api/scalars/tags`, with its name. */
export function seriesRow(name: string, wire: WireSeries): SeriesRow {
  return {
    run: wire.run,
    series: wire.series,
    segment: wire.segment,
    name,
    count: wire.count,
    firstStep: wire.first_step,
    lastStep: wire.last_step,
    firstWall: wire.first_wall,
    lastWall: wire.last_wall,
    lastValue: wireFloat(wire.last_value),
    min: wireFloat(wire.min),
    max: wireFloat(wire.max),
    notFinite: wire.not_finite,
  }
}

/** All series of an answer of `/api/scalars/tags`. */
export function seriesRows(answer: WireTagsAnswer): SeriesRow[] {
  return answer.tags.flatMap((group) => group.series.map((series) => seriesRow(group.name, series)))
}

/** Converts the answer of `/api/status`. */
export function statusAnswer(wire: WireStatus): StatusAnswer {
  return {
    version: wire.version,
    store: wire.store,
    now: wire.now,
    baseDirectory: wire.base_directory,
    baseDirectoryShort: wire.base_directory_short,
    readable: wire.readable,
    runs: wire.runs,
    watching: wire.watching,
    checked: wire.checked,
    reader: wire.reader,
    broker: wire.broker,
    disk: wire.disk,
    started: wire.started,
    damagedDatabase: wire.damaged_database && {
      at: wire.damaged_database.at,
      file: wire.damaged_database.file,
      saved: Object.values(wire.damaged_database.saved).reduce((sum, rows) => sum + rows, 0),
    },
    mirror: wire.mirror && {
      address: wire.mirror.address,
      state: wire.mirror.state,
      error: wire.mirror.error,
      files: wire.mirror.files,
      filesDone: wire.mirror.files_done,
      bytes: wire.mirror.bytes,
      bytesDone: wire.mirror.bytes_done,
    },
  }
}
