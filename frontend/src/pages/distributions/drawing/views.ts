/** The ways to draw a scene by their names. Called by plots and exports. */
import type { Drawer } from './drawer'
import { offset, overlay, ridge } from './ridges'
import type { View } from './scene'
import { bandsView, heat } from './timed'

export const DRAWERS: Record<View, Drawer> = { ridge, offset, overlay, heat, bands: bandsView }
