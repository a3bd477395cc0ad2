// How long to wait before another attempt, in pages and in the worker.

const FIRST = 1_000; // ms before the first new attempt; doubled up to the longest
const LONGEST = 30_000;

/** The delays between attempts: 1 s, 2 s, 4 s … 30 s, each a little uneven so that many pages do not come at once. */
export function* delays() {
  for (let delay = FIRST; ; delay = Math.min(delay * 2, LONGEST)) yield delay * (0.8 + 0.4 * Math.random());
}
