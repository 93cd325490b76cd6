/**
 * Opens the step at the cursor of a chart in the debugger, if a session still has it; otherwise says what is missing.
 * Called by the grid of charts, for its key and for the buttons of cards.
 */
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'

import { useToasts } from '../../components/feedback/toasts'
import { useFormat } from '../../components/formatting/format'
import { useProblemText } from '../../components/formatting/problemText'
import { api, ask } from '../../data/api'
import { useCursor } from '../../data/runs/cursor'
import { useRuns } from '../../data/runs/runs'
import { ApiProblem } from '../../data/types'

/** Runs to ask about: the visible ones, newest first. */
const MOST = 8
/** Answers for which opening the session is useful, best first. */
const OPENED: readonly string[] = ['current', 'previous', 'ahead']

/**
 * @returns a function that opens a step, by default that of the cursor; it returns false if no chart is on the screen
 */
export function useStepInDebugger(): (step?: number) => unknown {
  const { t } = useI18n()
  const format = useFormat()
  const router = useRouter()
  const toasts = useToasts()
  const problemText = useProblemText()
  const cursor = useCursor()
  const runs = useRuns()

  async function open(step: number): Promise<void> {
    const shown = runs.rows.filter(({ number }) => runs.isVisible(number)).slice(0, MOST)
    try {
      const answers = await Promise.all(
        shown.map(({ id }) => ask(api.GET('/api/debugger/steps', { params: { query: { run: id, step } } }))),
      )
      const best = [...OPENED, 'passed', 'over', 'none'].flatMap(
        (kind) => answers.find(({ answer }) => answer === kind) ?? [],
      )[0]
      if (!best) return
      const name = runs.rows.find(({ id }) => id === best.run)?.name ?? ''
      if (!OPENED.includes(best.answer) || !best.session)
        return void toasts.show(t(`scalars.debug.${best.answer}`, { name, step: format.integer(step) }))
      await router.push({ name: 'debugger', query: { session: best.session.id } })
      if (best.answer !== 'current')
        toasts.show(t(`scalars.debug.${best.answer}`, { name, step: format.integer(step) }))
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem
      toasts.show(problemText(problem))
    }
  }
  return (named) => {
    const step = named ?? cursor.step ?? cursor.extent?.last
    return step === undefined || runs.visible.size === 0 ? false : void open(step)
  }
}
