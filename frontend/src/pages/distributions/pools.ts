/** How a card of Distributions shows several runs of a tag. Used by its layout and by its layers. */
/** The runs of one tag side by side, as curves of one plot, or counted together. */
export const POOLS = ['apart', 'overlaid', 'together'] as const
export type Pool = (typeof POOLS)[number]
