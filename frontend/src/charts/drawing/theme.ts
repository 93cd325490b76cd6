/** The theme's colours for canvases, which cannot read CSS variables. */

export interface Ink {
  /** The colour behind `var(--name)`, or the text itself. */
  colour(css: string): string
  font: string
  rawAlpha: number
  /** Opacity of superseded lines. */
  oldAlpha: number
}

let ink: Ink | null = null
const listeners = new Set<() => void>()
let observer: MutationObserver | null = null

function readInk(): Ink {
  const style = getComputedStyle(document.documentElement)
  const known = new Map<string, string>()
  const variable = (name: string): string => style.getPropertyValue(name).trim()
  return {
    colour(css) {
      let value = known.get(css)
      if (value === undefined) {
        const name = /^var\((--[\w-]+)\)$/.exec(css)?.[1]
        value = name ? variable(name) : css
        known.set(css, value)
      }
      return value
    },
    font: `12px ${variable('--sans') || 'sans-serif'}`,
    rawAlpha: Number(variable('--raw-alpha')) || 0.22,
    oldAlpha: Number(variable('--old-alpha')) || 0.6,
  }
}

/** The colours of the current theme. */
export function currentInk(): Ink {
  ink ??= readInk()
  return ink
}

/** Calls `changed` after every change of the theme. Returns the function that stops it. */
export function onThemeChange(changed: () => void): () => void {
  observer ??= startObserver()
  listeners.add(changed)
  return () => listeners.delete(changed)
}

function startObserver(): MutationObserver {
  const watching = new MutationObserver(() => {
    ink = null
    listeners.forEach((changed) => changed())
  })
  watching.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class'] })
  return watching
}
