import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { defineComponent, h } from 'vue'

import type { Progress } from '../../data/runs/reading'
import { createTexts } from '../../i18n'
import { percentOf, useProgressText } from './progressText'
import ReadProgress from '../feedback/ReadProgress.vue'

const PROGRESS: Progress = { runs: 1, done: 30.9e9, total: 50e9, eventsPerSecond: 3.2e6, secondsLeft: 11.2 }

function words(progress: Progress, language = 'en'): string[] {
  const probe = defineComponent({
    setup() {
      const text = useProgressText()
      return () => [text.short, text.full, text.several].map((say) => h('p', say(progress)))
    },
  })
  return mount(probe, { global: { plugins: [createTexts(language)] } })
    .findAll('p')
    .map((one) => one.text())
}

describe('progress in words', () => {
  it('says how much, how fast and how long', () => {
    expect(words(PROGRESS)).toEqual([
      '61 %',
      '61 % of 50 GB read, 3.20M events/s, 12 s left',
      'Reading 1 run: 61 %, about 12 s left',
    ])
    expect(words({ ...PROGRESS, runs: 3, secondsLeft: 300 })[2]).toBe('Reading 3 runs: 61 %, about 5 min left')
  })

  it('leaves out a time and a pace that nobody knows', () => {
    expect(words({ ...PROGRESS, eventsPerSecond: 0, secondsLeft: null })[1]).toBe('61 % of 50 GB read')
    expect(words({ ...PROGRESS, secondsLeft: null }).slice(1)).toEqual([
      '61 % of 50 GB read, 3.20M events/s',
      'Reading 1 run: 61 %',
    ])
  })

  it('speaks Chinese', () => {
    expect(words(PROGRESS, 'zh-CN')[1]).toBe('已读取 50 GB 的 61%，每秒 3.20M 个事件，剩余 12 s')
  })

  it('is never done before it is', () => {
    expect([
      percentOf({ done: 999.9, total: 1000 }),
      percentOf({ done: 0, total: 0 }),
      percentOf({ done: 0.4, total: 100 }),
    ]).toEqual([99, 0, 0])
  })
})

it('is a bar that is read aloud', () => {
  const bar = mount(ReadProgress, {
    props: { progress: PROGRESS, label: 'Reading adam' },
    global: { plugins: [createTexts('en')] },
  })
  expect(bar.attributes()).toMatchObject({
    role: 'progressbar',
    'aria-label': 'Reading adam',
    'aria-valuenow': '61',
    'aria-valuetext': '61 % of 50 GB read, 3.20M events/s, 12 s left',
  })
})
