/**
 * References whose values survive a reload, kept in localStorage under `mindinsight.*`. If the browser stores nothing,
 * they last until the page is closed.
 */
import { ref, watch, type Ref } from 'vue'

/** A value as text, or undefined if the text is not valid. */
interface Form<T> {
  parse: (text: string) => T | undefined
  format: (value: T) => string
}

export function storedRef<T>(name: string, form: Form<T>, fallback: T): Ref<T> {
  const key = `mindinsight.${name}`
  const read = (): T => {
    try {
      const text = localStorage.getItem(key)
      return (text === null ? undefined : form.parse(text)) ?? fallback
    } catch {
      return fallback
    }
  }
  const value = ref(read()) as Ref<T>
  watch(
    value,
    (now) => {
      try {
        localStorage.setItem(key, form.format(now))
      } catch {
        // Private windows may refuse storage; the choice then lasts until the page is closed.
      }
    },
    { deep: true },
  )
  return value
}

/** One of several words. */
export function storedChoice<T extends string>(name: string, allowed: readonly T[], fallback: T): Ref<T> {
  return storedRef<T>(
    name,
    { parse: (text) => allowed.find((value) => value === text), format: (value) => value },
    fallback,
  )
}

/** An integer between two bounds. */
export function storedNumber(name: string, min: number, max: number, fallback: number): Ref<number> {
  const parse = (text: string): number | undefined => {
    const value = Number(text)
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined
  }
  return storedRef(name, { parse, format: String }, fallback)
}

/** Any JSON value; `check` tests the shape of a stored one. */
export function storedJson<T>(name: string, check: (value: unknown) => value is T, fallback: T): Ref<T> {
  const parse = (text: string): T | undefined => {
    try {
      const value: unknown = JSON.parse(text)
      return check(value) ? value : undefined
    } catch {
      return undefined
    }
  }
  return storedRef(name, { parse, format: JSON.stringify }, fallback)
}
