// From values to places on the screen.

/** A straight map of [low, high] onto [start, end]. */
export function linear(low, high, start, end) {
  const slope = high === low ? 0 : (end - start) / (high - low);
  return (value) => start + (value - low) * slope;
}

/** Round values between low and high, about as many as wanted. */
export function ticks(low, high, wanted) {
  const rough = (high - low) / Math.max(1, wanted);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const found = [];
  const first = Math.ceil(low / step - 1e-9) + 0; // never -0
  for (let i = first; i * step <= high + 1e-9 * step; i += 1) {
    found.push(i * step);
  }
  return found;
}

/** The least and the greatest of all finite values, 0 among them. */
export function extent(...columns) {
  const values = columns.flat().filter((value) => Number.isFinite(value));
  return [Math.min(0, ...values), Math.max(0, ...values)];
}
