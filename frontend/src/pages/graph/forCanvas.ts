/** The inside of a box as the drawing takes it: how a box differs is told there in numbers of nodes. Pure; called by GraphStage.vue. */
import type { BoxStatus, Inside as DrawnInside } from '../../graphs/inside'
import type { Box, Inside } from './answers'

const NONE: BoxStatus = { same: 0, added: 0, removed: 0, changed: 0 }

const statusOf = ({ status, nodes }: Box): BoxStatus | null => (status === null ? null : { ...NONE, [status]: nodes })

export function forCanvas(inside: Inside): DrawnInside {
  return { ...inside, boxes: inside.boxes.map((box) => ({ ...box, status: statusOf(box) })) }
}
