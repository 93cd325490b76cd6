/**
 * Decides in which file code of several pages lies, for `vite.config.ts`: few files, because each costs several
 * milliseconds at either end, and none that makes a page load much of what only others need.
 */
import type { Rolldown } from 'vite'

type Modules = { getModuleInfo: (id: string) => Rolldown.ModuleInfo | null }

const PAGE = /\/src\/pages\/(\w+)\/\w+Page\.vue$/
const TEXTS = /\/src\/pages\/(\w+)\/texts\//
const CHARTS = /\/src\/charts\/|\/node_modules\/uplot\//
/** Pages whose cards are charts. */
const OF_CHARTS = new Set(['scalars', 'overview', 'gallery'])

/** The pages that cannot be drawn without a module. */
function pagesWith(id: string, modules: Modules): Set<string> {
  const pages = new Set<string>()
  const seen = new Set<string>()
  const open = [id]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const page = PAGE.exec(at)?.[1]
    if (page !== undefined) pages.add(page)
    open.push(...(modules.getModuleInfo(at)?.importers ?? []))
  }
  return pages
}

/** Whether a part that a page fetches later needs a module as well: it must not take the module into its own file. */
function isLazyToo(id: string, modules: Modules): boolean {
  const seen = new Set<string>()
  const open = [id]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const known = modules.getModuleInfo(at)
    if (!PAGE.test(at) && (known?.dynamicImporters.length ?? 0) > 0) return true
    open.push(...(known?.importers ?? []))
  }
  return false
}

function fileOf(id: string, modules: Modules): string | null {
  const pages = pagesWith(id, modules)
  if (pages.size < 2) return pages.has('runs') && isLazyToo(id, modules) ? 'common' : null
  // The first page loads nothing that it does not need.
  if (pages.has('runs')) return 'common'
  return CHARTS.test(id) && [...pages].every((page) => OF_CHARTS.has(page)) ? 'charts' : 'parts'
}

/** The file of a page's texts, in all languages; null for other modules. */
export function textsFile(id: string): string | null {
  const page = TEXTS.exec(id)?.[1]
  return page === undefined ? null : `${page}Texts`
}

/** Groups of `codeSplitting`. A group takes along what its modules import, so those that others import come first. */
export const sharedFiles = ['common', 'parts', 'charts'].map((file, at) => ({
  name: (id: string, modules: Modules): string | null => (fileOf(id, modules) === file ? file : null),
  debugName: file,
  priority: 4 - at,
}))
