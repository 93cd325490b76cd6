/** The state of the dashboard (`GET /api/status`): base directory, version, time of the reader's last scan. */
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

import { api, ask } from './api'
import { statusAnswer } from './rows'
import type { ApiProblem, StatusAnswer } from './types'

export const useStatus = defineStore('status', () => {
  const status = shallowRef<StatusAnswer | null>(null)
  const error = shallowRef<ApiProblem | null>(null)

  async function refresh(): Promise<void> {
    try {
      status.value = statusAnswer(await ask(api.GET('/api/status')))
      error.value = null
    } catch (problem) {
      error.value = problem as ApiProblem
    }
  }

  return { status, error, refresh }
})
