/** The requests about groups of runs, and the number of open ones. */
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { fetchDensity, fetchGroupings, fetchGroups, type DensityBody, type GroupsBody } from './groups'

interface Question {
  path: string
  body: unknown
  answer: (response: Response) => void
}

const questions: Question[] = []
const groupsBody = { x: 'step', width: 10 } as unknown as GroupsBody
const densityBody = { x: 'step', width: 10, height: 5 } as unknown as DensityBody
const empty = (): Response => new Response(new ArrayBuffer(0))
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

beforeEach(() => {
  questions.length = 0
  vi.stubGlobal('fetch', async (request: Request) => {
    const body: unknown = await request.json()
    return new Promise<Response>((answer) => {
      questions.push({ path: new URL(request.url).pathname, body, answer })
    })
  })
})

describe('groups of runs', () => {
  it('are asked for by tag and members, in binary', async () => {
    const found = fetchGroups('loss', [[1, 2], [3]], groupsBody)
    await settle()
    expect(questions[0]).toMatchObject({
      path: '/api/scalars/groups',
      body: { x: 'step', width: 10, tag: 'loss', groups: [[1, 2], [3]], format: 'binary' },
    })
    questions[0].answer(empty())
    expect(await found).toEqual([])
  })

  it('are a problem where the answer cannot be read', async () => {
    const found = fetchGroups('loss', [[1]], groupsBody)
    const problem = expect(found).rejects.toMatchObject({ code: 'bad_frame', status: 200, detail: { offset: 0 } })
    await settle()
    questions[0].answer(new Response(new ArrayBuffer(8)))
    await problem
  })

  it('are asked for two at a time, in order', async () => {
    const all = ['a', 'b', 'c', 'd'].map((tag) => fetchGroups(tag, [[1]], groupsBody))
    await settle()
    expect(questions).toHaveLength(2)
    questions[0].answer(empty())
    await all[0]
    await settle()
    expect(questions.map(({ body }) => (body as { tag: string }).tag)).toEqual(['a', 'b', 'c'])
    questions[1].answer(empty())
    await all[1]
    await settle()
    expect(questions).toHaveLength(4)
    questions[2].answer(empty())
    questions[3].answer(empty())
    await Promise.all(all)
  })

  it('are not asked for where they were given up while they waited', async () => {
    const first = [fetchGroups('a', [[1]], groupsBody), fetchGroups('b', [[1]], groupsBody)]
    const left = new AbortController()
    const given = expect(fetchGroups('c', [[1]], groupsBody, left.signal)).rejects.toThrow()
    left.abort()
    await settle()
    for (const question of questions) question.answer(empty())
    await Promise.all(first)
    await given
    expect(questions).toHaveLength(2)
    // The place that it did not take is free for others.
    const next = fetchGroups('d', [[1]], groupsBody)
    await settle()
    questions[2].answer(empty())
    await next
  })
})

it('the density of runs is asked for by tag and runs, in binary', async () => {
  const found = fetchDensity('loss', [4, 5], densityBody)
  const unreadable = expect(found).rejects.toMatchObject({ code: 'bad_frame' })
  await settle()
  expect(questions[0]).toMatchObject({
    path: '/api/scalars/density',
    body: { width: 10, height: 5, tag: 'loss', runs: [4, 5], format: 'binary' },
  })
  questions[0].answer(new Response(new ArrayBuffer(8)))
  await unreadable
})

it('groupings are asked for by runs and keys', async () => {
  const found = fetchGroupings([1, 2], ['lr'])
  await settle()
  expect(questions[0]).toMatchObject({ path: '/api/scalars/groupings', body: { runs: [1, 2], by: ['lr'] } })
  questions[0].answer(Response.json({ keys: [], groups: [] }))
  expect(await found).toEqual({ keys: [], groups: [] })
})
