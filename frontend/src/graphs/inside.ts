/** The inside of a box from the server, as the canvas uses it. Nothing here fetches. */
import type { components } from '../data/schema'

type Schemas = components['schemas']

export type Inside = Omit<Schemas['Inside'], 'crumbs' | 'phase_counts' | 'overlay' | 'measured'>
export type InsideBox = Schemas['Box']
export type InsideEdge = Schemas['SceneEdge']
export type EdgeKind = InsideEdge['kind']
export type StackInstance = Schemas['Instance']

/** The port of a container for its inputs. */
export const INPUT = -1
/** The port of a container for its outputs. */
export const OUTPUT = -2
