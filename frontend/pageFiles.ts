/**
 * A Vite plugin that writes down which files each page needs besides those of the shell, so that the server can name
 * them in the document and the browser fetches them while it still reads the shell. The server reads `pages.json`.
 * The data that every page begins with are named in the document too, and those of one page by the server, which
 * knows the address: a preload is used by the request that is the same to the letter.
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
    for (const style of (chunk as Chunk & { viteMetadata?: { importedCss: Set<string> } }).viteMetadata?.importedCss ??
      [])
      files.add(style)
    open.push(...chunk.imports)
  }
  return files
}

/** What a page asks for first where its address names it, or always, and has nothing that would change the question. */
export interface FirstQuestion {
  /** Of the API, relative to the dashboard's own; `{}` is the parameter's value. */
  address: string
  /** Parameter of the page's address; null where nothing has to be named. */
  takes: string | null
  /** Parameters with which the page asks something else. */
  unless: readonly string[]
}

export interface Ahead {
  /** Modules that pages need beside their own, by the ends of their paths, with the names of those pages. */
  beside: Readonly<Record<string, readonly string[]>>
  /** Addresses of the API, relative to the dashboard's own. */
  data: readonly string[]
  /** By page. */
  questions: Readonly<Record<string, readonly FirstQuestion[]>>
}

export function pageFiles({ beside, data, questions }: Ahead): Plugin {
  return {
    name: 'page-files',
    apply: 'build',
    // After Vite's own plugin for styles has named their files.
    enforce: 'post',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const shell = filesOf(
        bundle,
        chunks.filter((chunk) => chunk.isEntry),
      )
      const words = filesOf(
        bundle,
        chunks.filter(({ name }) => name === 'words'),
      )
      const pages: Record<string, string[]> = {}
      for (const chunk of chunks) {
        const module = chunk.facadeModuleId ?? ''
        const texts = chunk.moduleIds.find((id) => TEXTS.test(id)) ?? ''
        const page = (PAGE.exec(module) ?? TEXTS.exec(texts))?.[1]
        const others = Object.entries(beside).flatMap(([end, names]) => (module.endsWith(end) ? names : []))
        for (const name of page ? [page] : others) {
          pages[name] = [...new Set([...(pages[name] ?? []), ...filesOf(bundle, [chunk]), ...words])].filter(
            (file) => !shell.has(file),
          )
        }
      }
      // The first page has no name in the address.
      pages[''] = pages['runs']
      this.emitFile({
        type: 'asset',
        fileName: 'pages.json',
        source: JSON.stringify({ files: pages, data: questions }),
      })
    },
    transformIndexHtml: () =>
      data.map((href) => ({
        tag: 'link',
        attrs: { rel: 'preload', as: 'fetch', crossorigin: true, href },
        injectTo: 'head' as const,
      })),
  }
}
