/** Texts of the table: the number of runs found, and errors of the query. */
import { computed, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'

import { useFormat } from '../../components/formatting/format'
import type { useRunTable } from '../../data/runs/runTable'

export function useTableWords(table: ReturnType<typeof useRunTable>, query: Readonly<Ref<string>>) {
  const { t } = useI18n()
  const format = useFormat()
  const found = computed(() => table.order.value?.runs.length ?? 0)
  const notMatching = computed(() => (table.order.value ? table.order.value.of - found.value : 0))
  const milliseconds = computed(() =>
    t('runs.query.took', { n: format.integer(Math.max(1, Math.round(table.order.value?.milliseconds ?? 0))) }),
  )
  const count = computed(() => {
    const order = table.order.value
    if (!order) return undefined
    if (!query.value) return t('runs.count', { n: format.integer(order.of) }, order.of)
    const matching = t('runs.countOf', { n: format.integer(found.value), all: format.integer(order.of) })
    return `${matching} · ${milliseconds.value}`
  })
  const asError = computed(() =>
    table.problem.value?.code !== 'bad_query' && !table.order.value ? table.problem.value : null,
  )
  /** An older result is not shown for a query that is not valid. */
  const misunderstood = computed(
    () => table.problem.value?.code === 'bad_query' && table.problem.value.detail['parameter'] === 'query',
  )
  const columnProblem = computed(() => {
    const problem = table.problem.value
    return problem?.code === 'bad_query' && problem.detail['parameter'] !== 'query' ? problem : null
  })
  return { found, notMatching, count, asError, misunderstood, columnProblem }
}
