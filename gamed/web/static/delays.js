// Delays between attempts to reach the server, for pages and for the worker.

const FIRST = 1_000; // ms before the second attempt; doubled for each further one
const LONGEST = 30_000;

/** Yields the delays: 1 s, 2 s, 4 s … 30 s, each varied at random, so that many pages do not reconnect at the same time. */
export function* delays() {
  for (let delay = FIRST; ; delay = Math.min(delay * 2, LONGEST)) yield delay * (0.8 + 0.4 * Math.random());
}
