/**
 * The debugger as the pages see it: sessions, the one that is watched, how the connection is, and what can be asked.
 * The connection stands while anybody uses it. Used by the page, by the rail's badge and by charts.
 */
import { defineStore } from 'pinia'
import { computed, onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'

import { pageBase } from '../../../data/api'
import { socketUrl, type SocketPhase } from '../../../data/live/lastingSocket'
import { CommandProblem, type Action } from './commands'
import { DebugLink, type Reply } from './link'
import type { SessionRow } from './rows'
import { emptySession, take, type Watched } from './session'

/** Values derived from the list of sessions and from the watched one. */
function useReadings(
  sessions: ShallowRef<readonly SessionRow[] | null>,
  watched: ShallowRef<Watched | null>,
  you: Ref<string>,
) {
  return {
    row: computed(() => sessions.value?.find(({ id }) => id === watched.value?.id) ?? watched.value?.row ?? null),
    controls: computed(
      () => watched.value !== null && watched.value.controller !== null && watched.value.controller === you.value,
    ),
    paused: computed(() => sessions.value?.filter(({ status }) => status === 'paused').length ?? 0),
  }
}

export const useDebugger = defineStore('debugger', () => {
  const phase = ref<SocketPhase>('connecting')
  const lostSince = ref<number | null>(null)
  const retryAt = ref<number | null>(null)
  /** Null until the dashboard has sent the sessions. */
  const sessions = shallowRef<readonly SessionRow[] | null>(null)
  const watched = shallowRef<Watched | null>(null)
  const you = ref('')
  const trouble = shallowRef<CommandProblem | null>(null)
  /** The reason why control was refused. */
  const refusal = shallowRef<CommandProblem | null>(null)
  let users = 0

  const link = new DebugLink(socketUrl(pageBase(), '/ws/debug'), {
    state(now) {
      phase.value = now.phase
      lostSince.value = now.lostSince
      retryAt.value = now.retryAt
    },
    greeted: (name) => (you.value = name),
    sessions: (rows) => (sessions.value = rows),
    event({ type, session, body }) {
      if (watched.value?.id !== session) return
      take(watched.value, type, body)
      if (type === 'control')
        refusal.value = body['problem'] ? new CommandProblem(String(body['problem']), String(body['message'])) : null
    },
    trouble: (problem) => (trouble.value = problem),
  })

  /** Connects for as long as the calling component lives. */
  function use(): void {
    if (users++ === 0) link.open()
    onScopeDispose(() => {
      if (--users === 0) link.close()
    })
  }

  function watch(session: string | null): void {
    if (watched.value?.id === session) return
    watched.value = session === null ? null : emptySession(session)
    trouble.value = refusal.value = null
    link.watch(session)
  }

  /**
   * Asks something of the session that is watched.
   * @param controlling whether it needs control, which is taken first where nobody has it
   * @throws CommandProblem
   */
  function ask(action: Action, controlling = true): Promise<Reply> {
    if (controlling && watched.value?.controller === null) link.control(true, false)
    return link.command(action)
  }

  return {
    phase,
    lostSince,
    retryAt,
    sessions,
    watched,
    you,
    ...useReadings(sessions, watched, you),
    trouble,
    refusal,
    use,
    watch,
    ask,
    takeControl: (force: boolean): void => link.control(true, force),
    giveControl: (): void => link.control(false, false),
    retryNow: link.retryNow,
  }
})
