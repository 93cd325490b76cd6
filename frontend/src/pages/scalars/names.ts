/** Comma-separated lists of names in addresses; separators inside a name are encoded. Pure. */

export const formatNames = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll(/[%,;=]/g, encodeURIComponent)).join(',')

/** @throws URIError if the text ends in the middle of an encoded character */
export const parseNames = (text: string): string[] => text.split(',').map(decodeURIComponent)
