/**
 * The registry of all keyboard shortcuts. A component registers its keys while it is mounted; the sheet behind `?` and
 * the command palette list the registered ones. Keys never act in fields, in open dialogs, or when the focused control
 * has already handled them. Users can switch off all shortcuts without Ctrl or Command, or assign other keys.
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
  /** The action. Returning false means "not now": the key keeps its usual meaning. */
  run: (event?: KeyboardEvent) => unknown
  /** Also acts in text fields. */
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

/** Whether a shortcut uses Ctrl or Command; those cannot be switched off. */
export const needsMod = (keys: string): boolean => keys.includes('Mod+')

/** The registry's name of a pressed key. */
export function keyName(event: KeyboardEvent): string {
  const name = event.key === ' ' ? 'Space' : event.key
  if (event.ctrlKey || event.metaKey) return `${event.shiftKey ? 'Shift+' : ''}Mod+${name.toLowerCase()}`
  // A character already implies Shift.
  return event.shiftKey && name.length > 1 ? `Shift+${name}` : name
}

const MODIFIERS = new Set(['Shift', 'Control', 'Meta', 'Alt', 'AltGraph', 'CapsLock'])

/** Whether a key press is a modifier or part of a composed character. */
export const isModifier = (event: KeyboardEvent): boolean =>
  MODIFIERS.has(event.key) || event.isComposing || event.altKey

function belongsToControl(event: KeyboardEvent, name: string): boolean {
  const target = event.target
  // Function keys do not enter text.
  if (!(target instanceof Element) || FUNCTION_KEY.test(name)) return false
  if (needsMod(name)) return target.closest(TYPED_IN) !== null
  if (target.closest(FIELDS)) return true
  const presses = name === 'Space' || name === 'Enter'
  return presses && target.closest(PRESSED_BY_SPACE) !== null
}

export class ShortcutRegistry {
  private readonly entries = shallowReactive<Shortcut[]>([])
  private readonly seen = shallowReactive(new Map<string, Shortcut>())
  /** Custom keys by the shortcut's text. */
  readonly changed = shallowReactive(new Map<string, readonly string[]>())
  /** Whether keys without Ctrl or Command act. */
  plainKeys = true
  private prefix = ''
  private prefixAt = 0

  /** The keys of a shortcut: its own or the custom ones. */
  keysOf(shortcut: Shortcut): readonly string[] {
    return this.changed.get(shortcut.text) ?? shortcut.keys
  }

  /** Every shortcut registered since the window was opened, without duplicates. */
  known(): Shortcut[] {
    return [...this.seen.values()]
  }

  /** Adds shortcuts; a later one wins over an earlier one with the same key. Returns a function that removes them. */
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

  /** Order of precedence: the page before its surroundings, then the newest first. */
  private inTurn(): Shortcut[] {
    const newest = [...this.entries].reverse()
    return [...newest.filter(({ group }) => group === 'page'), ...newest.filter(({ group }) => group !== 'page')]
  }

  /** All registered shortcuts in order, each with the keys that reach it. */
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

  /** The same without shortcuts whose keys others have taken. */
  active(): Shortcut[] {
    return this.available().filter(({ keys }) => keys.length > 0)
  }

  /** Handles a key press of the window. */
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
      // Apply typed text before the key's action.
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

/** Registers shortcuts while the calling component is mounted. */
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

/** The key caps of a shortcut: `['g', 'r']` for `g r`, `['Ctrl', 'K']` for `Mod+k`. */
export function keyCaps(keys: string): string[] {
  return keys.split(' ').flatMap((key) => {
    const parts = key.length > 1 ? key.split('+') : [key]
    const caps = parts.map((part) => SIGNS[part] ?? (parts.length > 1 && part.length === 1 ? part.toUpperCase() : part))
    return caps.length > 1 && !needsMod(key) ? [caps.join(' ')] : caps
  })
}

/** The keys of a shortcut in a tooltip: "Ctrl Z". */
export const keyText = (keys: string): string => keyCaps(keys).join(' ')
