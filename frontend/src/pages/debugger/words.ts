/**
 * Words for what a training or the dashboard refuses, by its key; a key that this page does not know keeps the sentence
 * that came.
 */
import { useI18n } from 'vue-i18n'

import { CommandProblem } from './data/commands'

export function useProblemWords(): (problem: unknown) => string {
  const { t, te } = useI18n()
  return (problem) => {
    if (!(problem instanceof CommandProblem)) return String(problem)
    const key = `debugger.problem.${problem.code}`
    if (!te(key)) return problem.message || t('debugger.problem.unknown', { code: problem.code })
    // The sentence names the node or the file, or says why a framework cannot do it, so it is kept if there is one.
    return problem.message && /^(bad|cannot)_/.test(problem.code) ? `${t(key)} ${problem.message}` : t(key)
  }
}
