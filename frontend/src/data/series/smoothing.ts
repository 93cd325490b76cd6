/**
 * Smooths a curve by the debiased exponential moving average. Written as a moving mean, m += (y - m) * (1 - w) / (1 -
 * w^n), it is the same number, and a constant stays exactly constant. Values that are not finite become gaps and do not
 * affect later values.
 *
 * A weight per point would not smooth a run of a million points at all. So points closer than 1/250 of the run count in
 * proportion to their distance (w^(distance / unit)). Farther apart it is the usual average per point.
 */

const UNITS_PER_RUN = 250

/**
 * The distance in steps that counts as one point. It grows in stages, so that a growing run is not smoothed again all
 * the time.
 */
export function smoothingUnit(span: number): number {
  const unit = span / UNITS_PER_RUN
  return unit > 1 ? 2 ** (Math.ceil(4 * Math.log2(unit)) / 4) : 1
}

export class DebiasedEma {
  private readonly logWeight: number
  private readonly unit: number
  private mean = 0
  private left = 1
  private lastStep = NaN

  /**
   * @param weight above 0 and below 1
   * @param unit distance in steps from which points count fully
   */
  constructor(weight: number, unit = 1) {
    this.logWeight = Math.log(weight)
    this.unit = unit
  }

  /** Weight of everything before the first point: weight^n after n points. */
  get rest(): number {
    return this.left
  }

  /** Continues from a history that ended with this average; `rest` is 0 after a long one. */
  seed(mean: number, step: number, rest = 0): void {
    this.mean = mean
    this.left = rest
    this.lastStep = step
  }

  /**
   * Smooths the rows from `from` to `to` (exclusive) into `into`, continuing where the last call ended.
   * @param sample rows with 0 get a value but do not count; null if all count
   */
  extend(
    step: Float64Array,
    value: Float64Array,
    from: number,
    to: number,
    into: Float64Array,
    sample: Uint8Array | null = null,
  ): void {
    for (let row = from; row < to; row++) {
      const here = value[row]
      if (!Number.isFinite(here)) {
        into[row] = NaN
        continue
      }
      if (!sample || row >= sample.length || sample[row]) this.take(step[row], here)
      into[row] = this.left === 1 ? here : this.mean
    }
  }

  private take(step: number, value: number): void {
    const distance = (step - this.lastStep) / this.unit
    this.lastStep = step
    // The first point, a distant point, and one after a restart count fully.
    const weight = Math.exp(this.logWeight * (distance >= 0 && distance < 1 ? distance : 1))
    // The first one is unchanged: dividing by its own weight could introduce a rounding error.
    const next = this.left * weight
    if (this.left === 1) this.mean = value
    else if (next < 1) this.mean += ((value - this.mean) * (1 - weight)) / (1 - next)
    this.left = next
  }
}
