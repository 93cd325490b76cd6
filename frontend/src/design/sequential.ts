/**
 * Sequential scales for values without a middle: viridis and cividis (even in lightness, readable without colour
 * vision), grey, and inferno. Nine stops each, with linear interpolation. Pure; used for heat maps and pictures of one
 * channel.
 */
export const SCALES = ['viridis', 'cividis', 'inferno', 'grey'] as const
export type ScaleName = (typeof SCALES)[number]
export type Rgb = readonly [number, number, number]

const STOPS: Record<ScaleName, readonly string[]> = {
  viridis: ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725'],
  cividis: ['#00224e', '#123570', '#3b496c', '#575d6d', '#707173', '#8a8678', '#a59c74', '#d0be5a', '#fee838'],
  inferno: ['#000004', '#210c4a', '#57106e', '#8a226a', '#bc3754', '#e45a31', '#f98e09', '#f9cb35', '#fcffa4'],
  grey: ['#000000', '#202020', '#404040', '#606060', '#808080', '#9f9f9f', '#bfbfbf', '#dfdfdf', '#ffffff'],
}

function channels(hex: string): Rgb {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
  return [red, green, blue]
}

/** The colour of a share, 0 to 1, each channel 0 to 255. */
export function shadeAt(scale: ScaleName, share: number): Rgb {
  const stops = STOPS[scale]
  const place = Math.min(1, Math.max(0, share)) * (stops.length - 1)
  const at = Math.min(stops.length - 2, Math.floor(place))
  const [low, high] = [channels(stops[at]), channels(stops[at + 1])]
  const mixed = low.map((one, k) => Math.round(one + (high[k] - one) * (place - at)))
  return [mixed[0], mixed[1], mixed[2]]
}

/** Evenly spaced colours of a scale, from its lowest to its highest, as CSS. */
export function shades(scale: ScaleName, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `rgb(${shadeAt(scale, at / Math.max(1, count - 1)).join(' ')})`)
}
