/** Which files are the ranks of one training: those in one folder whose names differ by numbers alone. */
import type { ProfileFile } from '../source'

const keyOf = (path: string): string => {
  const slash = path.lastIndexOf('/') + 1
  return path.slice(0, slash).replace(/(rank|worker|device)[_-]?\d+/gi, '#') + path.slice(slash).replace(/\d+/g, '#')
}

/** The files that belong to one, itself among them, in the order of their numbers. */
export function siblingsOf(files: readonly ProfileFile[], one: ProfileFile): ProfileFile[] {
  const key = keyOf(one.path)
  return files
    .filter(({ path }) => keyOf(path) === key)
    .sort((a, b) => a.path.localeCompare(b.path, undefined, { numeric: true }))
}

/** The newest profile of each rank, by rank. Profiles that do not say their rank are counted in their order. */
export function byRank<T extends { rank: number | null; modified: number }>(profiles: readonly T[]): T[] {
  if (profiles.some(({ rank }) => rank === null)) return [...profiles]
  const newest = new Map<number, T>()
  for (const profile of profiles) {
    const known = newest.get(profile.rank as number)
    if (!known || known.modified < profile.modified) newest.set(profile.rank as number, profile)
  }
  return [...newest.values()].sort((a, b) => (a.rank as number) - (b.rank as number))
}
