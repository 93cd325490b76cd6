/** Tags by name, for all pages that list them: the filter, sections by prefix, the order, near matches. Pure. */

export interface Section {
  /** The part before the first slash; empty for tags without one. */
  name: string
  /** All tags of the section, filtered or not. */
  total: number
  tags: string[]
}

/** The natural order of names: `layer9` before `layer10`. */
export const byName = new Intl.Collator('en', { numeric: true }).compare

/** The section a tag belongs to. */
export function sectionOf(tag: string): string {
  const slash = tag.indexOf('/')
  return slash > 0 ? tag.slice(0, slash) : ''
}

/** A test for a filter text: a regular expression if it is valid, else plain text; both ignore case. */
export function matcher(text: string): (tag: string) => boolean {
  const wanted = text.trim()
  if (!wanted) return () => true
  const part = wanted.toLowerCase()
  try {
    const pattern = new RegExp(wanted, 'i')
    return (tag) => pattern.test(tag) || tag.toLowerCase().includes(part)
  } catch {
    return (tag) => tag.toLowerCase().includes(part)
  }
}

/** Groups tags by prefix. Sections and tags are sorted by name; tags without a prefix come first. */
export function makeSections(tags: readonly string[], matches: (tag: string) => boolean): Section[] {
  const sections = new Map<string, Section>()
  for (const tag of [...tags].sort(byName)) {
    const name = sectionOf(tag)
    let section = sections.get(name)
    if (!section) sections.set(name, (section = { name, total: 0, tags: [] }))
    section.total++
    if (matches(tag)) section.tags.push(tag)
  }
  return [...sections.values()].filter((one) => one.tags.length).sort((a, b) => byName(a.name, b.name))
}

/** The number of single-letter changes between two texts, at most `limit`. */
export function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit
  let before = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = before[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(change, before[j] + 1, row[j - 1] + 1))
    }
    before = row
  }
  return Math.min(limit, before[b.length])
}

/** The distance of a tag from a text: the smallest for the whole tag and its parts. */
function nearness(tag: string, text: string, limit: number): number {
  const parts = [tag, ...tag.split(/[/_.\-\s]+/)]
  return Math.min(...parts.map((part) => distance(part.toLowerCase(), text, limit)))
}

/** Tags that are similar to a mistyped filter, nearest first. */
export function nearMatches(tags: readonly string[], text: string, count = 5): string[] {
  const wanted = text.trim().toLowerCase()
  const limit = Math.max(2, Math.ceil(wanted.length / 2)) + 1
  return tags
    .map((tag) => ({ tag, far: nearness(tag, wanted, limit) }))
    .filter(({ far }) => far < limit)
    .sort((a, b) => a.far - b.far || a.tag.length - b.tag.length || byName(a.tag, b.tag))
    .slice(0, count)
    .map(({ tag }) => tag)
}

/** A filter text that matches only this tag. */
export const exactly = (tag: string): string => `^${tag.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`
