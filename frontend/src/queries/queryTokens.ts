/**
 * Splits a query for colouring and completion, following docs/reference/queries.md. Only the server decides what a
 * query means; nothing is refused here.
 */
export type Look = 'keyword' | 'sign' | 'number' | 'text' | 'function' | 'field' | 'name' | 'space' | 'wrong'

export interface Piece {
  text: string
  start: number
  look: Look
}

export const FIELDS = [
  'name',
  'state',
  'writer',
  'note',
  'tag',
  'step',
  'duration',
  'points',
  'size',
  'disk',
  'started',
  'updated',
  'colour',
  'pinned',
  'archived',
  'baseline',
] as const
export const STATES = ['running', 'finished', 'crashed', 'stalled'] as const
const KEYWORDS = new Set(['and', 'or', 'not', 'in'])
const PIECES = /(\s+)|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(<=|>=|!=|==|[<>=:~(),])|([^\s"'<>=!:~(),]+)|(.)/gsu
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?:ms|s|min|h|d|w|k|M|G|T|%)?$/

function lookOfWord(word: string, rest: string, before: string): Look {
  if (NUMBER.test(word)) return 'number'
  if (KEYWORDS.has(word.toLowerCase())) return 'keyword'
  if (/^\(/.test(rest)) return 'function'
  // After a comparison comes a value.
  if (/(?:<=|>=|!=|==|[<>=:~])\s*$/.test(before)) return 'text'
  return (FIELDS as readonly string[]).includes(word) ? 'field' : 'name'
}

export function queryPieces(query: string): Piece[] {
  const pieces: Piece[] = []
  for (const found of query.matchAll(PIECES)) {
    const [text, space, quoted, sign, word] = found
    const start = found.index
    let look: Look = 'wrong'
    if (space !== undefined) look = 'space'
    else if (quoted !== undefined) look = /^(?:<=|>=|!=|==|[<>=:~])$/.test(lastSign(pieces)) ? 'text' : 'name'
    else if (sign !== undefined) look = 'sign'
    else if (word !== undefined) look = lookOfWord(word, query.slice(start + text.length), query.slice(0, start))
    pieces.push({ text, start, look })
  }
  return pieces
}

function lastSign(pieces: readonly Piece[]): string {
  const last = [...pieces].reverse().find((piece) => piece.look !== 'space')
  return last?.look === 'sign' ? last.text : ''
}

export interface Completing {
  /** The part that a completion replaces. */
  start: number
  end: number
  typed: string
  /** What can come here. */
  wanted: 'names' | 'tags' | 'states' | 'signs' | 'nothing'
}

const WRITTEN: readonly string[] = ['name', 'field', 'text', 'function', 'number', 'keyword']
const COMPARISON = /^(?:<=|>=|!=|==|[<>=:~])$/

/** What can come after a comparison, by the compared operand. */
function wantedAfter(compared: string | undefined): Completing['wanted'] {
  if (compared === 'state') return 'states'
  if (compared === 'tag') return 'tags'
  return compared === 'param' || compared === 'metric' ? 'names' : 'nothing'
}

/**
 * What can come after some tokens.
 * @param before the tokens without spaces, and without the one being typed
 * @param writing the token being typed
 */
function wantedAt(before: readonly Piece[], writing: Piece | null): Completing['wanted'] {
  const { look, text } = before.at(-1) ?? { look: 'space', text: '' }
  if (look === 'sign' && COMPARISON.test(text)) return wantedAfter(before.at(-2)?.text)
  if (writing) return writing.look === 'number' ? 'nothing' : 'names'
  const isCall = text === ')' && before.at(-4)?.look === 'function'
  if (['name', 'field'].includes(look) || isCall) return 'signs'
  return ['number', 'text'].includes(look) ? 'nothing' : 'names'
}

/** The token being typed at a position of the query. */
export function completingAt(query: string, caret: number): Completing {
  const pieces = queryPieces(query.slice(0, caret))
  const last = pieces.at(-1)
  const writing = last && WRITTEN.includes(last.look) ? last : null
  const before = (writing ? pieces.slice(0, -1) : pieces).filter((piece) => piece.look !== 'space')
  const end = writing ? caret + (/^[^\s"'<>=!:~(),]*/u.exec(query.slice(caret))?.[0].length ?? 0) : caret
  const typed = (writing?.text ?? '').replace(/^["']/, '')
  return { start: writing?.start ?? caret, end, typed, wanted: wantedAt(before, writing) }
}
