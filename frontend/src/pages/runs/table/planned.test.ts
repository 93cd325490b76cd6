import { expect, it } from 'vitest'

import { plannedSteps } from './planned'

it.each([
  [{ total_steps: 400, epochs: 3 }, 400],
  [{ epochs: 3, steps_per_epoch: 10 }, 30],
  [{ epoch: 2, train_dataset_size: 101, batch_size: 10 }, 22],
  [{ epochs: 3 }, null],
  [{ total_steps: 'many' }, null],
  [{ max_steps: -1 }, null],
  [{}, null],
])('the planned steps of %j are %s', (params, steps) => {
  expect(plannedSteps(params)).toBe(steps)
})
