/**
 * A Vite plugin that keeps the first page small: the build fails when the JavaScript that a browser must load to
 * draw it exceeds the budget. What is heavy belongs into a lazy chunk.
 */
import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

type Bundle = Rolldown.OutputBundle

function closure(bundle: Bundle, names: readonly string[]): Set<string> {
  const seen = new Set<string>()
  const open = [...names]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const chunk = bundle[name]
    if (seen.has(name) || chunk?.type !== 'chunk') continue
    seen.add(name)
    open.push(...chunk.imports)
  }
  return seen
}

/**
 * @param page the end of the path of the page's module
 * @param limit bytes after gzip
 */
export function firstPageBudget(page: string, limit: number): Plugin {
  return {
    name: 'first-page-budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const roots = chunks.filter((chunk) => chunk.isEntry || chunk.facadeModuleId?.endsWith(page))
      if (!roots.some((chunk) => chunk.facadeModuleId?.endsWith(page)))
        this.error(`No chunk for ${page}: the budget cannot be checked.`)
      let size = 0
      for (const name of closure(
        bundle,
        roots.map((chunk) => chunk.fileName),
      )) {
        const chunk = bundle[name]
        if (chunk?.type === 'chunk') size += gzipSync(chunk.code).length
      }
      const needed = `The first page needs ${(size / 1000).toFixed(1)} kB of JavaScript (gzip)`
      const text = `${needed}; the budget is ${limit / 1000} kB.`
      if (size > limit) this.error(text)
      this.info(text)
    },
  }
}
