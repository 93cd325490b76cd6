/**
 * A Vite plugin that writes down which files each page needs besides those of the shell, so that the server can name them in
 * the document and the browser fetches them while it still reads the shell. The server reads `pages.json`.
 */
import type { Plugin, Rolldown } from 'vite'

type Chunk = Rolldown.OutputChunk
type Bundle = Rolldown.OutputBundle

const PAGE = /\/src\/pages\/(\w+)\/\w+Page\.vue$/
const TEXTS = /\/src\/pages\/(\w+)\/texts\/[\w-]+\.json$/

/** Files of chunks with everything that they import at once, styles included. */
function filesOf(bundle: Bundle, roots: readonly Chunk[]): Set<string> {
  const files = new Set<string>()
  const open = roots.map((chunk) => chunk.fileName)
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const chunk = bundle[name]
    if (files.has(name) || chunk?.type !== 'chunk') continue
    files.add(name)
    for (const style of (chunk as Chunk & { viteMetadata?: { importedCss: Set<string> } }).viteMetadata?.importedCss ?? []) files.add(style)
    open.push(...chunk.imports)
  }
  return files
}

export function pageFiles(): Plugin {
  return {
    name: 'page-files',
    apply: 'build',
    // After Vite's own plugin for styles has named their files.
    enforce: 'post',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const shell = filesOf(bundle, chunks.filter((chunk) => chunk.isEntry))
      const pages: Record<string, string[]> = {}
      for (const chunk of chunks) {
        const page = (PAGE.exec(chunk.facadeModuleId ?? '') ?? TEXTS.exec(chunk.facadeModuleId ?? ''))?.[1]
        if (page) pages[page] = [...new Set([...(pages[page] ?? []), ...filesOf(bundle, [chunk])])].filter((file) => !shell.has(file))
      }
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(pages) })
    },
  }
}
