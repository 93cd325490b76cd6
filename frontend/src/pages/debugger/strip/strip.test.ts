import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'

import { createTexts } from '../../../i18n'
import { useCursor } from '../../../data/runs/cursor'
import { useRuns } from '../../../data/runs/runs'
import { giveElementsSize } from '../../../testing/layout'
import { wireRun } from '../../../testing/fakeServer'
import '../SessionView.vue'
import { openSession } from '../testing/dashboard'
import { CAUSE, HITS, ROW } from '../testing/recorded'

beforeEach(() => giveElementsSize(1200, 1200))

it('is that of the session: its run, with hits, causes and changes as marks', async () => {
  const causes = [{ ...CAUSE, step: 700 }, CAUSE]
  const page = await openSession({ hits: [HITS], causes, row: { ...ROW, run: wireRun(1).id } })
  page.server.answers['/api/runs/edits'] = {
    edits: [
      {
        run: 1,
        segment: 0,
        step: 30,
        wall_time: 1,
        name: 'lr',
        before: 1,
        after: 2,
        author: '',
        note: '',
        error: null,
      },
    ],
  }
  await useRuns().load()
  await flushPromises()
  const { focus } = useCursor()
  expect(focus?.run).toBe(1)
  const titles = (): string[] =>
    focus
      ? mount(focus.marks, {
          props: { place: (step: number) => step, height: 43 },
          global: { plugins: [createTexts('en')] },
        })
          .findAll('title')
          .map((one) => one.text())
      : []
  await vi.waitFor(() =>
    expect(titles()).toEqual([
      '1 change after step 30',
      '3 hits at step 812',
      'Cause at step 700',
      'Cause at step 812',
    ]),
  )
  page.wrapper.unmount()
  expect(useCursor().focus).toBeNull()
})
