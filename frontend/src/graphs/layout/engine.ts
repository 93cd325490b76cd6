/**
 * Asks the worker for layouts; what is small, and everything where there are no workers, as in tests, is laid out at
 * once. Called by the scene.
 */
import { layOut } from './parts'
import type { LayoutInput, LayoutOutput } from './types'

/** Something that lays out graphs. */
export interface LayoutEngine {
  layOut(input: LayoutInput): Promise<LayoutOutput>
  /** Starts what will be needed, where something large is to be laid out soon. */
  warm(): void
  end(): void
}

/** So many boxes and edges are laid out in less time than the way to the worker and back takes. */
const SMALL = 90
/** And so many in less time than its start takes. */
const SMALL_COLD = 300

interface Answer {
  job: number
  output?: LayoutOutput
  problem?: string
}

class WorkerEngine implements LayoutEngine {
  private worker: Worker | null = null
  private readonly waiting = new Map<
    number,
    { input: LayoutInput; done: (output: LayoutOutput) => void; fail: (problem: Error) => void }
  >()
  private jobs = 0
  /** Whether there is no worker and will be none. */
  private broken = false

  warm(): void {
    if (!this.broken) this.worker ??= this.start()
  }

  private start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      const job = this.waiting.get(data.job)
      this.waiting.delete(data.job)
      if (data.output) job?.done(data.output)
      else job?.fail(new Error(data.problem))
    })
    // A worker that does not start, behind an old proxy for one, must not cost the page.
    worker.addEventListener('error', () => {
      this.broken = true
      for (const { input, done } of this.waiting.values()) done(layOut(input))
      this.waiting.clear()
    })
    return worker
  }

  layOut(input: LayoutInput): Promise<LayoutOutput> {
    if (this.broken || input.width.length + input.source.length <= (this.worker ? SMALL : SMALL_COLD))
      return Promise.resolve(layOut(input))
    const worker = (this.worker ??= this.start())
    const job = ++this.jobs
    return new Promise((done, fail) => {
      this.waiting.set(job, { input, done, fail })
      worker.postMessage({ job, input })
    })
  }

  end(): void {
    this.broken = true
    this.worker?.terminate()
    this.waiting.clear()
  }
}

/** An engine of its own for each canvas: ending it ends what it computes. */
export function startEngine(): LayoutEngine {
  if (typeof Worker !== 'undefined') return new WorkerEngine()
  return { layOut: (input) => Promise.resolve(layOut(input)), warm: () => undefined, end: () => undefined }
}
