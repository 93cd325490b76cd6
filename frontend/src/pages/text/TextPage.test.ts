import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Router } from 'vue-router'

import { useCursor } from '../../data/runs/cursor'
import { useRuns } from '../../data/runs/runs'
import { fakeServer, refusal, wireRun, type FakeServer } from '../../testing/fakeServer'
import { giveElementsSize } from '../../testing/layout'
import { mountPage, pressKey } from '../../testing/mountPage'
import type { TextRow } from './library'
import TextPage from './TextPage.vue'

let server: FakeServer
let page: VueWrapper
let router: Router

const series = (run: number, number: number, count: number) => ({
  run,
  series: number,
  segment: 0,
  count,
  first_step: 0,
  last_step: 10 * (count - 1),
  last_wall: null,
})
const STEPS: Record<number, number[]> = { 11: [0, 10, 20], 21: [0, 15], 12: [0] }
const TEXTS: Record<number, string[]> = {
  11: ['the **cat** sat', 'the cat ran', 'a dog ran'],
  21: ['other', 'other two'],
  12: ['| a |\n|---|\n| 1 |'],
}
let changes: Partial<TextRow> = {}

function row(number: number, index: number, characters: number): TextRow {
  const text = TEXTS[number][index]
  const cells = [text.slice(0, characters)]
  return {
    index,
    step: STEPS[number][index],
    wall_time: 1_795_220_000,
    shape: [],
    cells,
    characters: text.length,
    complete: text.length <= characters,
    markdown: true,
    sound: true,
    error: null,
    ...changes,
  }
}

/** Answers that depend on the request. */
function answerTexts(): void {
  const usual = globalThis.fetch as unknown as (request: Request) => Promise<Response>
  vi.stubGlobal('fetch', (request: Request) => {
    const { pathname, searchParams: asked, search } = new URL(request.url)
    const [number, first] = [Number(asked.get('series')), Number(asked.get('first'))]
    if (pathname === '/api/text/steps') {
      const step = STEPS[number].slice(first)
      return Promise.resolve(
        Response.json({ series: number, total: STEPS[number].length, first, step, wall_time: step }),
      )
    }
    if (pathname === '/api/text/list') {
      return Promise.resolve(
        Response.json({
          series: number,
          run: 1,
          tag: 'x',
          total: 3,
          texts: [row(number, first, Number(asked.get('characters')))],
        }),
      )
    }
    if (pathname === '/api/text/search') {
      server.asked.push({ method: 'GET', path: pathname + search })
      const hit = {
        run: 1,
        series: 11,
        tag: 'a',
        index: 1,
        step: 10,
        excerpt: '🙂 the cat ran',
        at: 6,
        length: 3,
        count: 2,
      }
      const second = asked.get('start') === '11:2'
      return Promise.resolve(
        Response.json({ hits: second ? [] : [hit], texts: 2, unreadable: 0, next: second ? null : '11:2' }),
      )
    }
    return usual(request)
  })
}

async function open(address = '/text', language = 'en'): Promise<void> {
  ;({ wrapper: page, router } = await mountPage(TextPage, address, language))
  await useRuns().load()
  await flushPromises()
  await flushPromises()
}

const cards = (): string[] =>
  page
    .findAll('section.card')
    .map((card) => card.attributes('aria-label') ?? '')
    .sort()
const card = (name: string) => page.get(`section.card[aria-label="${name}"]`)

beforeEach(() => {
  giveElementsSize()
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(1200)
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(900)
  changes = {}
  server = fakeServer([wireRun(1), wireRun(2)])
  server.answers['/api/text/tags'] = {
    store: 'st',
    tags: [
      { name: 'a', series: [series(1, 11, 3), series(2, 21, 2)] },
      { name: 'b', series: [series(1, 12, 1)] },
    ],
  }
  answerTexts()
})

describe('the text page', () => {
  it('shows the newest text of every tag and run', async () => {
    await open('/text?form=raw')
    expect(cards()).toEqual(['a of run_1', 'a of run_2', 'b of run_1'])
    expect(card('a of run_1').text()).toContain('a dog ran')
    expect(card('a of run_2').text()).toContain('step 15')
  })

  it('shows the nearest earlier text where a step is missing, and says so', async () => {
    await open('/text?form=raw')
    useCursor().set(12)
    await flushPromises()
    expect(card('a of run_1').text()).toContain('step 10 (requested 12)')
    expect(card('a of run_2').text()).toContain('step 0 (requested 12)')
    useCursor().set(-1)
    await flushPromises()
    expect(card('b of run_1').text()).toContain('No text up to step −1')
  })

  it('goes from one recorded text to the next', async () => {
    await open()
    useCursor().set(0)
    useCursor().move(1)
    expect(useCursor().step).toBe(10)
    useCursor().move(1)
    expect(useCursor().step).toBe(15)
  })

  it('renders Markdown, and shows it as it was written on request', async () => {
    await open('/text?at=0')
    useCursor().set(0)
    await flushPromises()
    await vi.waitFor(() => expect(card('a of run_1').find('strong').text()).toBe('cat'))
    await page.findAll('[role=radio]')[1].trigger('click')
    await flushPromises()
    expect(card('a of run_1').get('pre').text()).toBe('the **cat** sat')
    await vi.waitFor(() => expect(router.currentRoute.value.query).toHaveProperty('form', 'raw'))
  })

  it('shows tables of strings as tables', async () => {
    changes = { shape: [2, 2], cells: ['q', 'a', '1 + 1', '2'] }
    await open('/text?form=raw')
    expect(
      card('b of run_1')
        .findAll('td')
        .map((cell) => cell.text()),
    ).toEqual(['q', 'a', '1 + 1', '2'])
    expect(card('b of run_1').findAll('tr')).toHaveLength(2)
  })

  it('says that a text is cut, was no UTF-8, or cannot be read', async () => {
    changes = { complete: false, characters: 9000, sound: false }
    await open('/text?form=raw')
    expect(card('b of run_1').text()).toContain('of 9,000 characters')
    expect(card('b of run_1').text()).toContain('not UTF-8')
    page.unmount()
    changes = { cells: [], complete: false, error: { code: 'file_gone', message: 'no', detail: { file: 'f.1' } } }
    await open('/text?form=raw')
    expect(card('b of run_1').text()).toContain('The event file f.1 no longer exists')
  })

  it('opens a text in full, and shows all of it only when that is wanted', async () => {
    TEXTS[12] = ['x'.repeat(30_000)]
    await open('/text?form=raw')
    await card('b of run_1').get('[aria-label="Read in full, compare"]').trigger('click')
    await flushPromises()
    const panel = page.get('aside')
    expect(panel.get('pre').text()).toHaveLength(20_000)
    await panel
      .findAll('button')
      .find((button) => button.text() === 'Show all')
      ?.trigger('click')
    await flushPromises()
    expect(page.get('aside pre').text()).toHaveLength(30_000)
    TEXTS[12] = ['| a |\n|---|\n| 1 |']
  })

  it('compares a text with the one before, another step, and another run', async () => {
    await open(`/text?form=raw&with=previous&text=${wireRun(1).id.slice(0, 12)}~a`)
    await vi.waitFor(() => expect(page.find('ins').exists()).toBe(true))
    expect(page.get('aside').text()).toContain('From run_1, step 10 to run_1, step 20')
    expect(page.findAll('del').map((part) => part.text())).toEqual(['the', 'cat'])
    expect(page.findAll('ins').map((part) => part.text())).toEqual(['a', 'dog'])
    const compare = page.findAll('aside li button').filter((button) => button.text().startsWith('compare'))
    await compare[compare.length - 1].trigger('click')
    await flushPromises()
    await vi.waitFor(() => expect(page.get('aside').text()).toContain('From run_1, step 0 to run_1, step 20'))
    await page.get('aside select').setValue('run~2')
    await flushPromises()
    await vi.waitFor(() => expect(page.get('aside').text()).toContain('From run_2, step 15 to run_1, step 20'))
  })

  it('finds words in all texts and leads to the step', async () => {
    await open('/text?find=cat')
    await vi.waitFor(() => expect(page.find('mark').exists()).toBe(true))
    expect(page.get('mark').text()).toBe('cat')
    await vi.waitFor(() => expect(page.get('.results [role=status]').text()).toBe('Found in 1 text, 4 texts searched'))
    await page.get('.hit').trigger('click')
    await flushPromises()
    expect(useCursor().step).toBe(10)
    expect(page.get('aside').attributes('aria-label')).toBe('a of run_1 in full')
  })

  it('has keys', async () => {
    await open()
    const { shortcuts } = await import('../../scaffold/shortcuts')
    shortcuts.press(pressKey('m'))
    await vi.waitFor(() => expect(router.currentRoute.value.query).toHaveProperty('form', 'raw'))
  })
})

describe('without texts', () => {
  it('says how to record one', async () => {
    server.answers['/api/text/tags'] = { store: 'st', tags: [] }
    await open()
    expect(page.text()).toContain('The visible runs have no texts')
    expect(page.text()).toContain('add_text')
  })

  it('leads to the hidden runs that have some', async () => {
    const usual = globalThis.fetch as unknown as (request: Request) => Promise<Response>
    vi.stubGlobal('fetch', (request: Request) =>
      request.url.includes('/api/text/tags?runs=')
        ? Promise.resolve(Response.json({ store: 'st', tags: [] }))
        : usual(request),
    )
    await open()
    useRuns().choose([1])
    const lead = () => page.findAll('button').find((button) => button.text() === 'Show run_2')
    await vi.waitFor(() => expect(lead()).toBeDefined())
    await lead()?.trigger('click')
    expect([...useRuns().visible]).toEqual([2])
  })

  it('says what went wrong and tries again', async () => {
    const good = server.answers['/api/text/tags']
    server.answers['/api/text/tags'] = refusal(500, 'server_error', 'no')
    await open()
    expect(page.get('[role=alert]').text()).toContain('The texts could not be loaded')
    server.answers['/api/text/tags'] = good
    await page.get('[role=alert] button').trigger('click')
    await flushPromises()
    expect(cards()).toHaveLength(3)
  })

  it('speaks Chinese', async () => {
    server.answers['/api/text/tags'] = { store: 'st', tags: [] }
    await open('/text', 'zh-CN')
    expect(page.text()).toContain('可见的训练没有文本')
  })
})
