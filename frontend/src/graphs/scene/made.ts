/** Handmade insides, for tests. */
import type { Inside, InsideBox, InsideEdge } from '../inside'

export function boxOf(index: number, kind: InsideBox['kind'], name: string, more: Partial<InsideBox> = {}): InsideBox {
  return {
    index,
    kind,
    name,
    op: kind === 'node' ? name : null,
    nodes: 1,
    operators: 1,
    bookkeeping: 0,
    parameters: 0,
    consts: 0,
    phase: 'forward',
    count: 1,
    inside: kind === 'node' ? 0 : 3,
    substructure: null,
    type: 'Float32[2,3]',
    node: null,
    params: [],
    params_count: 0,
    consts_count: 0,
    variants: [],
    status: null,
    changes: null,
    proxies: [],
    pair: null,
    ...more,
  }
}

export function edgeOf(source: number, target: number, more: Partial<InsideEdge> = {}): InsideEdge {
  return {
    source,
    target,
    count: 1,
    kind: 'data',
    type: 'Float32[2,3]',
    types: 1,
    bytes: null,
    phase: null,
    status: null,
    ...more,
  }
}

export function insideOf(
  box: string,
  template: string,
  boxes: InsideBox[],
  edges: InsideEdge[],
  more: Partial<Inside> = {},
): Inside {
  return { graph: 'g', box, template, title: '', boxes, edges, instances: null, ...more }
}

/**
 * A graph with a group (0), a stack of four layers with a group inside each (1), and an operator of the optimizer (2).
 */
export async function loadMade(path: string): Promise<Inside> {
  if (path === '') {
    return insideOf(
      '',
      'root',
      [
        boxOf(0, 'group', 'embeddings'),
        boxOf(1, 'stack', 'Layer', { count: 4, variants: [3] }),
        boxOf(2, 'node', 'Momentum', { phase: 'optimizer' }),
      ],
      [edgeOf(0, 1), edgeOf(1, 2)],
    )
  }
  if (/^1(#\d)?$/.test(path)) {
    const instances =
      path === '1'
        ? Array.from({ length: 4 }, (_, at) => ({
            instance: at,
            name: `layers.${at}`,
            differs: at === 3,
            reads: at ? [at - 1] : [],
            status: null,
            changes: null,
          }))
        : null
    return insideOf(
      path,
      'layer',
      [boxOf(0, 'node', 'MatMul'), boxOf(1, 'group', 'attention'), boxOf(2, 'node', 'Add')],
      [edgeOf(-1, 0), edgeOf(0, 1), edgeOf(1, 2), edgeOf(-1, 2), edgeOf(2, -2)],
      { instances },
    )
  }
  if (path === '0' || /^1#\d\.1$/.test(path)) {
    return insideOf(
      path,
      path === '0' ? 'embeddings' : 'attention',
      [boxOf(0, 'node', 'Gather'), boxOf(1, 'node', 'Mul')],
      [edgeOf(-1, 0), edgeOf(0, 1), edgeOf(1, -2)],
    )
  }
  throw new Error(`no box ${path}`)
}
