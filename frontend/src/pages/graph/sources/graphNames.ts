/**
 * What a graph is called by the way that links name it (mindinsight/graphs/scene/api.md), before the list of graphs is
 * there. Pure; called by the page.
 */

/** Names carry any bytes; those that are no text are left as they are written. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Its tag, file or folder, else the last part of its run's name; null where the link says neither. */
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
