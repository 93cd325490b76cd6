import { beforeEach, describe, expect, it, vi } from 'vitest'

import { keyCaps, ShortcutRegistry, type Shortcut } from './shortcuts'

const shortcut = (keys: string, run: Shortcut['run']): Shortcut => ({ keys: [keys], group: 'page', text: keys, run })

function press(
  registry: ShortcutRegistry,
  key: string,
  init: KeyboardEventInit = {},
  target: EventTarget = document.body,
  at = 0,
): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init })
  const listener = (heard: Event): void => registry.press(heard as KeyboardEvent, at)
  window.addEventListener('keydown', listener, { once: true })
  target.dispatchEvent(event)
  window.removeEventListener('keydown', listener)
  return event
}

describe('ShortcutRegistry', () => {
  let registry: ShortcutRegistry
  const run = vi.fn()

  beforeEach(() => {
    registry = new ShortcutRegistry()
    run.mockReset()
    document.body.replaceChildren()
  })

  it('runs what belongs to a key and takes the key from the browser', () => {
    registry.add([shortcut('j', run)])
    expect(press(registry, 'j').defaultPrevented).toBe(true)
    expect(run).toHaveBeenCalledOnce()
  })

  it('leaves a key alone that is not meant at the moment', () => {
    registry.add([shortcut('j', () => false)])
    expect(press(registry, 'j').defaultPrevented).toBe(false)
  })

  it.each(['ctrlKey', 'altKey', 'metaKey'])('ignores keys with %s', (modifier) => {
    registry.add([shortcut('j', run)])
    press(registry, 'j', { [modifier]: true })
    expect(run).not.toHaveBeenCalled()
  })

  it.each(['input', 'textarea', 'select'])('never fires in a field (%s)', (name) => {
    const field = document.body.appendChild(document.createElement(name))
    registry.add([shortcut('j', run)])
    press(registry, 'j', {}, field)
    expect(run).not.toHaveBeenCalled()
  })

  it('fires by a function key in a field, behind what was written there', () => {
    const said: string[] = []
    const field = document.body.appendChild(document.createElement('input'))
    field.addEventListener('blur', () => said.push('written'))
    field.focus()
    registry.add([shortcut('F8', () => said.push('F8')), shortcut('Shift+F10', () => said.push('Shift+F10'))])
    expect(press(registry, 'F8', {}, field).defaultPrevented).toBe(true)
    press(registry, 'F10', { shiftKey: true }, field)
    expect(said).toEqual(['written', 'F8', 'Shift+F10'])
  })

  it('leaves Space and Enter to a focused button', () => {
    const button = document.body.appendChild(document.createElement('button'))
    registry.add([shortcut('Space', run), shortcut('Enter', run)])
    press(registry, ' ', {}, button)
    press(registry, 'Enter', {}, button)
    expect(run).not.toHaveBeenCalled()
    press(registry, ' ')
    expect(run).toHaveBeenCalledOnce()
  })

  it('is silent while a dialog is open', () => {
    const dialog = document.body.appendChild(document.createElement('div'))
    dialog.setAttribute('role', 'dialog')
    registry.add([shortcut('j', run)])
    press(registry, 'j')
    expect(run).not.toHaveBeenCalled()
  })

  it('leaves keys alone that a control has used', () => {
    const slider = document.body.appendChild(document.createElement('div'))
    slider.addEventListener('keydown', (event) => event.preventDefault())
    registry.add([shortcut('ArrowLeft', run)])
    press(registry, 'ArrowLeft', {}, slider)
    expect(run).not.toHaveBeenCalled()
  })

  it('knows one key after another, for a while', () => {
    registry.add([shortcut('g r', run)])
    press(registry, 'g', {}, document.body, 0)
    press(registry, 'r', {}, document.body, 500)
    expect(run).toHaveBeenCalledOnce()
    press(registry, 'g', {}, document.body, 1000)
    press(registry, 'r', {}, document.body, 5000)
    expect(run).toHaveBeenCalledOnce()
  })

  it('tells Shift with a named key apart, and reads characters as they are', () => {
    registry.add([shortcut('Shift+ArrowLeft', run), shortcut('?', run)])
    press(registry, 'ArrowLeft')
    expect(run).not.toHaveBeenCalled()
    press(registry, 'ArrowLeft', { shiftKey: true })
    press(registry, '?', { shiftKey: true })
    expect(run).toHaveBeenCalledTimes(2)
  })

  it('lets the newest win and lists each key once', () => {
    const older = vi.fn()
    registry.add([{ ...shortcut('/', older), keys: ['/', 'r'], text: 'older' }])
    const remove = registry.add([shortcut('/', run)])
    press(registry, '/')
    expect(older).not.toHaveBeenCalled()
    expect(registry.active().map(({ text, keys }) => [text, keys])).toEqual([
      ['older', ['r']],
      ['/', ['/']],
    ])
    remove()
    press(registry, '/')
    expect(older).toHaveBeenCalledOnce()
  })
})

describe('keys that two parts of a page want', () => {
  it('go to the page, also where what is around it comes later', () => {
    const registry = new ShortcutRegistry()
    const [page, frame] = [vi.fn(), vi.fn()]
    registry.add([{ keys: ['/'], group: 'page', text: 'page', run: page }])
    registry.add([
      { keys: ['/', 'r'], group: 'runs', text: 'frame', run: frame },
      { keys: ['/'], group: 'runs', text: 'hidden', run: frame },
    ])
    press(registry, '/')
    expect([page.mock.calls.length, frame.mock.calls.length]).toEqual([1, 0])
    expect(registry.active().map(({ text, keys }) => [text, keys])).toEqual([
      ['page', ['/']],
      ['frame', ['r']],
    ])
    expect(registry.available().map(({ text }) => text)).toEqual(['page', 'frame', 'hidden'])
  })
})

describe('keys with Ctrl or Command', () => {
  it('work with either, and where single keys are switched off', () => {
    const registry = new ShortcutRegistry()
    const run = vi.fn()
    registry.add([shortcut('Mod+k', run), shortcut('Shift+Mod+z', run)])
    registry.plainKeys = false
    press(registry, 'k', { ctrlKey: true })
    press(registry, 'K', { metaKey: true })
    press(registry, 'Z', { ctrlKey: true, shiftKey: true })
    press(registry, 'k')
    expect(run).toHaveBeenCalledTimes(3)
  })

  it('leave text fields to the browser, unless they are meant for them', () => {
    const registry = new ShortcutRegistry()
    const [undo, find] = [vi.fn(), vi.fn()]
    registry.add([shortcut('Mod+z', undo), { ...shortcut('Mod+k', find), inFields: true }])
    const field = document.body.appendChild(document.createElement('input'))
    press(registry, 'z', { ctrlKey: true }, field)
    press(registry, 'k', { ctrlKey: true }, field)
    expect([undo.mock.calls.length, find.mock.calls.length]).toEqual([0, 1])
    field.type = 'range'
    press(registry, 'z', { ctrlKey: true }, field)
    expect(undo).toHaveBeenCalledOnce()
  })
})

it('writes keys as they are drawn', () => {
  expect(keyCaps('Mod+k')).toEqual(['Ctrl', 'K'])
  expect(keyCaps('Shift+ArrowLeft')).toEqual(['⇧ ←'])
  expect(keyCaps('+')).toEqual(['+'])
  expect(keyCaps('g r')).toEqual(['g', 'r'])
  expect(keyCaps('ArrowLeft')).toEqual(['←'])
})
