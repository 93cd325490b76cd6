/** The worker that lays out graphs, so that the page stays free. Started by engine.ts. */
import { layOut } from './parts'
import type { LayoutInput } from './types'

self.addEventListener('message', ({ data }: MessageEvent<{ job: number; input: LayoutInput }>) => {
  try {
    const output = layOut(data.input)
    const { x, y, pointStart, points, feedback } = output
    const buffers = [x.buffer, y.buffer, pointStart.buffer, points.buffer, feedback.buffer] as ArrayBuffer[]
    ;(self as unknown as Worker).postMessage({ job: data.job, output }, buffers)
  } catch (problem) {
    ;(self as unknown as Worker).postMessage({ job: data.job, problem: String(problem) })
  }
})
