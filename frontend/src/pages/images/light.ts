/** Display settings of all pictures of the page: zoom, place under the pointer, and filters. Made by the page. */
import { computed, ref, type ComputedRef, type InjectionKey, type Ref } from 'vue'

import type { ScaleName } from '../../design/sequential'
import type { Place, Zoom } from './zoom'

export const MAPS = ['none', 'viridis', 'cividis', 'inferno'] as const satisfies readonly ('none' | ScaleName)[]
export type ColourMap = (typeof MAPS)[number]

/** The ids of LightFilter.vue's filters: one for coloured pictures, one for grey ones. */
export const FILTER = 'picture-light'
export const GREY_FILTER = 'picture-light-grey'

export interface LightChoices {
  brightness: Ref<number>
  contrast: Ref<number>
  gamma: Ref<number>
  /** False colours for grey pictures. */
  map: Ref<ColourMap>
}

export interface Light extends LightChoices {
  zoom: Ref<Zoom>
  /** The place in the square under the pointer, or null. */
  pointed: Ref<Place | null>
  /** Whether pictures are drawn without a filter. */
  plain: ComputedRef<boolean>
}

export const LIGHT: InjectionKey<Light> = Symbol('light')

export function makeLight(zoom: Ref<Zoom>, choices: LightChoices): Light {
  const { brightness, contrast, gamma, map } = choices
  return {
    zoom,
    pointed: ref(null),
    ...choices,
    plain: computed(() => brightness.value === 1 && contrast.value === 1 && gamma.value === 1 && map.value === 'none'),
  }
}
