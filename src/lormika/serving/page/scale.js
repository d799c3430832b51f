// From values to places on an axis and back. The board has the same axis: its points come from the server.

export class Scale {
  /** `axis` has the values at evenly spaced places, from the least to the greatest. */
  constructor({ axis, step }) {
    this.points = axis;
    this.low = axis[0];
    this.high = axis[axis.length - 1];
    this.step = step;
    this.digits = step < 1 ? Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) : 0;
  }

  /** The place of a value, from 0 to 1; what lies beyond the ends lies at the end. */
  at(value) {
    const last = this.points.length - 1;
    if (value <= this.low) return 0;
    if (value >= this.high) return 1;
    const after = this.points.findIndex((point) => point > value);
    const [from, to] = [this.points[after - 1], this.points[after]];
    return (after - 1 + (value - from) / (to - from)) / last;
  }

  /** The value at a place, in whole steps. */
  value(place) {
    const last = this.points.length - 1;
    const before = Math.min(Math.floor(place * last), last - 1);
    const [from, to] = [this.points[before], this.points[before + 1]];
    return this.round(from + (to - from) * (place * last - before));
  }

  /** The nearest whole step, inside the axis. */
  round(value) {
    const kept = Math.min(Math.max(value, this.low), this.high);
    return kept === this.low || kept === this.high
      ? kept
      : Number((Math.round(kept / this.step) * this.step).toFixed(this.digits));
  }
}
