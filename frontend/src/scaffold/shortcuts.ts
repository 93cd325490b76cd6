/**
 * One registry of all keyboard shortcuts. A component registers its keys while it is mounted; the sheet behind `?`
 * and the command palette are drawn from what is registered. Keys never act in fields, in open dialogs, or when the
 * focused control has already used them. A person can switch off all that need no Ctrl or Command, or give them other
 * keys.
 */
import { onScopeDispose, shallowReactive, type InjectionKey } from 'vue'

export type ShortcutGroup = 'pages' | 'runs' | 'cursor' | 'page'
export const GROUPS: readonly ShortcutGroup[] = ['pages', 'runs', 'cursor', 'page']

export interface Shortcut {
  /**
   * Keys as `KeyboardEvent.key` names them; `g r` is one after the other, `Shift+ArrowLeft` both at once, `Mod+k` and
   * `Shift+Mod+z` with Ctrl or Command.
   */
  keys: readonly string[]
  group: ShortcutGroup
  /** Key of the sentence in the sheet. */
  text: string
  /** Does it. Returning false means "not now": the key keeps its usual meaning. */
  run: (event?: KeyboardEvent) => unknown
  /** Acts also where one types. */
  inFields?: boolean
}

const SEQUENCE_WITHIN = 1200
const FIELDS =
  'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="textbox"], [role="combobox"]'
const TYPED_IN =
  'input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, ' +
  '[contenteditable=""], [contenteditable="true"]'
const PRESSED_BY_SPACE =
  'button, a[href], summary, [role="button"], [role="link"], [role="switch"], [role="checkbox"], [role="radio"], ' +
  '[role="tab"], [role="menuitem"]'
const DIALOG = '[role="dialog"]'
const FUNCTION_KEY = /^(Shift\+)?F\d+$/

/** Whether a shortcut is pressed with Ctrl or Command: those can not be switched off. */
export const needsMod = (keys: string): boolean => keys.includes('Mod+')

/** The name of a pressed key in the registry's words. */
export function keyName(event: KeyboardEvent): string {
  const name = event.key === ' ' ? 'Space' : event.key
  if (event.ctrlKey || event.metaKey) return `${event.shiftKey ? 'Shift+' : ''}Mod+${name.toLowerCase()}`
  // A character already tells whether Shift was held.
  return event.shiftKey && name.length > 1 ? `Shift+${name}` : name
}

const MODIFIERS = new Set(['Shift', 'Control', 'Meta', 'Alt', 'AltGraph', 'CapsLock'])

/** Whether a press is no key of its own: a modifier, or part of a character that is being composed. */
export const isModifier = (event: KeyboardEvent): boolean =>
  MODIFIERS.has(event.key) || event.isComposing || event.altKey

function belongsToControl(event: KeyboardEvent, name: string): boolean {
  const target = event.target
  // Nobody writes a function key.
  if (!(target instanceof Element) || FUNCTION_KEY.test(name)) return false
  if (needsMod(name)) return target.closest(TYPED_IN) !== null
  if (target.closest(FIELDS)) return true
  const presses = name === 'Space' || name === 'Enter'
  return presses && target.closest(PRESSED_BY_SPACE) !== null
}

export class ShortcutRegistry {
  private readonly entries = shallowReactive<Shortcut[]>([])
  private readonly seen = shallowReactive(new Map<string, Shortcut>())
  /** Other keys that a person gave, by the shortcut's text. */
  readonly changed = shallowReactive(new Map<string, readonly string[]>())
  /** Whether keys act that need no Ctrl or Command. */
  plainKeys = true
  private prefix = ''
  private prefixAt = 0

  /** The keys that lead to a shortcut: its own, or those that a person gave it. */
  keysOf(shortcut: Shortcut): readonly string[] {
    return this.changed.get(shortcut.text) ?? shortcut.keys
  }

  /** Every shortcut that was there since the window was opened, each once. */
  known(): Shortcut[] {
    return [...this.seen.values()]
  }

  /** Adds shortcuts; a later one wins over an earlier one with the same key. Returns the way to take them back. */
  add(shortcuts: readonly Shortcut[]): () => void {
    this.entries.push(...shortcuts)
    for (const one of shortcuts) this.seen.set(one.text, one)
    return () => {
      for (const one of shortcuts) {
        const at = this.entries.indexOf(one)
        if (at >= 0) this.entries.splice(at, 1)
      }
    }
  }

  /** Who is asked first: the page before what is around it, then the newest. */
  private inTurn(): Shortcut[] {
    const newest = [...this.entries].reverse()
    return [...newest.filter(({ group }) => group === 'page'), ...newest.filter(({ group }) => group !== 'page')]
  }

  /**
   * Everything that can be done at the moment, in the order in which it was added, each with the keys that lead to it.
   */
  available(): Shortcut[] {
    const taken = new Set<string>()
    const free = new Map<Shortcut, string[]>()
    for (const shortcut of this.inTurn()) {
      const keys = this.keysOf(shortcut).filter((key) => !taken.has(key))
      keys.forEach((key) => taken.add(key))
      free.set(shortcut, keys)
    }
    return this.entries.map((shortcut) => ({ ...shortcut, keys: free.get(shortcut) ?? [] }))
  }

  /** The same without what another one's keys stand in front of. */
  active(): Shortcut[] {
    return this.available().filter(({ keys }) => keys.length > 0)
  }

  /** Acts on a key press of the window. */
  press(event: KeyboardEvent, now = performance.now()): void {
    if (event.defaultPrevented || isModifier(event)) return
    const name = keyName(event)
    if (!this.plainKeys && !needsMod(name)) return
    if (document.querySelector(DIALOG)) return
    const fieldOnly = belongsToControl(event, name)
    const prefix = now - this.prefixAt < SEQUENCE_WITHIN ? this.prefix : ''
    this.prefix = ''
    const whole = prefix ? `${prefix} ${name}` : name
    if (this.act(whole, event, fieldOnly) || fieldOnly) return
    if (this.entries.some((one) => this.keysOf(one).some((key) => key.startsWith(`${name} `)))) {
      this.prefix = name
      this.prefixAt = now
    }
  }

  private act(name: string, event: KeyboardEvent, inField: boolean): boolean {
    for (const shortcut of this.inTurn()) {
      if (inField && !shortcut.inFields) continue
      if (!this.keysOf(shortcut).includes(name)) continue
      // What was written counts before what the key does.
      if (FUNCTION_KEY.test(name) && event.target instanceof HTMLElement && event.target.matches(TYPED_IN))
        event.target.blur()
      if (shortcut.run(event) === false) continue
      event.preventDefault()
      return true
    }
    return false
  }
}

export const shortcuts = new ShortcutRegistry()

/** Registers shortcuts for as long as the calling component lives. */
export function useShortcuts(list: readonly Shortcut[], registry: ShortcutRegistry = shortcuts): void {
  onScopeDispose(registry.add(list))
}

/** Opens the sheet of shortcuts; provided by the shell. */
export const OPEN_SHORTCUTS: InjectionKey<() => void> = Symbol('open-shortcuts')
/** Opens the command palette; provided by the shell. */
export const OPEN_PALETTE: InjectionKey<() => void> = Symbol('open-palette')

const APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent)

const SIGNS: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  Shift: '⇧',
  Mod: APPLE ? '⌘' : 'Ctrl',
}

/** What is written on the keys of a shortcut: `['g', 'r']` for `g r`, `['Ctrl', 'K']` for `Mod+k`. */
export function keyCaps(keys: string): string[] {
  return keys.split(' ').flatMap((key) => {
    const parts = key.length > 1 ? key.split('+') : [key]
    const caps = parts.map((part) => SIGNS[part] ?? (parts.length > 1 && part.length === 1 ? part.toUpperCase() : part))
    return caps.length > 1 && !needsMod(key) ? [caps.join(' ')] : caps
  })
}

/** The keys of a shortcut in a tooltip: "Ctrl Z". */
export const keyText = (keys: string): string => keyCaps(keys).join(' ')
