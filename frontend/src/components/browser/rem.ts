/**
 * Sizes that follow the browser's font size, for what is laid out in numbers: 16 pixels of a drawing are 1 rem of the
 * style sheets.
 */
/** How much larger than usual the browser's font is. Another size is used from the next visit on. */
export const SCALE = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1

/** The size in pixels of what has so many at the usual font size. */
export const sized = (pixels: number): number => pixels * SCALE
