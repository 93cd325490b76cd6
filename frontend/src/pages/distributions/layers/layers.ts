/** Cards of layers: what a layer recorded, of all shown runs. Pure. */
import { GAP, type GridRow } from '../../../components/lists/cardRows'
import type { Pool } from '../pools'
import type { RunTag } from '../tags'
import { sized } from '../../../components/browser/rem'

/** A plot in the card of a layer: a tag of one run, or of several as curves of one plot. */
export interface Pane {
  key: string
  /** The tag without the layer's name. */
  part: string
  lines: RunTag[]
}

export interface Layer {
  key: string
  name: string
  panes: Pane[]
  /** The panes that are left out until somebody wants to see all. */
  hidden: number
}

export interface LayerRow extends GridRow {
  kind: 'layers'
  layers: { layer: Layer; span: number }[]
}

/** Panes of one card beyond these come on request. */
const MOST_PANES = 24
const PANE_HEIGHT = sized(204)
const LAYER_HEAD = sized(34)
const MORE_HEIGHT = sized(34)

/** What `SummaryCollector` puts behind the name of a parameter. */
const COLLECTED = '/auto'

/** What a gradient has behind the name of its parameter. */
const GRADIENT = /[./_]grad(ient)?$/

/**
 * The layer of a tag: the tag without the name of the parameter and what stands behind it. A tag of one part is its own
 * layer.
 */
export function layerOf(tag: string): string {
  const name = (tag.endsWith(COLLECTED) ? tag.slice(0, -COLLECTED.length) : tag).replace(GRADIENT, '')
  const at = Math.max(name.lastIndexOf('.'), name.lastIndexOf('/'))
  return at > 0 ? name.slice(0, at) : tag
}

function panesOf(layer: string, groups: readonly RunTag[][], pool: Pool): Pane[] {
  return groups.flatMap((group) => {
    const [{ tag }] = group
    const part = tag === layer ? '' : tag.slice(layer.length + 1)
    return pool === 'overlaid' && group.length > 1
      ? [{ key: `over:${tag}`, part, lines: group }]
      : group.map((one) => ({ key: one.key, part, lines: [one] }))
  })
}

/**
 * Layers in the order of their first tag. A layer with one tag has the name of that tag.
 * @param all the layers whose panes are all shown
 */
export function layersOf(groups: readonly RunTag[][], pool: Pool, all: ReadonlySet<string> = new Set()): Layer[] {
  const found = new Map<string, RunTag[][]>()
  for (const group of groups) {
    const layer = layerOf(group[0].tag)
    const known = found.get(layer)
    if (known) known.push(group)
    else found.set(layer, [group])
  }
  return [...found].map(([layer, tags]) => {
    const name = tags.length > 1 ? layer : tags[0][0].tag
    const panes = panesOf(name, tags, pool)
    const shown = all.has(layer) ? panes : panes.slice(0, MOST_PANES)
    return { key: layer, name, panes: shown, hidden: panes.length - shown.length }
  })
}

/** Each tag as a card of its own, in the same form. */
export function tagLayers(groups: readonly RunTag[][], pool: Pool, all: ReadonlySet<string> = new Set()): Layer[] {
  return groups.flatMap((group) => layersOf([group], pool, all).map((one) => ({ ...one, key: group[0].tag })))
}

/** Rows of layers: a layer is as wide as its panes need, at most a row; those that fit stand beside each other. */
export function layerRows(layers: readonly Layer[], columns: number): LayerRow[] {
  const rows: LayerRow[] = []
  let free = 0
  for (const layer of layers) {
    const span = Math.max(1, Math.min(columns, layer.panes.length))
    const height =
      LAYER_HEAD + PANE_HEIGHT * Math.ceil(layer.panes.length / span) + (layer.hidden ? MORE_HEIGHT : 0) + GAP
    const row = rows[rows.length - 1]
    if (row && span <= free && (row.height === height || span < columns)) {
      row.layers.push({ layer, span })
      row.height = Math.max(row.height, height)
      free -= span
    } else {
      rows.push({ kind: 'layers', key: `layer:${layer.key}`, height, layers: [{ layer, span }] })
      free = columns - span
    }
  }
  return rows
}
