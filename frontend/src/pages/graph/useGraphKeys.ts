/** Keyboard shortcuts of the graph page. */
import { useShortcuts } from '../../scaffold/shortcuts'
import { BOOKKEEPINGS, REACHES, type ColourBy, type ViewParams } from './viewParams'

/** Actions of the shortcuts. */
interface KeyActions {
  isReady: () => boolean
  focusFind: () => unknown
  focusTree: () => unknown
  hasBox: () => boolean
  toggle: () => void
  outward: () => unknown
  hasPhases: () => boolean
  colourings: () => readonly ColourBy[]
  hasBookkeepers: () => boolean
  nextDifference: (delta: number) => unknown
  nextPass: (delta: number) => unknown
  isPanelOpen: () => boolean
  stage: () => { zoomBy: (factor: number) => void; fit: () => void } | null
}

function cycle<T>(all: readonly T[], now: T): T {
  return all[(all.indexOf(now) + 1) % all.length]
}

export function useGraphKeys(view: ViewParams, page: KeyActions): void {
  const act = (work: () => unknown) => (): unknown => (page.isReady() ? work() : false)
  const open = (): unknown => (page.hasBox() ? page.toggle() : false)
  const reach = (): unknown => page.hasPhases() && (view.reach.value = cycle(REACHES, view.reach.value))
  const colour = (): unknown => (view.colour.value = cycle(page.colourings(), view.colour.value))
  const bookkeeping = (): unknown =>
    page.hasBookkeepers() && (view.bookkeeping.value = cycle(BOOKKEEPINGS, view.bookkeeping.value))
  const difference = (delta: number) => (): unknown => view.against.value !== null && page.nextDifference(delta)
  const panel = (): unknown => (view.panel.value = page.isPanelOpen() ? 'closed' : 'open')
  const zoom = (factor: number) => (): unknown => page.stage()?.zoomBy(factor)
  useShortcuts([
    { keys: ['/'], group: 'page', text: 'graph.keys.find', run: act(page.focusFind) },
    { keys: ['o'], group: 'page', text: 'graph.keys.outline', run: act(page.focusTree) },
    { keys: ['Enter'], group: 'page', text: 'graph.keys.open', run: act(open) },
    { keys: ['Escape'], group: 'page', text: 'graph.keys.up', run: act(page.outward) },
    { keys: ['f'], group: 'page', text: 'graph.keys.reach', run: act(reach) },
    { keys: ['c'], group: 'page', text: 'graph.keys.colour', run: act(colour) },
    { keys: ['b'], group: 'page', text: 'graph.keys.bookkeeping', run: act(bookkeeping) },
    { keys: ['n'], group: 'page', text: 'graph.keys.next', run: act(difference(1)) },
    { keys: ['N'], group: 'page', text: 'graph.keys.previous', run: act(difference(-1)) },
    { keys: [']'], group: 'page', text: 'graph.keys.nextPass', run: act(() => page.nextPass(1)) },
    { keys: ['['], group: 'page', text: 'graph.keys.previousPass', run: act(() => page.nextPass(-1)) },
    { keys: ['p'], group: 'page', text: 'graph.keys.panel', run: act(panel) },
    { keys: ['+', '='], group: 'page', text: 'graph.keys.zoomIn', run: act(zoom(1.25)) },
    { keys: ['-'], group: 'page', text: 'graph.keys.zoomOut', run: act(zoom(1 / 1.25)) },
    { keys: ['0'], group: 'page', text: 'graph.keys.fit', run: act(() => page.stage()?.fit()) },
  ])
}
