/** No module imports itself through others, not even types: a reader can start at the bottom and go up. */
import { expect, it } from 'vitest'

const sources = import.meta.glob<string>(['./**/*.{ts,vue}', '!./**/*.test.ts', '!./**/*.d.ts'], {
  eager: true,
  query: '?raw',
  import: 'default',
})
const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g

function resolved(from: string, name: string): string | undefined {
  const path = `.${new URL(name, `file:///${from}`).pathname}`
  return [path, `${path}.ts`, `${path}/index.ts`].find((file) => file in sources)
}

const imports = new Map(
  Object.entries(sources).map(([file, source]) => [
    file,
    [...source.matchAll(IMPORT)].map(([, name]) => resolved(file, name)).filter((found) => found !== undefined),
  ]),
)

/** The import cycle of a module; null if there is none. */
function cycleFrom(start: string): string[] | null {
  const before = new Map<string, string>()
  const open = [start]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const next of imports.get(file) ?? []) {
      if (next === start) {
        const way = [start]
        for (let at: string | undefined = file; at !== undefined && at !== start; at = before.get(at)) way.unshift(at)
        return [start, ...way]
      }
      if (!before.has(next)) open.push(next)
      if (!before.has(next)) before.set(next, file)
    }
  }
  return null
}

it('no module imports itself through others', () => {
  expect(imports.get('./main.ts')?.length).toBeGreaterThan(3)
  expect([...imports.keys()].map(cycleFrom).filter((way) => way !== null)).toEqual([])
})
