/**
 * The source of a node, as its graph tells it: places in files, each with the line that stands there. Pure; called by
 * the node's panel.
 */

export interface SourceLine {
  /** `bert.py:214`, empty where none is told. */
  place: string
  text: string
}

/** MindSpore: `In file /a/b.py(214)/        x = f(x)/`; anything else is shown as it is. */
const MINDSPORE = /^(?:# \d+ )?In file (.+?)[(:](\d+)(?:~\d+)?\)?(?:, \d+~\d+)?\/?\s*(.*?)\/?\s*$/

export function sourceLines(source: string): SourceLine[] {
  return source
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => {
      const [, file, number, text] = MINDSPORE.exec(line.trim()) ?? []
      if (file === undefined) return { place: '', text: line }
      return { place: `${file.split('/').at(-1)}:${number}`, text: text.trim() }
    })
}
