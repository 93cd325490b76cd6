/** Lists in a URL parameter. Parts may contain any characters; separators inside a part are escaped. */

const ESCAPE = '!'

/** Joins parts; `takenApart` splits them. */
export function together(parts: readonly string[], separator: string): string {
  return parts
    .map((part) => part.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll(separator, ESCAPE + separator))
    .join(separator)
}

export function takenApart(text: string, separator: string): string[] {
  const parts = ['']
  for (let at = 0; at < text.length; at++) {
    if (text[at] === ESCAPE && at + 1 < text.length) parts[parts.length - 1] += text[++at]
    else if (text[at] === separator) parts.push('')
    else parts[parts.length - 1] += text[at]
  }
  return parts.filter((part) => part !== '')
}
