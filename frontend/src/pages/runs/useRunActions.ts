/** Actions on runs from this page: marks, archive, trash. Each reports its result and can be undone for ten seconds. */
import { useI18n } from 'vue-i18n'

import { useToasts } from '../../components/feedback/toasts'
import { copyText } from '../../components/browser/clipboard'
import { useFormat } from '../../components/formatting/format'
import { useProblemText } from '../../components/formatting/problemText'
import { useMarks, type ManyMarksChange, type MarksChange } from '../../data/runs/marks'
import { useRuns } from '../../data/runs/runs'
import { useStatus } from '../../data/status'
import { useTrash } from '../../data/runs/trash'
import type { ApiProblem, RunRow } from '../../data/types'

export interface RunActions {
  mark: (run: RunRow, changes: MarksChange) => Promise<boolean>
  markAll: (runs: readonly RunRow[], changes: ManyMarksChange) => Promise<boolean>
  pin: (runs: readonly RunRow[]) => Promise<void>
  archive: (runs: readonly RunRow[]) => Promise<void>
  takeBaseline: (run: RunRow) => Promise<void>
  moveToTrash: (runs: readonly RunRow[]) => Promise<boolean>
  copyPaths: (runs: readonly RunRow[]) => Promise<void>
}

export function useRunActions(): RunActions {
  const { t } = useI18n()
  const format = useFormat()
  const toasts = useToasts()
  const marks = useMarks()
  const trash = useTrash()
  const runs = useRuns()
  const status = useStatus()
  const problemText = useProblemText()

  /** Runs the action and reports a failure. */
  async function tried(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act()
      return true
    } catch (failure) {
      toasts.show(problemText(failure as ApiProblem))
      return false
    }
  }
  const named = (chosen: readonly RunRow[]): string =>
    chosen.length === 1 ? chosen[0].name : t('runs.count', { n: format.integer(chosen.length) }, chosen.length)

  const mark: RunActions['mark'] = (run, changes) => tried(() => marks.change(run, changes))
  const markAll: RunActions['markAll'] = (chosen, changes) => tried(() => marks.changeMany(chosen, changes))

  async function archive(chosen: readonly RunRow[]): Promise<void> {
    const archived = !chosen.every((run) => run.marks.archived)
    const changed = chosen.filter((run) => run.marks.archived !== archived)
    if (!changed.length || !(await markAll(changed, { archived }))) return
    const back = { text: t('runs.undo'), run: () => void markAll(changed, { archived: !archived }) }
    toasts.show(t(archived ? 'runs.archive.done' : 'runs.archive.back', { name: named(changed) }), back)
  }

  async function moveToTrash(chosen: readonly RunRow[]): Promise<boolean> {
    if (!chosen.length || !(await tried(() => trash.put(chosen)))) return false
    const back = { text: t('runs.undo'), run: () => void tried(() => trash.restore(chosen)) }
    toasts.show(t('runs.trash.done', { name: named(chosen) }), back)
    return true
  }

  return {
    mark,
    markAll,
    archive,
    moveToTrash,
    async pin(chosen) {
      const pinned = !chosen.every((run) => run.marks.pinned)
      await markAll(chosen, { pinned })
    },
    async takeBaseline(run) {
      const before = runs.baseline
      const baseline = !run.marks.baseline
      if (!(await mark(run, { baseline }))) return
      const undo = (): void =>
        void (before && baseline ? mark(before, { baseline: true }) : mark(run, { baseline: !baseline }))
      toasts.show(t(baseline ? 'runs.baseline.set' : 'runs.baseline.cleared', { name: run.name }), {
        text: t('runs.undo'),
        run: undo,
      })
    },
    async copyPaths(chosen) {
      const base = status.status?.baseDirectory
      const paths = chosen.map(({ directory }) =>
        base === undefined ? directory : directory === '.' ? base : `${base}/${directory}`,
      )
      const copied = await copyText(paths.join('\n'))
      toasts.show(
        copied
          ? t('runs.selection.pathsCopied', { n: format.integer(paths.length) }, paths.length)
          : t('components.refused'),
      )
    },
  }
}
