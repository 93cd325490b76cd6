import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Router } from 'vue-router'

import { useCursor } from '../../data/runs/cursor'
import { useRuns } from '../../data/runs/runs'
import { fakeServer, refusal, wireRun, type FakeServer } from '../../testing/fakeServer'
import { giveElementsSize } from '../../testing/layout'
import { mountPage } from '../../testing/mountPage'
import ImagesPage from './ImagesPage.vue'

const broken = new Set<string>()
let together = 1
const fetched: string[] = []
// Only a browser decodes pictures.
vi.mock('./pixels', async (original) => ({
  ...(await original<typeof import('./pixels')>()),
  valueAt: () => [1, 2, 3, 255],
  isGrey: () => true,
  regionOf: (_: unknown, __: number, ___: number, width: number, height: number) =>
    Uint8ClampedArray.from({ length: 4 * width * height }, (_, at) => at % 4),
  pixelsOf: () => null,
}))

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
const steps = (number: number, step: number[]) => ({
  series: number,
  total: step.length,
  first: 0,
  step,
  wall_time: step,
})

function stepsOf(all: Record<number, number[]>): void {
  const usual = globalThis.fetch as unknown as (request: Request) => Promise<Response>
  vi.stubGlobal('fetch', (request: Request) => {
    const url = new URL(request.url)
    const number = Number(url.searchParams.get('series'))
    if (url.pathname === '/api/images/steps') {
      server.asked.push({ method: 'GET', path: url.pathname + url.search })
      return Promise.resolve(Response.json(steps(number, all[number].slice(Number(url.searchParams.get('first'))))))
    }
    if (url.pathname === '/api/images/list') {
      const error = broken.size
        ? { code: 'unsupported_picture', message: 'no', detail: { file: 'a/events.1', offset: 4096 } }
        : null
      const index = Number(url.searchParams.get('first'))
      return Promise.resolve(
        Response.json({
          series: number,
          run: 1,
          tag: 'x',
          total: 1,
          images: [{ index, step: 0, wall_time: 0, pictures: together, width: 4, height: 2, type: 'image/png', error }],
        }),
      )
    }
    return usual(request)
  })
}

async function open(address = '/images', language = 'en'): Promise<void> {
  ;({ wrapper: page, router } = await mountPage(ImagesPage, address, language))
  await useRuns().load()
  await flushPromises()
  await flushPromises()
}

const labels = (): string[] => page.findAll('figure.cell').map((cell) => cell.attributes('aria-label') ?? '')
const captions = (): string[] => page.findAll('figure.cell figcaption').map((caption) => caption.text())

beforeEach(() => {
  giveElementsSize()
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(1200)
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(600)
  broken.clear()
  together = 1
  fetched.length = 0
  vi.stubGlobal(
    'Image',
    class {
      naturalWidth = 4
      naturalHeight = 2
      set src(url: string) {
        fetched.push(url)
      }

      decoding = ''
      decode = (): Promise<void> => (broken.size ? Promise.reject(new Error('broken')) : Promise.resolve())
    },
  )
  server = fakeServer([wireRun(1), wireRun(2)])
  server.answers['/api/images/tags'] = {
    store: 'st',
    tags: [
      { name: 'a', series: [series(1, 11, 3), series(2, 21, 2)] },
      { name: 'b', series: [series(1, 12, 1)] },
    ],
  }
  stepsOf({ 11: [0, 10, 20], 21: [0, 15], 12: [0] })
})

describe('the images page', () => {
  it('shows tags by runs at the newest step', async () => {
    await open()
    expect(labels().sort()).toEqual(['a of run_1', 'a of run_2', 'b of run_1'])
    expect(captions().sort()).toEqual(['step 04 × 2', 'step 154 × 2', 'step 204 × 2'])
    expect(page.text()).toContain('not recorded')
    expect(page.find('figure.cell img').attributes('src')).toContain('store=st')
  })

  it('shows the nearest earlier image where a step is missing, and says so', async () => {
    await open('/images')
    useCursor().set(15)
    await flushPromises()
    expect(captions().sort()).toEqual(['step 154 × 2', '▲ 0, requested 15', '▲ 10, requested 15'])
    useCursor().set(-5)
    await flushPromises()
    expect(page.text()).toContain('No image up to step −5')
  })

  it('goes from one recorded image to the next', async () => {
    await open()
    useCursor().set(0)
    useCursor().move(1)
    expect(useCursor().step).toBe(10)
    useCursor().move(1)
    expect(useCursor().step).toBe(15)
    useCursor().move(-2)
    expect(useCursor().step).toBe(0)
  })

  it('has every recorded step of a tag in its film', async () => {
    await open()
    const shots = page.findAll('.shot')
    expect(shots.map((shot) => shot.text())).toHaveLength(page.get('.film').text().includes('2 recorded') ? 2 : 3)
    await shots[0].trigger('click')
    expect(useCursor().step).toBe(0)
    expect(page.get('[aria-current="step"]').attributes('aria-label')).toBe('step 0')
    await page.findAll('.tag button')[1].trigger('click')
    await flushPromises()
    expect(page.get('.film').text()).toContain('1 recorded step')
  })

  it('zooms all pictures together, by keys too, and back', async () => {
    await open()
    const frames = page.findAll('.frame')
    await frames[0].trigger('keydown', { key: '+' })
    const transforms = page.findAll('.layer').map((layer) => layer.attributes('style'))
    expect(new Set(transforms).size).toBe(1)
    expect(transforms[0]).toContain('scale(1.5)')
    expect(captions()[0]).toBe('2, 1: 1 2 3')
    await frames[1].trigger('keydown', { key: '0' })
    expect(page.get('.layer').attributes('style')).toContain('scale(1)')
  })

  it('lets the wheel scroll until a picture is zoomed or focused', async () => {
    await open()
    const wheel = (): boolean => {
      const event = new WheelEvent('wheel', { deltaY: -300, cancelable: true })
      page.get('.frame').element.dispatchEvent(event)
      return event.defaultPrevented
    }
    expect(wheel()).toBe(false)
    ;(page.get('.frame').element as HTMLElement).focus()
    expect(wheel()).toBe(true)
  })

  it('makes all brighter', async () => {
    await open('/images?light=1.5')
    expect(page.findAll('.layer img').every((image) => image.attributes('style')?.includes('picture-light'))).toBe(true)
  })

  it('compares two, which stand in the address', async () => {
    await open()
    const boxes = page.findAll('figure.cell input[type=checkbox]')
    await boxes[0].trigger('change')
    await flushPromises()
    expect(page.get('aside').text()).toContain('Select a second picture')
    await boxes[1].trigger('change')
    await vi.waitFor(() => expect(router.currentRoute.value.query).toHaveProperty('b'))
    expect(page.findAll('aside .frame')).toHaveLength(2)
    await page.get('aside [aria-label="Close"]').trigger('click')
    expect(page.find('aside').exists()).toBe(false)
  })

  it('plays from the first recorded step on and stops at the newest', async () => {
    await open()
    vi.useFakeTimers()
    await page.get('[aria-label="Play the recorded steps (p)"]').trigger('click')
    expect(useCursor().step).toBe(0)
    await vi.advanceTimersByTimeAsync(250)
    expect(useCursor().step).toBe(10)
    await vi.advanceTimersByTimeAsync(5000)
    expect(page.find('[aria-label="Play the recorded steps (p)"]').exists()).toBe(true)
    vi.useRealTimers()
  })

  it('fetches what comes next while it plays', async () => {
    await open('/images?tag=a')
    useCursor().set(0)
    await flushPromises()
    fetched.length = 0
    await page.get('[aria-label="Play the recorded steps (p)"]').trigger('click')
    await flushPromises()
    expect(fetched.filter((url) => url.includes('series=11')).map((url) => /index=(\d)/.exec(url)?.[1])).toEqual([
      '1',
      '2',
    ])
  })

  it('says why a picture cannot be shown, and where it stands', async () => {
    broken.add('all')
    await open()
    await vi.waitFor(() => expect(page.text()).toContain('not PNG, JPEG, GIF, BMP or WebP'))
    expect(page.text()).toContain('a/events.1, byte 4,096')
  })

  it('has steps of one run side by side, and compares two of them', async () => {
    await open('/images?by=step&tag=^a$')
    await vi.waitFor(() => expect(page.findAll('.run').length).toBeGreaterThan(1))
    const heads = page.findAll('.run').map((head) => head.text())
    expect([
      ['step 0', 'step 10', 'step 20'],
      ['step 0', 'step 15'],
    ]).toContainEqual(heads)
    expect(page.get('.run.here').text()).toBe(heads[heads.length - 1])
    const boxes = page.findAll('figure.cell input[type=checkbox]')
    await boxes[0].trigger('change')
    await boxes[1].trigger('change')
    await vi.waitFor(() => expect(router.currentRoute.value.query['b']).toMatch(/@1[05]~a$/))
    expect(page.findAll('figure.cell .picked')).toHaveLength(2)
    await vi.waitFor(() =>
      expect(page.findAll('aside figcaption').map((caption) => caption.text())).toEqual([
        expect.stringContaining('step 0'),
        expect.stringContaining(heads[1]),
      ]),
    )
  })

  it('shows pictures that were recorded together as tiles, or one of them', async () => {
    together = 3
    await open('/images?tag=^b$')
    await vi.waitFor(() => expect(page.findAll('.tiles img')).toHaveLength(3))
    expect(page.get('.tiles').attributes('aria-label')).toContain('3 pictures as tiles')
    await page.get('[aria-label="Picture of those recorded together"]').setValue('1')
    await flushPromises()
    expect(page.find('.tiles').exists()).toBe(false)
    expect(page.get('figure.cell img').attributes('src')).toContain('number=1')
  })

  it('looks closely at one picture: pixels, light, saving', async () => {
    await open('/images?tag=^b$')
    await page.get('figure.cell input[type=checkbox]').trigger('change')
    await flushPromises()
    expect(page.get('aside h2').text()).toBe('b · run_1')
    expect(page.findAll('aside td').map((cell) => cell.text())).toEqual(Array(8).fill('1'))
    await page.get('aside [aria-label="Channel"]').setValue('blue')
    expect(page.get('aside td').text()).toBe('2')
    expect(page.get('aside a[download]').attributes()).toMatchObject({
      href: expect.stringContaining('series=12'),
      download: 'run_1-b-0',
    })
    await page.get('aside [aria-label="Gamma"]').setValue('2')
    await page.get('aside [aria-label="Colour map"]').setValue('viridis')
    expect(page.get('figure.cell img').attributes('style')).toContain('picture-light-grey')
    expect(page.get('#picture-light-grey').html()).toContain('tableValues')
    expect(page.get('#picture-light').html()).not.toContain('tableValues')
    await page.get('aside .acts button').trigger('click')
    expect(page.get('figure.cell img').attributes('style')).not.toContain('picture-light')
  })

  it('draws a curtain over two pictures', async () => {
    await open('/images?tag=^a$&compare=swipe')
    for (const box of page.findAll('figure.cell input[type=checkbox]')) await box.trigger('change')
    await flushPromises()
    await page.get('[aria-label="Position of the curtain"]').setValue('30')
    expect(page.get('.over').attributes('style')).toContain('inset(0 0 0 30%)')
  })
})

describe('without images', () => {
  it('says how to record one', async () => {
    server.answers['/api/images/tags'] = { store: 'st', tags: [] }
    await open()
    expect(page.text()).toContain('The visible runs have no images')
    expect(page.text()).toContain('add_image')
  })

  it('leads on where there is no run, and where all are hidden', async () => {
    await open()
    useRuns().choose([])
    await flushPromises()
    expect(page.text()).toContain('All 2 runs are hidden')
  })

  it('offers the way back from a filter', async () => {
    await open('/images?tag=qqq')
    expect(page.text()).toContain('No tag matches “qqq”')
    await page.get('.textlink').trigger('click')
    await flushPromises()
    expect(labels()).toHaveLength(3)
  })

  it('says what went wrong and tries again', async () => {
    const good = server.answers['/api/images/tags']
    server.answers['/api/images/tags'] = refusal(500, 'server_error', 'no')
    await open()
    expect(page.get('[role=alert]').text()).toContain('The images could not be loaded')
    server.answers['/api/images/tags'] = good
    await page.get('[role=alert] button').trigger('click')
    await flushPromises()
    expect(labels()).toHaveLength(3)
  })

  it('speaks Chinese', async () => {
    server = fakeServer()
    await open('/images', 'zh-CN')
    expect(page.text()).toContain('暂无训练')
  })
})
