import { describe, expect, it } from 'vitest'

import { INPUT, OUTPUT } from '../inside'
import { contract, isBookkeeping, MOST_PASSED } from './contract'
import { boxOf, edgeOf } from './made'

const order = (index: number, name: string, more = {}) => boxOf(index, 'node', name, { bookkeeping: 1, ...more })
const none = { except: new Set<string>() }
const shown = (inner: Parameters<typeof contract>[0], except = none) => {
  const found = contract(
    inner,
    inner.boxes.map(({ index }) => String(index)),
    except,
  )
  const named = new Map<number, string>([
    [INPUT, 'in'],
    [OUTPUT, 'out'],
    ...inner.boxes.map(({ index, name }): [number, string] => [index, name]),
  ])
  return {
    boxes: found.boxes.map(({ name }) => name),
    edges: found.edges.map(({ source, target, kind }) => `${named.get(source)} ${kind} ${named.get(target)}`).sort(),
    found,
  }
}

describe('contract', () => {
  it('lets edges through chains of operators that compute nothing', () => {
    const boxes = [
      boxOf(0, 'node', 'Split'),
      order(1, 'TupleGetItem'),
      order(2, 'TupleGetItem'),
      boxOf(3, 'node', 'Mul'),
      order(4, 'MakeTuple'),
      boxOf(5, 'node', 'Concat'),
    ]
    const edges = [
      edgeOf(0, 1, { type: '(Float32[2],Int32[2])' }),
      edgeOf(0, 2),
      edgeOf(1, 3, { type: 'Int32[2]' }),
      edgeOf(2, 4),
      edgeOf(3, 4),
      edgeOf(4, 5),
      edgeOf(INPUT, 4),
      edgeOf(4, OUTPUT),
    ]
    const { boxes: left, edges: told, found } = shown({ boxes, edges })
    expect(left).toEqual(['Split', 'Mul', 'Concat'])
    expect(told).toEqual([
      'Mul data Concat',
      'Mul data out',
      'Split data Concat',
      'Split data Mul',
      'Split data out',
      'in data Concat',
    ])
    expect(found.edges.find(({ source, target }) => source === 0 && target === 3)?.type).toBe('Int32[2]')
  })

  it('keeps the order of side effects as order, unless values keep it already', () => {
    const boxes = [
      boxOf(0, 'node', 'Assign'),
      order(1, 'UpdateState'),
      boxOf(2, 'node', 'Print'),
      boxOf(3, 'node', 'Cast'),
    ]
    const edges = [
      edgeOf(0, 1, { kind: 'monad' }),
      edgeOf(1, 2, { kind: 'monad' }),
      edgeOf(1, 3, { kind: 'monad' }),
      edgeOf(0, 3),
    ]
    expect(shown({ boxes, edges }).edges).toEqual(['Assign data Cast', 'Assign monad Print'])
  })

  it('draws what is asked for, and all where there is nothing else', () => {
    const boxes = [boxOf(0, 'node', 'Add'), order(1, 'Load'), boxOf(2, 'node', 'Mul')]
    const edges = [edgeOf(0, 1), edgeOf(1, 2)]
    expect(shown({ boxes, edges }, { except: new Set(['1']) }).boxes).toEqual(['Add', 'Load', 'Mul'])
    expect(shown({ boxes: boxes.slice(1, 2), edges: [] }).boxes).toEqual(['Load'])
  })

  it('ends on circles', () => {
    const boxes = [boxOf(0, 'node', 'Add'), order(1, 'Load'), order(2, 'Load'), boxOf(3, 'node', 'Mul')]
    expect(shown({ boxes, edges: [edgeOf(0, 1), edgeOf(1, 2), edgeOf(2, 1), edgeOf(2, 3)] }).edges).toEqual([
      'Add data Mul',
    ])
  })

  it('names a box that would be drawn to very many', () => {
    const many = MOST_PASSED + 1
    const boxes = [
      boxOf(0, 'node', 'Weight'),
      order(1, 'Load'),
      ...Array.from({ length: many }, (_, at) => boxOf(at + 2, 'node', `Reader${at}`)),
    ]
    const edges = [edgeOf(0, 1), ...Array.from({ length: many }, (_, at) => edgeOf(1, at + 2))]
    const { edges: told, found } = shown({ boxes, edges })
    expect(told).toEqual([])
    expect(found.boxes.slice(1).every(({ proxies }) => proxies.join() === 'Weight')).toBe(true)
  })

  it('says what stands behind a hub that is left out', () => {
    const boxes = [
      boxOf(0, 'node', 'Weight'),
      order(1, 'Load', { proxies: ['Far'] }),
      boxOf(2, 'node', 'Add', { proxies: ['Load', 'Other'] }),
    ]
    expect(shown({ boxes, edges: [edgeOf(0, 1)] }).found.boxes[1].proxies).toEqual(['Far', 'Weight', 'Other'])
  })

  it('knows groups that hold nothing else', () => {
    expect(isBookkeeping(boxOf(0, 'group', 'Load', { operators: 4, bookkeeping: 4 }))).toBe(true)
    expect(isBookkeeping(boxOf(0, 'group', 'Load', { operators: 4, bookkeeping: 4, parameters: 1 }))).toBe(false)
    expect(isBookkeeping(boxOf(0, 'group', 'Load', { operators: 4, bookkeeping: 3 }))).toBe(false)
    expect(isBookkeeping(boxOf(0, 'node', 'Parameter', { operators: 0 }))).toBe(false)
  })
})
