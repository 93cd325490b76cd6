/** Changes users' marks on runs from this page: icons, notes, hidden rows. Reports failures. */
import { useI18n } from 'vue-i18n'

import { useToasts } from '../../components/feedback/toasts'
import { useFormat } from '../../components/formatting/format'
import { useProblemText } from '../../components/formatting/problemText'
import { useMarks } from '../../data/runs/marks'
import type { ApiProblem, RunRow } from '../../data/types'

export interface RunMarks {
  setIcon: (run: RunRow, icon: number) => Promise<void>
  /** `stale` if somebody else changed the note meanwhile; the run then has the new note. */
  setNote: (run: RunRow, note: string) => Promise<'saved' | 'stale' | 'failed'>
  hide: (runs: readonly RunRow[]) => Promise<void>
  show: (runs: readonly RunRow[]) => Promise<void>
}

export function useRunMarks(): RunMarks {
  const { t } = useI18n()
  const format = useFormat()
  const toasts = useToasts()
  const marks = useMarks()
  const problemText = useProblemText()

  async function tried(act: () => Promise<void>): Promise<ApiProblem | null> {
    try {
      await act()
      return null
    } catch (failure) {
      return failure as ApiProblem
    }
  }
  const told = (problem: ApiProblem | null): boolean => {
    if (problem) toasts.show(problemText(problem))
    return problem === null
  }
  async function setHidden(runs: readonly RunRow[], hidden: boolean): Promise<boolean> {
    const changed = runs.filter((run) => run.marks.hidden !== hidden)
    return changed.length > 0 && told(await tried(() => marks.changeMany(changed, { hidden })))
  }
  return {
    async setIcon(run, icon) {
      told(await tried(() => marks.change(run, { icon })))
    },
    async setNote(run, note) {
      const problem = await tried(() => marks.change(run, { note }))
      if (problem?.code === 'stale_marks') return 'stale'
      return told(problem) ? 'saved' : 'failed'
    },
    async hide(runs) {
      if (!(await setHidden(runs, true))) return
      const back = { text: t('lineage.list.undo'), run: () => void setHidden(runs, false) }
      toasts.show(t('lineage.list.hidden', { n: format.integer(runs.length) }, runs.length), back)
    },
    async show(runs) {
      await setHidden(runs, false)
    },
  }
}
