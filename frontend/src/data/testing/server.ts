/** A small fake dashboard behind `fetch`: runs, series and points by the contract. For tests only. */
import { vi } from 'vitest'

import type { WireRun, WireSeries } from '../rows'
import { encodeFrame, joined } from './frames'
import { seriesColumns } from './seriesColumns'

export function wireRun(number: number, changes: Partial<WireRun> = {}): WireRun {
  return {
    number,
    id: `id${number}`,
    name: `run_${number}`,
    colour: number % 10,
    writer: 'mindspore',
    state: 'running',
    state_since: 1000,
    state_detail: {},
    first_wall: 1000 + number,
    last_wall: 2000,
    last_step: 100,
    tags: 1,
    points: 100,
    files: 1,
    bytes: 10,
    bytes_read: 10,
    disk_bytes: 10,
    damage: null,
    lead_tag: null,
    segments: [{ number: 0, first_step: 0, last_step: 100, first_wall: 1000 + number }],
    reading: null,
    ...changes,
  }
}

export function wireSeries(run: number, series: number, changes: Partial<WireSeries> = {}): WireSeries {
  return {
    run,
    series,
    segment: 0,
    count: 3,
    first_step: 0,
    last_step: 2,
    first_wall: 1000,
    last_wall: 2000,
    last_value: 1,
    min: 1,
    max: 3,
    not_finite: 0,
    ...changes,
  }
}

export interface FakeServer {
  runs: WireRun[]
  /** Series by tag name. */
  tags: Record<string, WireSeries[]>
  /** Values by number of the series. */
  points: Map<number, number[]>
  /** Views by number of the series, in place of points. */
  views: Map<number, ArrayBuffer>
  /** Smoothed views by number of the series. */
  smoothed: Map<number, ArrayBuffer>
  /** The requests, as paths with their queries. */
  asked: URL[]
  /** Answers by path that replace the usual ones. */
  refusals: Map<string, { status: number; body: object } | 'unreachable'>
}

function answer(server: FakeServer, url: URL): Response {
  const refusal = server.refusals.get(url.pathname)
  if (refusal === 'unreachable') throw new TypeError('fetch failed')
  if (refusal) return Response.json(refusal.body, { status: refusal.status })
  if (url.pathname === '/api/runs') return Response.json({ count: server.runs.length, results: server.runs })
  if (url.pathname === '/api/scalars/tags' || url.pathname === '/api/scalars/series') {
    const wanted = url.searchParams.get('runs')?.split(',').map(Number)
    const of = (series: WireSeries[]): WireSeries[] => series.filter((one) => !wanted || wanted.includes(one.run))
    const tags = Object.entries(server.tags).map(([name, series]) => ({ name, series: of(series) }))
    const held = { tags: tags.filter((tag) => tag.series.length) }
    return Response.json(url.pathname.endsWith('/tags') ? held : seriesColumns(held))
  }
  if (url.pathname === '/api/scalars/points') return points(server, url)
  return Response.json({ code: 'not_found', message: 'There is nothing here.', detail: {} }, { status: 404 })
}

function points(server: FakeServer, url: URL): Response {
  const asked = (url.searchParams.get('series') ?? '').split(',').map(Number)
  const gone = asked.find((series) => !server.points.has(series) && !server.views.has(series))
  if (gone !== undefined) {
    return Response.json(
      { code: 'unknown_series', message: `There is no series ${gone}.`, detail: { series: gone } },
      { status: 404 },
    )
  }
  const smoothed = url.searchParams.has('smoothing') ? server.smoothed : null
  const view = (series: number): ArrayBuffer =>
    smoothed?.get(series) ?? server.views.get(series) ?? encodeFrame({ series, value: server.points.get(series) ?? [] })
  return new Response(joined(...asked.map(view)))
}

/** Installs the server as the global `fetch`. */
export function fakeServer(): FakeServer {
  const server: FakeServer = {
    runs: [],
    tags: {},
    points: new Map(),
    views: new Map(),
    smoothed: new Map(),
    asked: [],
    refusals: new Map(),
  }
  vi.stubGlobal('fetch', (request: Request) => {
    const url = new URL(request.url)
    server.asked.push(url)
    return Promise.resolve().then(() => answer(server, url))
  })
  return server
}

/** Lets all ready promises continue. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await Promise.resolve()
}
