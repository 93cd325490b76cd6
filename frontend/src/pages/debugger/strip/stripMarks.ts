/** The marks of a session on the step strip: its hits, causes and changes of settings. Pure; used by the session. */
import type { LiveEdit } from '../../../data/runs/liveEdits'
import type { Watched } from '../data/session'

export const MARK_KINDS = ['edit', 'hit', 'cause'] as const
export interface StripMark {
  kind: (typeof MARK_KINDS)[number]
  step: number
  /** Hits of the step, or changes after it. */
  count: number
}

/** One mark per kind and step; causes come last and are drawn over the others. */
export function stripMarks(session: Pick<Watched, 'hits' | 'causes'>, edits: readonly LiveEdit[]): StripMark[] {
  const edited = new Map<number, number>()
  for (const { step } of edits) edited.set(step, (edited.get(step) ?? 0) + 1)
  return [
    ...[...edited].map(([step, count]) => ({ kind: 'edit' as const, step, count })),
    ...session.hits.map(({ step, hits, leftOut }) => ({ kind: 'hit' as const, step, count: hits.length + leftOut })),
    ...session.causes.map(({ step }) => ({ kind: 'cause' as const, step, count: 1 })),
  ]
}
