/**
 * Asks the worker for layouts; what is small, and everything where there are no workers, as in tests, is laid out at once.
 * Called by the scene.
 */
import { layOut } from './parts'
import type { LayoutInput, LayoutOutput } from './types'

/** Something that lays out graphs. */
export interface LayoutEngine {
  layOut(input: LayoutInput): Promise<LayoutOutput>
  end(): void
}

/** So many boxes and edges are laid out in less time than the way to the worker and back takes, or its start. */
const SMALL = 90

interface Answer {
  job: number
  output?: LayoutOutput
  problem?: string
}

class WorkerEngine implements LayoutEngine {
  private readonly worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  private readonly waiting = new Map<number, { input: LayoutInput; done: (output: LayoutOutput) => void; fail: (problem: Error) => void }>()
  private jobs = 0
  private broken = false

  constructor() {
    this.worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      const job = this.waiting.get(data.job)
      this.waiting.delete(data.job)
      if (data.output) job?.done(data.output)
      else job?.fail(new Error(data.problem))
    })
    // A worker that does not start, behind an old proxy for one, must not cost the page.
    this.worker.addEventListener('error', () => {
      this.broken = true
      for (const { input, done } of this.waiting.values()) done(layOut(input))
      this.waiting.clear()
    })
  }

  layOut(input: LayoutInput): Promise<LayoutOutput> {
    if (this.broken || input.width.length + input.source.length <= SMALL) return Promise.resolve(layOut(input))
    const job = ++this.jobs
    return new Promise((done, fail) => {
      this.waiting.set(job, { input, done, fail })
      this.worker.postMessage({ job, input })
    })
  }

  end(): void {
    this.worker.terminate()
    this.waiting.clear()
  }
}

let early: LayoutEngine | null = null

function make(): LayoutEngine {
  if (typeof Worker !== 'undefined') return new WorkerEngine()
  return { layOut: (input) => Promise.resolve(layOut(input)), end: () => undefined }
}

/** Starts the next engine before there is something to lay out, so that nobody waits for its worker. */
export function prepareEngine(): void {
  early ??= make()
}

/** An engine of its own for each canvas: ending it ends what it computes. */
export function startEngine(): LayoutEngine {
  const engine = early ?? make()
  early = null
  return engine
}
