/**
 * The scene of a canvas with its stage: shows opened boxes and keeps the focus of attention in place. Called by
 * GraphCanvas.vue.
 */
import { onBeforeUnmount, ref, shallowRef, type ShallowRef } from 'vue'

import { useMedia } from '../components/browser/media'
import { whenIdle } from '../data/idle'
import type { Stage } from './draw/stage'
import { fitView, READABLE, revealView } from './draw/view'
import { startEngine } from './layout/engine'
import { splitInstance } from './paths'
import { anchorShift, NOTHING, type Drawing } from './scene/drawing'
import type { BoxWords } from './scene/measure'
import { Scene, TooManyBoxes, type Load } from './scene/scene'

export interface SceneEvents {
  shown: (drawing: Drawing, opened: readonly string[]) => void
  failed: (path: string, problem: unknown) => void
  refused: (problem: TooManyBoxes) => void
}

/** Shows everything; if that would be unreadably small, the last opened box. */
function lookFirst(stage: Stage, drawing: Drawing): void {
  const opened = drawing.boxes.findLast(({ open }) => open)
  if (!opened || stage.whole().zoom >= READABLE) stage.fit()
  else
    stage.lookAt(
      revealView({ ...stage.view, zoom: Math.max(READABLE, fitView(opened, stage.size, 1).zoom) }, opened, stage.size),
    )
}

/** @param stage available after the canvas is mounted */
export function useScene(words: BoxWords, stage: ShallowRef<Stage | null>, events: SceneEvents) {
  const engine = startEngine()
  const reduced = useMedia('(prefers-reduced-motion: reduce)')
  const drawing = shallowRef<Drawing>(NOTHING)
  const busy = ref(0)
  let scene: Scene | null = null
  let first = true

  /** Changes the scene and shows the result; `anchor` stays in place, `pointer` is over it. */
  async function act(
    path: string,
    change: (scene: Scene) => Promise<boolean>,
    anchor: string | null = path,
    pointer: number | null = null,
  ): Promise<boolean> {
    const own = scene
    if (!own) return false
    busy.value++
    try {
      const done = await change(own)
      if (done && own === scene) show(own, anchor, pointer)
      return done
    } catch (problem) {
      if (own !== scene) return false
      if (problem instanceof TooManyBoxes) events.refused(problem)
      else events.failed(path, problem)
      return false
    } finally {
      busy.value--
    }
  }

  function show(own: Scene, anchor: string | null, pointer: number | null): void {
    const before = drawing.value
    const after = own.drawing
    drawing.value = after
    const [from, to] = [
      anchor === null ? undefined : before.byPath.get(anchor),
      anchor === null ? undefined : after.byPath.get(anchor),
    ]
    const shift = from && to ? anchorShift(from, to, pointer) : { dx: 0, dy: 0 }
    stage.value?.show(after, shift, !reduced.value)
    if (first && stage.value?.size.width) {
      first = false
      lookFirst(stage.value, after)
      whenIdle(() => engine.warm())
    }
    events.shown(after, own.opened)
  }

  /** Starts with another graph. */
  function begin(
    load: Load,
    { phases, contraction }: Pick<Scene, 'phases' | 'contraction'>,
    open: readonly string[],
  ): Promise<boolean> {
    if (open.length) engine.warm()
    scene = new Scene(load, engine, words)
    scene.phases = phases
    scene.contraction = contraction
    first = true
    drawing.value = NOTHING
    stage.value?.show(NOTHING, { dx: 0, dy: 0 }, false)
    return act('', (own) => own.start(open), null)
  }

  /** The box on the canvas for a path: for an instance, its stack. */
  function shownPath(path: string | null): string | null {
    if (path === null) return null
    const known = drawing.value.byPath
    return known.has(path) ? path : known.has(splitInstance(path).box) ? splitInstance(path).box : null
  }

  onBeforeUnmount(() => {
    scene = null
    engine.end()
  })
  return { drawing, busy, reduced, act, begin, shownPath, current: () => scene }
}
