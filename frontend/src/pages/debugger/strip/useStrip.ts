/** Narrows the step strip to the run of a session, with its marks, while the calling component lives. */
import { computed, h, onBeforeUnmount, type FunctionalComponent } from 'vue'

import { useCursor } from '../../../data/runs/cursor'
import { useLiveEdits } from '../../../data/runs/liveEdits'
import { useRuns } from '../../../data/runs/runs'
import type { Watched } from '../data/session'
import StripMarks from './StripMarks.vue'
import { stripMarks } from './stripMarks'

type Drawn = Pick<InstanceType<typeof StripMarks>['$props'], 'place' | 'height'>

export function useStrip(session: Watched): void {
  const runs = useRuns()
  const cursor = useCursor()
  const run = computed(() => {
    const id = session.row?.run
    return [...runs.byNumber.values()].find((one) => one.id === id)?.number ?? null
  })
  const edits = useLiveEdits(() => (run.value === null ? [] : [run.value]))
  const marks = computed(() => stripMarks(session, run.value === null ? [] : edits.of(run.value)))
  const steps = computed(() =>
    // Without a recorded run, the strip begins where trainings do.
    [
      ...new Set([
        ...(run.value === null ? [0] : []),
        ...marks.value.map(({ step }) => step),
        session.state?.step ?? 0,
      ]),
    ].sort((a, b) => a - b),
  )
  const drawing: FunctionalComponent<Drawn> = ({ place, height }) =>
    h(StripMarks, { marks: marks.value, place, height })
  drawing.props = ['place', 'height']
  const ends = [
    cursor.narrow(() => ({ run: run.value, marks: drawing })),
    cursor.follows(() => [
      {
        step: steps.value,
        length: steps.value.length,
        rowAt: (step) => steps.value.filter((one) => one <= step).length - 1,
      },
    ]),
  ]
  onBeforeUnmount(() => ends.forEach((end) => end()))
}
