import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import { h, type FunctionalComponent } from 'vue'

import { useCursor } from '../../data/runs/cursor'
import { useRuns } from '../../data/runs/runs'
import { fakeServer, wireRun } from '../../testing/fakeServer'
import { mountPage } from '../../testing/mountPage'
import StepStrip from './StepStrip.vue'

/** Lays the strip out, so that it is drawn. */
function giveWidth(): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly tell: (entries: unknown[]) => void) {}
      observe(): void {
        this.tell([{ contentRect: { width: 800, height: 43 } }])
      }
      disconnect(): void {}
    },
  )
}

async function open(): Promise<VueWrapper> {
  fakeServer([wireRun(10), wireRun(20)])
  const { wrapper } = await mountPage(StepStrip)
  await useRuns().load()
  await flushPromises()
  return wrapper
}

describe('the step strip', () => {
  it('is a slider over the steps of the visible runs', async () => {
    const slider = (await open()).get('[role="slider"]')
    expect(slider.attributes()).toMatchObject({
      'aria-valuemin': '0',
      'aria-valuemax': '2000',
      'aria-valuenow': '2000',
    })
    expect(slider.attributes('aria-valuetext')).toBe('step 2,000, following the newest')
  })

  it('moves by keys and then offers to follow again', async () => {
    const wrapper = await open()
    const slider = wrapper.get('[role="slider"]')
    await slider.trigger('keydown', { key: 'Home' })
    expect(useCursor().step).toBe(0)
    await slider.trigger('keydown', { key: 'ArrowRight' })
    await slider.trigger('keydown', { key: 'ArrowRight', shiftKey: true })
    expect(useCursor().step).toBe(11)
    await wrapper.get('.tail button').trigger('click')
    expect(useCursor().follow).toBe(true)
    expect(wrapper.find('.tail button').exists()).toBe(false)
  })

  it('draws what very many runs reach as one area, and those that people marked as lines', async () => {
    const marks = {
      version: 1,
      tags: [],
      colour: null,
      note: '',
      pinned: true,
      archived: false,
      icon: 0,
      hidden: false,
      baseline: false,
      display_name: '',
      changed: 0,
    }
    giveWidth()
    fakeServer(Array.from({ length: 300 }, (_, at) => wireRun(at + 1, at === 7 ? { marks } : {})))
    const { wrapper } = await mountPage(StepStrip)
    await useRuns().load()
    useRuns().showAll()
    await flushPromises()
    expect([wrapper.findAll('.area').length, wrapper.findAll('svg > line[stroke-width]').length]).toEqual([1, 1])
  })

  it('has buttons for the logged steps beside', async () => {
    const wrapper = await open()
    await wrapper.findAll('.now button')[0].trigger('click')
    expect(useCursor().step).toBe(1999)
    await wrapper.findAll('.now button')[1].trigger('click')
    expect(useCursor().follow).toBe(true)
  })

  it('shows one run with marks while a page is about it', async () => {
    giveWidth()
    const wrapper = await open()
    const marks: FunctionalComponent<{ place: (step: number) => number }> = ({ place }) =>
      h('circle', { class: 'mark', cx: place(700) })
    marks.props = ['place', 'height']
    const end = useCursor().narrow(() => ({ run: 10, marks }))
    useCursor().follows(() => [{ step: [500], length: 1, rowAt: () => 0 }])
    await flushPromises()
    expect(useCursor().extent?.last).toBe(useRuns().byNumber.get(10)?.lastStep)
    expect(wrapper.findAll('svg > line[stroke-width]').length).toBe(1)
    expect(Number(wrapper.get('.mark').attributes('cx'))).toBeGreaterThan(16)
    end()
    await flushPromises()
    expect(wrapper.find('.mark').exists()).toBe(false)
  })
})
