import { setTimeout as sleep } from "node:timers/promises";

/** For how long a test waits for what must happen: far longer than it takes on a busy machine. */
export const patienceMs = 30_000;
const intervalMs = 5;

/**
 * Resolves once `isTrue` is, with the milliseconds that it took: for what another process does and reports to nobody.
 * Rejects after `limitMs`.
 */
export async function waitUntil(
  isTrue: () => boolean | Promise<boolean>,
  limitMs = patienceMs,
  expected = String(isTrue),
): Promise<number> {
  const started = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - started > limitMs) throw new Error(`Not within ${limitMs} ms: ${expected}`);
    await sleep(intervalMs);
  }
  return performance.now() - started;
}
