/**
 * Gets layouts from the worker. Small graphs are laid out directly, and so are all graphs without workers, as in tests.
 * Called by the scene.
 */
import { layOut } from './parts'
import type { LayoutInput, LayoutOutput } from './types'

/** A layout engine. */
export interface LayoutEngine {
  layOut(input: LayoutInput): Promise<LayoutOutput>
  /** Starts the worker if something large will be laid out soon. */
  warm(): void
  end(): void
}

/** This many boxes and edges are laid out faster than the trip to the worker and back takes. */
const SMALL = 90
/** This many are laid out faster than the start of the worker takes. */
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
  /** Whether there will be no worker. */
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
    // A worker that does not start (behind an old proxy, for instance) must not break the page.
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

/** A separate engine for each canvas: stopping it stops its computations. */
export function startEngine(): LayoutEngine {
  if (typeof Worker !== 'undefined') return new WorkerEngine()
  return { layOut: (input) => Promise.resolve(layOut(input)), warm: () => undefined, end: () => undefined }
}
