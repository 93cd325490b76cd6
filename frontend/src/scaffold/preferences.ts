/**
 * Settings of this browser: theme, density, language, shortcuts, run column. Kept in localStorage; public/theme.js
 * reads the same names before the first paint.
 */
import { defineStore } from 'pinia'
import { computed, watch } from 'vue'

import { useMedia } from '../components/browser/media'
import { storedChoice, storedJson, storedNumber } from './stored'

export type Theme = 'system' | 'light' | 'dark'
export type Density = 'compact' | 'normal'
export type Language = 'en' | 'zh-CN'

export const THEMES: readonly Theme[] = ['system', 'light', 'dark']
export const DENSITIES: readonly Density[] = ['compact', 'normal']
export const LANGUAGES: readonly Language[] = ['en', 'zh-CN']

/** Widths of the resizable panels, in pixels. */
export const RUN_COLUMN_WIDTH = { min: 200, max: 480, standard: 272, narrow: 232 }
export const INSPECTOR_WIDTH = { min: 280, max: 640, standard: 340 }

function browserLanguage(): Language {
  return /^zh\b/i.test(navigator.language) ? 'zh-CN' : 'en'
}

function isKeyMap(value: unknown): value is Record<string, string[]> {
  return (
    value instanceof Object &&
    !Array.isArray(value) &&
    Object.values(value).every((keys) => Array.isArray(keys) && keys.every((key) => typeof key === 'string'))
  )
}

export const usePreferences = defineStore('preferences', () => {
  const theme = storedChoice('theme', THEMES, 'system')
  const density = storedChoice('density', DENSITIES, 'compact')
  const language = storedChoice('language', LANGUAGES, browserLanguage())
  const shortcuts = storedChoice('shortcuts', ['on', 'off'], 'on')
  /** Custom keys of shortcuts, by the shortcut's text. */
  const keys = storedJson('keys', isKeyMap, {})
  const runColumn = storedChoice('runColumn', ['open', 'closed'], 'open')

  /** 0 until it is resized. */
  const runColumnWidth = storedNumber('runColumnWidth', RUN_COLUMN_WIDTH.min, RUN_COLUMN_WIDTH.max, 0)
  const inspectorWidth = storedNumber(
    'inspectorWidth',
    INSPECTOR_WIDTH.min,
    INSPECTOR_WIDTH.max,
    INSPECTOR_WIDTH.standard,
  )

  const systemDark = useMedia('(prefers-color-scheme: dark)')
  /** The drawn theme, with `system` resolved. */
  const resolvedTheme = computed<'light' | 'dark'>(() => {
    if (theme.value !== 'system') return theme.value
    return systemDark.value ? 'dark' : 'light'
  })

  const root = document.documentElement
  watch(resolvedTheme, (name) => (root.dataset['theme'] = name), { immediate: true, flush: 'sync' })
  watch(density, (name) => (root.dataset['density'] = name), { immediate: true, flush: 'sync' })
  watch(language, (name) => (root.lang = name), { immediate: true, flush: 'sync' })

  /** Resets every setting, including widths and keys. */
  function forget(): void {
    theme.value = 'system'
    density.value = 'compact'
    language.value = browserLanguage()
    shortcuts.value = 'on'
    keys.value = {}
    runColumn.value = 'open'
    runColumnWidth.value = 0
    inspectorWidth.value = INSPECTOR_WIDTH.standard
  }

  return { forget, theme, density, language, shortcuts, keys, runColumn, runColumnWidth, inspectorWidth, resolvedTheme }
})
