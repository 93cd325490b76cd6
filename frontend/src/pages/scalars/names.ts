/** Lists of names in addresses: commas between them, in which what separates is encoded. Pure. */

export const formatNames = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll(/[%,;=]/g, encodeURIComponent)).join(',')

/** @throws URIError where a text was cut in the middle of an encoded character */
export const parseNames = (text: string): string[] => text.split(',').map(decodeURIComponent)
