// Numbers as people read them: no power of ten, three digits, a unit that fits. All that pages show comes from here.

const digits = (options) => {
  const format = new Intl.NumberFormat("en", options);
  return (x) => format.format(x);
};

/** whole is a count: 12,000. */
export const whole = digits({ maximumFractionDigits: 0 });

/** count is that many of something: 1 step, 2,000 steps. */
export const count = (n, one, many = `${one}s`) => `${whole(n)} ${n === 1 ? one : many}`;

/** rounded has three digits at most: 0.5, 1,580. */
export const rounded = digits({ maximumSignificantDigits: 3 });

const three = digits({ minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
const LEAST = 0.0001;

/** number has three digits; a positive one that would begin with many noughts is under the least. */
export const number = (x) => (x > 0 && x < LEAST ? `under ${LEAST}` : x === 0 ? "0" : three(x));

/** time is how long something takes. */
export const time = (seconds) => {
  if (seconds < 1) return seconds < 1e-6 ? "under 0.001 ms" : `${three(1000 * seconds)} ms`;
  return seconds < 120 ? `${three(seconds)} s` : `${three(seconds / 60)} min`;
};

/** size is how much memory something takes. */
export const size = (bytes) => (bytes < 1e9 ? `${three(bytes / 1e6)} MB` : `${three(bytes / 1e9)} GB`);

/** percent is a share from 0 to 1 that was measured; one decimal, but none where it would say 0.0 or 100.0. */
export const percent = (share) => {
  if (!Number.isFinite(share)) return "–";
  return `${(100 * share).toFixed(share > 0.9995 || share < 0.0005 ? 0 : 1)} %`;
};

/** sure is how sure a model is, from 0 to 1. */
export const sure = (p) => (p < 0.01 ? "under 1 %" : p > 0.99 && p < 1 ? "over 99 %" : `${Math.round(100 * p)} %`);

/** exactness is an R, from 0 to 1: how exactly a phase follows a value (CLOCKS.md). */
export const exactness = (r) => r.toFixed(2);
