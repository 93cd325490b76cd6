import { describe, expect, it } from 'vitest'

import { nameInLink } from './graphNames'

describe('a graph of a link', () => {
  it.each([
    ['graph:lenet:0', 'lenet'],
    ['graph:runs/lenet%20a:0.1', 'lenet a'],
    ['graph:runs/lenet:12:train%3Anet/a', 'train:net/a'],
    ['file:lenet:sub/net.pb', 'sub/net.pb'],
    ['pass:lenet:dumps/02_opt', 'dumps'],
    ['dataset:runs/lenet', 'lenet'],
    ['graph:%ff:0', '%ff'],
  ])('%s is called %s', (link, name) => {
    expect(nameInLink(link)).toBe(name)
  })
  it.each(['series:3:0', 'diff:a~b', 'graph', ''])('%s says no name', (link) => {
    expect(nameInLink(link)).toBeNull()
  })
})
