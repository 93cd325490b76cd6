import { flushPromises } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { defineComponent, h, ref } from 'vue'

import { fakeServer } from '../testing/fakeServer'
import { mountPage } from '../testing/mountPage'
import { taken } from './similar'
import SimilarNames from './SimilarNames.vue'

const MEANT = {
  name: 'accuracy',
  runs: 1,
  position: 7,
  length: 14,
  others: [
    { name: 'Accuracy', runs: 9, instead: 'Accuracy > 0.9' },
    { name: 'accuracy/val', runs: 3, instead: 'accuracy/val > 0.9' },
  ],
}
const QUERY = '😀x and accuracy > 0.9 and lr < 1'

it('takes one name, or all, into the query', () => {
  expect(taken(QUERY, MEANT, [MEANT.others[0]])).toBe('😀x and Accuracy > 0.9 and lr < 1')
  expect(taken(QUERY, MEANT, MEANT.others, true)).toBe(
    '😀x and (accuracy > 0.9 or Accuracy > 0.9 or accuracy/val > 0.9) and lr < 1',
  )
})

it('says how many runs have each name, and offers the others', async () => {
  const server = fakeServer()
  server.answers['/api/runs/search/similar'] = { names: [MEANT] }
  const query = ref(QUERY)
  const host = defineComponent(
    () => () =>
      h(SimilarNames, { modelValue: query.value, 'onUpdate:modelValue': (next: string) => (query.value = next) }),
  )
  const { wrapper } = await mountPage(host)
  await vi.waitFor(() =>
    expect(wrapper.findAll('span').map((one) => one.text())).toEqual([
      'accuracy: 1 run.',
      'Accuracy: 9 runs.',
      'accuracy/val: 3 runs.',
    ]),
  )
  server.answers['/api/runs/search/similar'] = { names: [] }
  await wrapper.findAll('button')[0].trigger('click')
  await flushPromises()
  expect(query.value).toBe('😀x and Accuracy > 0.9 and lr < 1')
  expect(wrapper.find('[role="status"]').exists()).toBe(false)
})
