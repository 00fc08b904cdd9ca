import { setTimeout as sleep } from "node:timers/promises";

/** For how long a test waits for what must happen: far longer than it takes on a busy machine. */
export const patienceMs = 30_000;
const minIntervalMs = 5;
const maxIntervalMs = 100;

/**
 * Resolves once `isTrue` is, with the milliseconds that it took: for what another process does and reports to nobody.
 * Rejects after `limitMs`. The longer it takes, the less often it looks, which would slow down what it waits for.
 */
export async function waitUntil(
  isTrue: () => boolean | Promise<boolean>,
  limitMs = patienceMs,
  expected = String(isTrue),
): Promise<number> {
  const started = performance.now();
  while (!(await isTrue())) {
    const passedMs = performance.now() - started;
    if (passedMs > limitMs) throw new Error(`Not within ${limitMs} ms: ${expected}`);
    await sleep(Math.min(maxIntervalMs, Math.max(minIntervalMs, passedMs / 10)));
  }
  return performance.now() - started;
}
