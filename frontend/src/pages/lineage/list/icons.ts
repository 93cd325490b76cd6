/**
 * The ten icons for runs: paths on a grid of 16, drawn with a stroke of 1.5. The server knows them by number, from 1.
 */
export const TAG_ICONS = [
  {
    name: 'star',
    path: 'M8 2l1.800 3.800 4.200.5-3.100 2.900.8 4.200L8 11.300l-3.700 2.100.8-4.200L2 6.300l4.200-.5z',
  },
  { name: 'flag', path: 'M4 14V2.500h8l-2 3 2 3H4' },
  { name: 'heart', path: 'M8 13.500L3 8.500a3 3 0 0 1 5-3.300 3 3 0 0 1 5 3.300z' },
  { name: 'bolt', path: 'M9 1.500L3.500 9H8l-1 5.500L12.500 7H8z' },
  { name: 'drop', path: 'M8 2c2.500 3 4.500 5.200 4.500 7.700a4.500 4.500 0 0 1-9 0C3.500 7.200 5.500 5 8 2z' },
  { name: 'leaf', path: 'M13.500 2.500C6 2.500 3 6 3.500 12.500 10 13 13.500 10 13.500 2.500zM2.500 13.500L9 7' },
  { name: 'crown', path: 'M2.500 12.500v-8l3 3L8 3l2.500 4.500 3-3v8z' },
  { name: 'bell', path: 'M4 11V7.500a4 4 0 0 1 8 0V11l1.500 1.500h-11zM6.500 14.200h3' },
  {
    name: 'anchor',
    path:
      'M8 6v8M8 2.500a1.700 1.700 0 1 0 0 3.400 1.700 1.700 0 0 0 0-3.400z' +
      'M2.500 9c0 3 2.500 5 5.500 5s5.500-2 5.500-5M5.500 8h5',
  },
  { name: 'gem', path: 'M5 2.500h6l3 4-6 7.500-6-7.500zM2 6.500h12' },
] as const
export type TagIconName = (typeof TAG_ICONS)[number]['name']
