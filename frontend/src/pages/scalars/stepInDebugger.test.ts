import { flushPromises } from '@vue/test-utils'
import { defineComponent, h } from 'vue'
import { expect, it, vi } from 'vitest'

import { useToasts } from '../../components/feedback/toasts'
import { useCursor } from '../../data/runs/cursor'
import { useRuns } from '../../data/runs/runs'
import { fakeServer, wireRun } from '../../testing/fakeServer'
import { mountPage, type Mounted } from '../../testing/mountPage'
import { useStepInDebugger } from './useStepInDebugger'

const Opener = defineComponent({
  setup() {
    const open = useStepInDebugger()
    return () => h('button', { onClick: () => open() })
  },
})

async function press(answer: object): Promise<Mounted & { asked: string[] }> {
  const server = fakeServer([wireRun(1, { name: 'lenet/adam' })])
  server.answers['/api/debugger/steps'] = { run: wireRun(1).id, step: 57, session: null, message: '', ...answer }
  const mounted = await mountPage(Opener, '/settings')
  await useRuns().load()
  useCursor().set(57)
  await mounted.wrapper.get('button').trigger('click')
  await flushPromises()
  return { ...mounted, asked: server.asked.map(({ path }) => path).filter((path) => path.includes('/steps')) }
}

it('opens the session that stands at the step of the cursor', async () => {
  const { router, asked } = await press({ answer: 'current', session: { id: 'abc' } })
  expect(asked).toEqual([`/api/debugger/steps?run=${wireRun(1).id}&step=57`])
  // The page is fetched first.
  await vi.waitFor(() => expect(router.currentRoute.value.fullPath).toBe('/debugger?session=abc'), 10_000)
})

it('says what would be needed where no session has the step', async () => {
  const { router } = await press({ answer: 'passed', session: { id: 'abc' } })
  expect(router.currentRoute.value.name).toBe('settings')
  expect(useToasts().toasts.at(-1)?.text).toContain('lenet/adam has run past step 57')
})
