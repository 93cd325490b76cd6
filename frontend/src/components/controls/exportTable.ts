/** The table as text for other programs: CSV, JSON, Markdown, LaTeX. Numbers in full precision, not as shown. */
import type { CellValue } from '../../data/runs/runTable'

export type ExportFormat = 'csv' | 'json' | 'markdown' | 'latex'
export const EXPORT_FORMATS: readonly ExportFormat[] = ['csv', 'json', 'markdown', 'latex']
export const FILE_ENDINGS: Record<ExportFormat, string> = { csv: 'csv', json: 'json', markdown: 'md', latex: 'tex' }

export interface ExportedTable {
  titles: readonly string[]
  rows: readonly (readonly CellValue[])[]
}

function word(value: CellValue): string {
  return value === null ? '' : String(value)
}

function csv({ titles, rows }: ExportedTable): string {
  // Spreadsheets would evaluate a text that begins like a formula.
  const safe = (value: CellValue): string =>
    typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : word(value)
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return [titles, ...rows].map((row) => row.map((value) => quoted(safe(value))).join(',')).join('\r\n') + '\r\n'
}

function json({ titles, rows }: ExportedTable): string {
  // JSON has no NaN and no infinities.
  const plain = (value: CellValue): CellValue =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  return (
    JSON.stringify(
      rows.map((row) => Object.fromEntries(row.map((value, at) => [titles[at], plain(value)]))),
      null,
      1,
    ) + '\n'
  )
}

function markdown({ titles, rows }: ExportedTable): string {
  const escaped = (value: CellValue): string =>
    word(value)
      .replace(/[\\|`*_<>[\]]/g, '\\$&')
      .replaceAll('\n', ' ')
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const ruler = titles.map((_, at) => (rows.some((row) => typeof row[at] === 'number') ? '---:' : '---'))
  return [line(titles.map(escaped)), line(ruler), ...rows.map((row) => line(row.map(escaped)))].join('\n') + '\n'
}

const LATEX: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
}

function latex({ titles, rows }: ExportedTable): string {
  const escaped = (value: CellValue): string =>
    word(value)
      .replace(/[\\~^<>&%$#_{}]/g, (sign) => LATEX[sign] ?? `\\${sign}`)
      .replaceAll('\n', ' ')
  const line = (cells: readonly string[]): string => `  ${cells.join(' & ')} \\\\`
  const sides = titles.map((_, at) => (rows.some((row) => typeof row[at] === 'number') ? 'r' : 'l')).join('')
  return (
    [
      '% needs \\usepackage{booktabs}',
      `\\begin{tabular}{${sides}}`,
      '  \\toprule',
      line(titles.map(escaped)),
      '  \\midrule',
      ...rows.map((row) => line(row.map(escaped))),
      '  \\bottomrule',
      '\\end{tabular}',
    ].join('\n') + '\n'
  )
}

const WRITERS: Record<ExportFormat, (table: ExportedTable) => string> = { csv, json, markdown, latex }

export function exportTable(table: ExportedTable, format: ExportFormat): string {
  return WRITERS[format](table)
}
