import { expect, it } from 'vitest'

import { messagesOf, type Messages } from '../i18n'

const sources = import.meta.glob<string>(['../**/*.ts', '../**/*.vue', '!../**/*.test.ts'], {
  eager: true,
  query: '?raw',
  import: 'default',
})
const all = Object.values(sources).join('\n')
const edits = messagesOf('en')['edits'] as Messages
const [names, words] = [edits['param'] as Messages, edits['word'] as Messages]

/** Formats and colour maps have the same names everywhere. */
const NAMES = /^(\d+|fp16|bf16|viridis|cividis|inferno|grey|)$/

function lists(name: string): string[] {
  const found = [...all.matchAll(new RegExp(`export const ${name}\\b[^=]*= \\[([^\\]]*)\\]`, 'g'))]
  return found.flatMap(([, list]) => [...list.matchAll(/'([^']+)'/g)].map(([, one]) => one))
}

it('has words for every parameter that can be undone', () => {
  const plain = [...all.matchAll(/useQueryParam\('(\w+)', (?!said)/g)].map(([, name]) => name)
  expect(plain.length).toBeGreaterThan(40)
  expect(plain.filter((name) => !(name in names))).toEqual([])
})

it('has words for every choice that can be undone', () => {
  const choices = [...all.matchAll(/useQueryParam\('\w+', choiceParam(?:<[^>]*>)?\((?:(\w+)|\[([^\]]*)\])/g)]
  const texts = choices.flatMap(([, name, list]) =>
    name ? lists(name) : [...list.matchAll(/'([^']*)'/g)].map(([, one]) => one),
  )
  expect(texts).toEqual(expect.arrayContaining(['density', 'fp16', 'archived', 'clip']))
  expect([...new Set(texts)].filter((text) => !NAMES.test(text) && !(text in words))).toEqual([])
})
