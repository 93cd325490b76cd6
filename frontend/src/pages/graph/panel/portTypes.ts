/** Types of the inputs and outputs of a box, read from its container's edges. Pure; called by panels. */
import type { Edge, Inside } from '../../../graphs/answers'

export interface Port {
  /** Name of the box at the other end; null if it lies outside the container. */
  name: string | null
  index: number
  type: string
  count: number
  kind: Edge['kind']
}

/** @returns inputs and outputs of the box with this index in its container */
export function portsOf(inside: Inside, index: number): { inputs: Port[]; outputs: Port[] } {
  const names = new Map(inside.boxes.map((box) => [box.index, box.count > 1 ? `${box.name} ×${box.count}` : box.name]))
  const port = (other: number, { type, count, kind }: Edge): Port => ({
    name: names.get(other) ?? null,
    index: other,
    type,
    count,
    kind,
  })
  return {
    inputs: inside.edges.filter(({ target }) => target === index).map((edge) => port(edge.source, edge)),
    outputs: inside.edges.filter(({ source }) => source === index).map((edge) => port(edge.target, edge)),
  }
}
