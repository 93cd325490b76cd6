import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { useMarks } from './marks'
import { marksOf } from '../rows'
import { useRuns } from './runs'
import { fakeServer, wireRun } from '../testing/server'

const bodies: Record<string, unknown>[] = []
const paths: string[] = []
const now = { ...marksOf(null), tags: [], version: 7, icon: 3, display_name: '', changed: 1 }
const [a, b] = [wireRun(1).id, wireRun(2).id]

/** Two runs, and a server with one answer to every change. */
async function twoRuns(status: number, answer: object): Promise<ReturnType<typeof useRuns>> {
  const server = fakeServer()
  server.runs = [wireRun(1), wireRun(2)]
  const runs = useRuns()
  await runs.load()
  vi.stubGlobal('fetch', async (request: Request) => {
    paths.push(new URL(request.url).pathname)
    bodies.push((await request.json()) as Record<string, unknown>)
    return Response.json(answer, { status })
  })
  return runs
}

beforeEach(() => {
  setActivePinia(createPinia())
  bodies.length = paths.length = 0
})

describe('marks', () => {
  it('tell what was seen where they replace something, and nothing where they do not', async () => {
    const runs = await twoRuns(200, { marks: { [a]: now, [b]: now } })
    const { changeMany } = useMarks()
    await changeMany(runs.rows, { icon: 3 })
    expect(paths[0]).toBe('/api/runs/marks')
    expect(bodies[0]).toEqual({ runs: [b, a], icon: 3, versions: { [a]: 0, [b]: 0 }, add_tags: [], remove_tags: [] })
    expect(runs.rows.map((run) => run.marks.icon)).toEqual([3, 3])
    await changeMany(runs.rows, { add_tags: ['x'], hidden: true })
    expect(bodies[1]).toMatchObject({ add_tags: ['x'], hidden: true, versions: {} })
  })

  it('of one run show what somebody else made of them, and are not changed', async () => {
    const runs = await twoRuns(409, { code: 'stale_marks', message: '', detail: { marks: now } })
    await expect(useMarks().change(runs.rows[0], { tags: ['mine'] })).rejects.toMatchObject({ code: 'stale_marks' })
    expect(paths[0]).toBe(`/api/runs/${b}/marks`)
    expect(bodies[0]).toEqual({ tags: ['mine'], version: 0 })
    expect(runs.rows.map((run) => run.marks.version)).toEqual([7, 0])
  })

  it('of many show what somebody else made of some', async () => {
    const runs = await twoRuns(409, { code: 'stale_marks', message: '', detail: { marks: { [a]: now } } })
    await expect(useMarks().changeMany(runs.rows, { colour: 1 })).rejects.toMatchObject({ code: 'stale_marks' })
    expect(runs.rows.map((run) => run.marks.version)).toEqual([0, 7])
  })

  it('without a conflict are left as they were', async () => {
    const runs = await twoRuns(404, { code: 'run_not_found', message: '', detail: {} })
    await expect(useMarks().change(runs.rows[0], { pinned: true })).rejects.toMatchObject({ code: 'run_not_found' })
    expect(bodies[0]).toEqual({ pinned: true })
    expect(runs.rows[0].marks.version).toBe(0)
  })
})
