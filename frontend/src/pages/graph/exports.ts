/** Exports of the graph: the formats, the open part as JSON, and the file. Called by the page and its toolbar. */
import { saveFile } from '../../components/browser/saveFile'
import { insideOf } from '../../graphs/paths'
import type { Inside } from '../../graphs/answers'
import type { Asked } from '../../graphs/requests'
import type { GraphModel } from '../../graphs/useGraph'

export const EXPORT_KINDS = ['png', 'svg', 'json'] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]

/** A drawing that can be saved as a picture. */
interface Pictured {
  svg: () => string | undefined
  png: () => Promise<Blob> | undefined
}

/** The drawn part: the root and the open boxes, each with its boxes and edges. */
export function jsonOf(asked: Asked, open: readonly string[], insides: ReadonlyMap<string, Inside>): string {
  const shown = ['', ...open].flatMap((path) => {
    const inside = insides.get(insideOf(path))
    return inside ? [{ path, title: inside.title, boxes: inside.boxes, edges: inside.edges }] : []
  })
  return JSON.stringify({ ...asked, address: document.location.href, insides: shown }, null, 1)
}

function save(content: Blob, name: string, ending: string): void {
  saveFile(content, `${name.replaceAll(/[^\w.-]+/g, '_') || 'graph'}.${ending}`)
}

/** Saves a graph in one of the formats. */
export async function exportGraph(
  kind: ExportKind,
  name: string,
  { model, open, stage }: { model: GraphModel; open: readonly string[]; stage: Pictured | null },
): Promise<void> {
  if (kind === 'json' && model.asked.value) {
    const json = jsonOf(model.asked.value, open, model.insides)
    save(new Blob([json], { type: 'application/json' }), name, 'json')
  }
  if (kind === 'svg') save(new Blob([stage?.svg() ?? ''], { type: 'image/svg+xml' }), name, 'svg')
  if (kind === 'png') save(await (stage?.png() ?? Promise.reject(new Error())), name, 'png')
}
