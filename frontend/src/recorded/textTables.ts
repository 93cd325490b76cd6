/** A recorded tensor of strings as a readable table. Pure; used by TextBody.vue and the comparison. */

interface Texts {
  shape: readonly number[]
  cells: readonly string[]
}

/** Whether it is more than one text. */
export const isTable = ({ shape }: Texts): boolean => shape.some((size) => size !== 1)

/** Rows of cells: the last axis runs across, all others down; a single axis runs down. */
export function rowsOf({ shape, cells }: Texts): string[][] {
  const columns = shape.length < 2 ? 1 : Math.max(1, shape[shape.length - 1])
  const rows: string[][] = []
  for (let at = 0; at < cells.length; at += columns) rows.push(cells.slice(at, at + columns))
  return rows
}

/** The whole table as one text: cells of a row are separated by tabs. */
export const plainText = (texts: Texts): string =>
  isTable(texts)
    ? rowsOf(texts)
        .map((row) => row.join('\t'))
        .join('\n')
    : (texts.cells[0] ?? '')
