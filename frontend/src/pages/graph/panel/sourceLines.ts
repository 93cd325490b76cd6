/** Source locations of a node: places in files, each with its line of code. Pure; called by the node's panel. */

export interface SourceLine {
  /** `bert.py:214`; empty if unknown. */
  place: string
  text: string
}

/** MindSpore: `In file /a/b.py(214)/        x = f(x)/`; other texts are shown unchanged. */
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
