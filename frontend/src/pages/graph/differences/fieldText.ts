/** An attribute value as one line. Pure; called by tables and lists of the panel. */
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
