/** Draws boxes: closed ones in a few batches, opened containers one by one. Called by paint.ts. */
import type { DrawnBox, Rect } from '../scene/drawing'
import { BOX, fitText, fontOf, isPill, noteOf, textWidth, titleOf } from '../scene/measure'
import { chipsOf } from './chips'
import { DETAIL, edgeColour, isFaint, traceRect, type Look, type Pen } from './look'
import { drawMark, markOf } from './marks'

const FAINT = 0.38

/** Rectangles of the sheets behind a stack, the farthest first. */
const sheetsOf = ({ x, y, width, height }: Rect): Rect[] =>
  [2, 1].map((at) => ({ x: x + at * BOX.sheet, y: y + at * BOX.sheet, width, height }))

function radiusOf(drawn: DrawnBox, zoom: number): number {
  if (zoom < DETAIL.round) return 0
  return isPill(drawn.box) ? BOX.pill / 2 : BOX.radius
}

function groupBy<K>(boxes: readonly DrawnBox[], keyOf: (box: DrawnBox) => K | null): Map<K, DrawnBox[]> {
  const groups = new Map<K, DrawnBox[]>()
  for (const box of boxes) {
    const key = keyOf(box)
    if (key === null) continue
    const group = groups.get(key)
    if (group) group.push(box)
    else groups.set(key, [box])
  }
  return groups
}

/** Draws closed boxes of one depth: sheets, bodies, colours, texts. */
export function drawClosed(pen: Pen, boxes: readonly DrawnBox[], look: Look): void {
  const faint = groupBy(boxes, (box) => isFaint(box, look))
  for (const [isOff, group] of faint) {
    pen.globalAlpha = isOff ? FAINT : 1
    drawBodies(pen, group, look)
    drawColours(pen, group, look)
    if (look.zoom >= DETAIL.names) drawTexts(pen, group, look)
  }
  pen.globalAlpha = 1
}

function drawBodies(pen: Pen, boxes: readonly DrawnBox[], look: Look): void {
  const { ink, zoom } = look
  pen.lineWidth = Math.max(1, 0.6 / zoom)
  if (zoom >= DETAIL.sheets) {
    pen.fillStyle = ink.colour('var(--bg)')
    pen.strokeStyle = ink.colour('var(--line-strong)')
    for (const at of [0, 1]) {
      pen.beginPath()
      for (const box of boxes) if (box.box.count > 1) traceRect(pen, sheetsOf(box)[at], radiusOf(box, zoom))
      pen.fill()
      pen.stroke()
    }
  }
  const fills = groupBy(boxes, (box) => {
    const mark = markOf(box.box)
    if (mark) return mark.fill
    if (look.highlight?.has(box.path)) return 'var(--accent-bg)'
    return isPill(box.box) ? 'var(--sunken)' : box.differs ? 'var(--warn-bg)' : 'var(--panel)'
  })
  for (const [fill, group] of fills) {
    pen.fillStyle = ink.colour(fill)
    pen.beginPath()
    for (const box of group) traceRect(pen, box, radiusOf(box, zoom))
    pen.fill()
  }
  const edges = groupBy(boxes, (box) => {
    const mark = markOf(box.box)
    if (mark) return mark.ink
    return look.highlight?.has(box.path)
      ? 'var(--accent)'
      : box.differs
        ? 'var(--warn-line)'
        : zoom < DETAIL.round
          ? 'var(--control)'
          : 'var(--line-strong)'
  })
  for (const [stroke, group] of edges) {
    pen.strokeStyle = ink.colour(stroke)
    pen.beginPath()
    for (const box of group) traceRect(pen, box, radiusOf(box, zoom))
    pen.stroke()
  }
}

/** The edge of 3 px inside a box. From afar the whole box, because an edge would be invisible. */
function drawColours(pen: Pen, boxes: readonly DrawnBox[], look: Look): void {
  const groups = groupBy(boxes, (box) => edgeColour(box, look))
  for (const [colour, group] of groups) {
    pen.fillStyle = look.ink.colour(colour)
    pen.beginPath()
    for (const { x, y, width, height } of group) {
      if (look.zoom < DETAIL.colours) pen.rect(x, y, width, height)
      else
        traceRect(
          pen,
          { x: x + 2.5, y: y + 5, width: BOX.edge, height: height - 10 },
          look.zoom < DETAIL.round ? 0 : 1.5,
        )
    }
    pen.fill()
  }
}

function drawTexts(pen: Pen, boxes: readonly DrawnBox[], look: Look): void {
  const { ink, zoom, words } = look
  pen.textBaseline = 'middle'
  const text = ink.colour('var(--text)')
  const mono = fontOf.mono()
  const name = fontOf.name()
  for (const drawn of boxes) {
    const { x, y, width, height, box } = drawn
    const middle = y + height / 2 + 0.5
    const pill = isPill(box)
    const note = noteOf(box, words)
    const noteWidth = note ? textWidth(note, fontOf.small()) + BOX.between : 0
    const font = pill ? mono : name
    const fitted = fitText(titleOf(box), font, width - BOX.left - BOX.right - noteWidth + 1)
    pen.font = font
    pen.fillStyle = text
    pen.textAlign = note ? 'left' : 'center'
    pen.fillText(fitted, note ? x + BOX.left : x + width / 2 + (pill ? 0 : 1), middle)
  }
  if (zoom < DETAIL.notes) return
  pen.font = fontOf.small()
  pen.textAlign = 'right'
  for (const drawn of boxes) {
    const note = noteOf(drawn.box, words)
    if (!note) continue
    pen.fillStyle = ink.colour(markOf(drawn.box)?.ink ?? 'var(--text-2)')
    pen.fillText(note, drawn.x + drawn.width - BOX.right, drawn.y + drawn.height / 2 + 0.5)
  }
  for (const drawn of boxes) drawMarks(pen, drawn, look)
}

/** The sign of a comparison at the corner of a node, and the stubs of hubs that feed the box. */
function drawMarks(pen: Pen, drawn: DrawnBox, look: Look): void {
  const mark = markOf(drawn.box)
  if (mark) drawMark(pen, mark, drawn.x + drawn.width - 2, drawn.y + 2, look)
  if (drawn.box.proxies.length) drawStub(pen, drawn, look)
}

/** A small dashed stub with the name of the hub, and the number of further hubs. */
export function drawStub(pen: Pen, { x, y, box, height, open }: DrawnBox, look: Look): void {
  const [first, ...others] = box.proxies
  const middle = y + (open ? BOX.header : height) / 2
  const more = others.length ? ` +${others.length}` : ''
  const font = fontOf.mono()
  const room = BOX.proxy - 26 - (more ? textWidth(more, font) : 0)
  const text = fitText(first, font, room) + more
  const wide = textWidth(text, font) + 10
  pen.strokeStyle = look.ink.colour('var(--control)')
  pen.lineWidth = 1
  pen.setLineDash([3, 3])
  pen.beginPath()
  traceRect(pen, { x: x - 14 - wide, y: middle - 9, width: wide, height: 18 }, 9)
  pen.moveTo(x - 14, middle)
  pen.lineTo(x - 5, middle)
  pen.stroke()
  pen.setLineDash([])
  pen.fillStyle = look.ink.colour('var(--control)')
  pen.beginPath()
  pen.moveTo(x - 6, middle - 3.5)
  pen.lineTo(x, middle)
  pen.lineTo(x - 6, middle + 3.5)
  pen.closePath()
  pen.fill()
  pen.font = font
  pen.textAlign = 'center'
  pen.fillStyle = look.ink.colour('var(--text-2)')
  pen.fillText(text, x - 14 - wide / 2, middle + 0.5)
}

/** Draws an opened container: sheets, background, header with title and the picker of instances. */
export function drawContainer(pen: Pen, drawn: DrawnBox, look: Look): void {
  const { ink, zoom } = look
  const radius = zoom < 0.2 ? 0 : BOX.containerRadius
  const mark = markOf(drawn.box)
  pen.globalAlpha = isFaint(drawn, look) ? FAINT : 1
  pen.lineWidth = Math.max(1, 0.7 / zoom)
  pen.strokeStyle = ink.colour('var(--line-strong)')
  for (const rect of drawn.box.count > 1 && zoom >= DETAIL.sheets ? [...sheetsOf(drawn), drawn] : [drawn]) {
    pen.fillStyle = ink.colour(drawn.depth % 2 ? 'var(--panel)' : 'var(--bg)')
    pen.beginPath()
    traceRect(pen, rect, radius)
    pen.fill()
    if (rect === drawn && mark) pen.strokeStyle = ink.colour(mark.ink)
    pen.stroke()
  }
  if (zoom >= 0.15) {
    pen.fillStyle = ink.colour('var(--line)')
    pen.fillRect(drawn.x + 1, drawn.y + BOX.header, drawn.width - 2, Math.max(1, 0.6 / zoom))
  }
  drawHeader(pen, drawn, look)
  pen.globalAlpha = 1
}

/** The title stays as large as the header allows when the rest has become too small to read. */
function drawHeader(pen: Pen, drawn: DrawnBox, look: Look): void {
  const { ink, zoom, words } = look
  const onScreen = Math.min(Math.max(13 * zoom, 10), 0.62 * BOX.header * zoom)
  if (onScreen < 6) return
  const chips = chipsOf(drawn, words)
  const note = chips.length || zoom < DETAIL.notes ? '' : noteOf(drawn.box, words)
  const besideNote = note ? textWidth(note, fontOf.small()) + 14 : 0
  const right = chips.length && zoom >= DETAIL.notes ? drawn.x + drawn.width - chips[0].x : besideNote
  const room = drawn.width - 28 - right
  const enlarged = Math.max(1, Math.min(onScreen / (13 * zoom), room / textWidth(titleOf(drawn.box), fontOf.title())))
  if (13 * zoom * enlarged < 6) return
  pen.font = fontOf.title().replace('13px', `${13 * enlarged}px`)
  pen.textBaseline = 'middle'
  pen.textAlign = 'left'
  pen.fillStyle = ink.colour('var(--text)')
  pen.fillText(
    fitText(titleOf(drawn.box), fontOf.title(), room / enlarged + 1),
    drawn.x + 14,
    drawn.y + BOX.header / 2 + 0.5,
  )
  drawHeaderEdge(pen, drawn, look)
  if (note) {
    pen.font = fontOf.small()
    pen.textAlign = 'right'
    pen.fillStyle = ink.colour('var(--text-2)')
    pen.fillText(note, drawn.x + drawn.width - 14, drawn.y + BOX.header / 2 + 0.5)
  }
  if (drawn.box.proxies.length && zoom >= DETAIL.notes) drawStub(pen, drawn, look)
  if (zoom < DETAIL.notes) return
  drawChips(pen, chips, ink)
}

function drawHeaderEdge(pen: Pen, drawn: DrawnBox, look: Look): void {
  const colour = edgeColour(drawn, look)
  if (colour) {
    pen.fillStyle = look.ink.colour(colour)
    pen.beginPath()
    traceRect(pen, { x: drawn.x + 4, y: drawn.y + 9, width: BOX.edge, height: BOX.header - 18 }, 1.5)
    pen.fill()
  }
}

function drawChips(pen: Pen, chips: ReturnType<typeof chipsOf>, ink: Look['ink']): void {
  pen.textAlign = 'center'
  for (const chip of chips) {
    pen.beginPath()
    traceRect(pen, chip, 4)
    pen.fillStyle = ink.colour(chip.chosen ? 'var(--solid)' : chip.differs ? 'var(--warn-bg)' : 'var(--sunken)')
    pen.fill()
    if (chip.differs) {
      pen.strokeStyle = ink.colour('var(--warn-line)')
      pen.lineWidth = 1
      pen.stroke()
    }
    pen.font = chip.chosen ? fontOf.title().replace('13px', '12px') : fontOf.small()
    pen.fillStyle = ink.colour(chip.chosen ? 'var(--on-solid)' : chip.differs ? 'var(--warn)' : 'var(--text-2)')
    pen.fillText(chip.text, chip.x + chip.width / 2, chip.y + chip.height / 2 + 0.5)
  }
}

/** The frames of the selected box and of the box under the pointer, and the ring of the keyboard focus. */
export function drawFrame(pen: Pen, drawn: DrawnBox, look: Look, selected: boolean): void {
  const scale = Math.max(1, 0.7 / look.zoom)
  const radius = drawn.open ? BOX.containerRadius : isPill(drawn.box) ? BOX.pill / 2 : BOX.radius
  const ring = (by: number, width: number, colour: string): void => {
    pen.beginPath()
    traceRect(
      pen,
      { x: drawn.x - by, y: drawn.y - by, width: drawn.width + 2 * by, height: drawn.height + 2 * by },
      radius + by,
    )
    pen.lineWidth = width
    pen.strokeStyle = look.ink.colour(colour)
    pen.stroke()
  }
  if (selected) {
    ring(0, 2 * scale, 'var(--accent)')
    if (look.focus) ring(4 * scale, 2 * scale, 'var(--accent)')
  } else ring(0, 1.5 * scale, 'var(--control)')
}
