import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { expect, it, onTestFinished, vi } from 'vitest'

import { createTexts } from '../../../i18n'
import { fakeServer, refusal, type FakeServer } from '../../../testing/fakeServer'
import ValueExports from './ValueExports.vue'

const WRITING = {
  id: 'e1',
  format: 'csv',
  state: 'writing',
  runs: ['a', 'b', 'c'],
  done: 1,
  points: 10,
  values: 0,
  notes: ['a: Left out: histograms (2).'],
  message: '',
  size: 100,
  created: 1,
  display_name: '',
  changed: 2,
}

async function open(exports: object[], numbers = [4, 5]): Promise<{ wrapper: VueWrapper; server: FakeServer }> {
  const server = fakeServer()
  server.answers['/api/exports'] = { exports }
  const wrapper = mount(ValueExports, { props: { numbers }, global: { plugins: [createTexts('en')] } })
  onTestFinished(() => wrapper.unmount())
  await flushPromises()
  return { wrapper, server }
}

it('asks for the listed runs and shows how far their export is, until it can be fetched', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { wrapper, server } = await open([])
  server.answers['/api/exports'] = { exports: [WRITING] }
  await wrapper.get('form').trigger('submit')
  await flushPromises()
  expect(server.asked.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET'])
  expect(wrapper.text()).toContain('1 of 3 runs written')
  expect(wrapper.get('progress').attributes()).toMatchObject({ value: '1', max: '3' })
  server.answers['/api/exports'] = { exports: [{ ...WRITING, state: 'done', done: 3, size: 2_000_000 }] }
  await vi.advanceTimersByTimeAsync(1000)
  expect(wrapper.get('a').attributes('href')).toMatch(/\/api\/exports\/e1\/file$/)
  expect(wrapper.text()).toContain('1 remark')
  await vi.advanceTimersByTimeAsync(5000)
  expect(server.asked).toHaveLength(4)
})

it('says why one failed, and why none can begin', async () => {
  const { wrapper, server } = await open([
    { ...WRITING, state: 'failed', message: 'b: There are no event files in b.' },
  ])
  expect(wrapper.get('.err').text()).toContain('There are no event files in b.')
  server.answers['/api/exports'] = refusal(400, 'parquet_missing', 'Install pyarrow.')
  await wrapper.get('form').trigger('submit')
  await flushPromises()
  expect(wrapper.get('[role="status"]').text()).toContain("pip install 'mindinsight[parquet]'")
})
