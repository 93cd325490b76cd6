/** The inside of a box as the server tells it. What the canvas works with; nothing here fetches. */
import type { components } from '../data/schema'

type Schemas = components['schemas']

export type Inside = Omit<Schemas['Inside'], 'crumbs' | 'phase_counts' | 'overlay' | 'measured'>
export type InsideBox = Schemas['Box']
export type InsideEdge = Schemas['SceneEdge']
export type EdgeKind = InsideEdge['kind']
export type StackInstance = Schemas['Instance']

/** The port of a container for what comes in. */
export const INPUT = -1
/** The port of a container for what goes out. */
export const OUTPUT = -2
