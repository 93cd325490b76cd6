/**
 * Reads protobuf's JSON into values without gaps: what a message leaves out is the field's default, as protobuf has it.
 * Types follow from the shapes. Used by messages.ts.
 */
export type Reader<T> = (value: unknown) => T
type Shape = Readonly<Record<string, Reader<unknown>>>
export type Message<S extends Shape> = { readonly [K in keyof S]: ReturnType<S[K]> }
/** The result of a reader. */
export type Of<R extends Reader<unknown>> = ReturnType<R>

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** NaN and the infinities are texts in JSON. */
export const number: Reader<number> = (value) => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value !== '' ? Number(value) : 0
}
export const text: Reader<string> = (value) => (typeof value === 'string' ? value : '')
export const flag: Reader<boolean> = (value) => value === true

export const list =
  <T>(of: Reader<T>): Reader<readonly T[]> =>
  (value) =>
    Array.isArray(value) ? value.map(of) : []

export const table: Reader<Readonly<Record<string, string>>> = (value) =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, text(one)])) : {}

/** One of the names of an enum; the first name is the default. */
export const word =
  <const T extends string>(...words: readonly [T, ...T[]]): Reader<T> =>
  (value) =>
    words.find((one) => one === value) ?? words[0]

export const message =
  <S extends Shape>(shape: S): Reader<Message<S>> =>
  (value) => {
    const fields = isRecord(value) ? value : {}
    return Object.fromEntries(Object.entries(shape).map(([name, read]) => [name, read(fields[name])])) as Message<S>
  }

/** An optional message. */
export const maybe =
  <T>(of: Reader<T>): Reader<T | null> =>
  (value) =>
    isRecord(value) ? of(value) : null
