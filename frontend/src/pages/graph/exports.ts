/**
 * What the graph is saved as: kinds, the part that is open as JSON, and the file. Called by the page and its toolbar.
 */
import { saveFile } from '../../components/browser/saveFile'
import { insideOf } from '../../graphs/paths'
import type { Inside } from '../../graphs/answers'
import type { Asked } from '../../graphs/requests'

export const EXPORT_KINDS = ['png', 'svg', 'json'] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]

/** What is drawn: the root and the open boxes, each with its boxes and edges. */
export function jsonOf(asked: Asked, open: readonly string[], insides: ReadonlyMap<string, Inside>): string {
  const shown = ['', ...open].flatMap((path) => {
    const inside = insides.get(insideOf(path))
    return inside ? [{ path, title: inside.title, boxes: inside.boxes, edges: inside.edges }] : []
  })
  return JSON.stringify({ ...asked, address: document.location.href, insides: shown }, null, 1)
}

export function save(content: Blob, name: string, ending: string): void {
  saveFile(content, `${name.replaceAll(/[^\w.-]+/g, '_') || 'graph'}.${ending}`)
}
