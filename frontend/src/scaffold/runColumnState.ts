/**
 * Whether the run column is open, and its width. If there is no room beside the page, it is a sheet over the page,
 * closed by default. Called by the column, the top bar and the shell.
 */
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

import { useMedia } from '../components/browser/media'
import { RUN_COLUMN_WIDTH, usePreferences } from './preferences'

export const useRunColumn = defineStore('runColumn', () => {
  const preferences = usePreferences()
  const isSheet = useMedia('(max-width: 59.9375em)')
  const sheetOpen = ref(false)
  const open = computed({
    get: () => (isSheet.value ? sheetOpen.value : preferences.runColumn === 'open'),
    set(wanted) {
      if (isSheet.value) sheetOpen.value = wanted
      else preferences.runColumn = wanted ? 'open' : 'closed'
    },
  })
  const narrow = useMedia('(max-width: 74.9375em)')
  const standard = computed(() => (narrow.value ? RUN_COLUMN_WIDTH.narrow : RUN_COLUMN_WIDTH.standard))
  const width = computed({
    get: () => preferences.runColumnWidth || standard.value,
    set: (pixels) => (preferences.runColumnWidth = pixels === standard.value ? 0 : pixels),
  })
  function toggle(): void {
    open.value = !open.value
  }
  return { open, isSheet, width, standard, toggle }
})
