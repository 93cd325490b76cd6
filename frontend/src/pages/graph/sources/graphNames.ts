/**
 * The label of a graph, derived from its address (mindinsight/graphs/scene/api.md) before the list of graphs is loaded.
 * Pure; called by the page.
 */

/** Names may hold any bytes; those that are not valid text stay encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Its tag, file or folder, otherwise the last part of its run's name; null if the link has neither. */
export function nameInLink(graph: string): string | null {
  const [kind, run, ...rest] = graph.split(':').map(decoded)
  const what = rest.join(':')
  const byKind: Record<string, string | undefined> = {
    graph: rest.slice(1).join(':'),
    file: what,
    pass: what.split('/').slice(0, -1).join('/'),
    dataset: '',
  }
  const name = byKind[kind]
  return name === undefined || !run ? null : name || run.split('/').at(-1) || null
}
