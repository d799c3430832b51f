// From values to places on a slider and back: stretched where most rows are, if these lie close to one end.

const MIDDLE = 0.4; // the place of the median on a stretched axis, at least
const MOST = 3; // powers beyond this would hide the other end

export class Scale {
  constructor({ quantiles, step, whole }, low, high) {
    Object.assign(this, { low, high, step, whole });
    this.digits = step < 1 ? Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) : 0;
    const median = quantiles[Math.floor(quantiles.length / 2)] ?? low;
    const share = high > low ? (median - low) / (high - low) : MIDDLE;
    this.power = share > 0 && share < MIDDLE ? Math.min(MOST, Math.log(share) / Math.log(MIDDLE)) : 1;
  }

  /** The place of a value, from 0 to 1. */
  at(value) {
    if (this.high === this.low) return 0.5;
    const share = (Math.min(Math.max(value, this.low), this.high) - this.low) / (this.high - this.low);
    return share ** (1 / this.power);
  }

  /** The value at a place, in whole steps. */
  value(place) {
    return this.round(this.low + (this.high - this.low) * place ** this.power);
  }

  /** The nearest whole step, inside the axis. */
  round(value) {
    const kept = Math.min(Math.max(value, this.low), this.high);
    return kept === this.low || kept === this.high
      ? kept
      : Number((Math.round(kept / this.step) * this.step).toFixed(this.digits));
  }
}
