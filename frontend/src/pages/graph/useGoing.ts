/** Navigation in a graph: to a box, a node, into a box, out of it, to the next difference. Used by GraphPage. */
import { nextTick, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'

import { useToasts } from '../../components/feedback/toasts'
import { useProblemText } from '../../components/formatting/problemText'
import { ApiProblem } from '../../data/types'
import { wasLeft } from '../../data/untilDone'
import { boxOf, containersOf, parentOf } from '../../graphs/paths'
import type { GraphModel } from '../../graphs/useGraph'
import { openingOf } from './column/useOutline'
import { useDifferences } from './differences/useDifferences'
import { closed, opened } from './openBoxes'
import { REACHES, type ViewParams } from './viewParams'

interface Stage {
  goTo: (path: string) => unknown
  fit: () => void
}

export interface Going {
  go: (path: string) => Promise<void>
  goTo: (path: string, node: number) => Promise<void>
  goNode: (node: number) => Promise<void>
  goOrTop: (path: string | null) => void
  open: (path: string) => void
  close: (path: string) => void
  toggle: () => void
  /** False at the top: another key handler may act. */
  outward: () => unknown
  nextDifference: (delta: number) => Promise<void>
  /** Shows why an action failed, unless it was cancelled. */
  tell: (cause: unknown) => void
}

/** @param stage the drawing, once it is mounted */
export function useGoing(model: GraphModel, view: ViewParams, stage: Readonly<Ref<Stage | null>>): Going {
  const { t } = useI18n()
  const toasts = useToasts()
  const problemText = useProblemText()

  function tell(cause: unknown): void {
    const isClosing = cause instanceof ApiProblem && cause.code === 'unknown_box'
    if (!wasLeft(cause) && !isClosing) toasts.show(cause instanceof ApiProblem ? problemText(cause) : String(cause))
  }
  async function go(path: string): Promise<void> {
    const way = [...containersOf(path), path]
    try {
      await Promise.all(way.map((one) => model.load(parentOf(boxOf(one)))))
    } catch (cause) {
      return tell(cause)
    }
    const furthest = Math.max(...way.map((one) => REACHES.indexOf(model.boxAt(one)?.phase ?? 'forward')))
    if (furthest > REACHES.indexOf(view.reach.value)) view.reach.value = REACHES[furthest]
    view.box.value = boxOf(path)
    await nextTick()
    await stage.value?.goTo(path)
  }
  /** Goes to a node, which may be drawn as part of a box, as a parameter is with its user. */
  async function goTo(path: string, node: number): Promise<void> {
    await go(path)
    const own = model.boxAt(path)
    view.held.value = own && own.node !== node && view.box.value === boxOf(path) ? { box: boxOf(path), node } : null
  }
  async function goNode(node: number): Promise<void> {
    try {
      const { box: path } = await model.question<{ box: string | null }>('box', { node })
      if (path === null) toasts.show(t('graph.notDrawn'))
      else await goTo(path, node)
    } catch (cause) {
      tell(cause)
    }
  }
  function goOrTop(path: string | null): void {
    if (path !== null) return void go(path)
    view.box.value = null
    stage.value?.fit()
  }
  const open = (path: string): void => void (view.open.value = opened(view.open.value, path))
  const close = (path: string): void => void (view.open.value = closed(view.open.value, path))
  function toggle(): void {
    const path = view.box.value
    const box = path === null ? null : model.boxAt(path)
    if (path === null || !box?.inside) return
    if (view.open.value.some((one) => boxOf(one) === path)) close(path)
    else open(openingOf(path, box))
  }
  function outward(): unknown {
    if (view.box.value === null) return false
    const container = boxOf(parentOf(view.box.value))
    if (container === '') view.box.value = null
    else void go(container)
    return true
  }
  const differences = useDifferences(model, () => view.reach.value)
  async function nextDifference(delta: number): Promise<void> {
    try {
      const row = await differences.next(delta)
      if (row) await goNode(row.node)
    } catch (cause) {
      tell(cause)
    }
  }
  return { go, goTo, goNode, goOrTop, open, close, toggle, outward, nextDifference, tell }
}
