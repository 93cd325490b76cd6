/** How Distributions shows several runs of one tag: side by side, as curves of one plot, or counted together. */
export const POOLS = ['apart', 'overlaid', 'together'] as const
export type Pool = (typeof POOLS)[number]
