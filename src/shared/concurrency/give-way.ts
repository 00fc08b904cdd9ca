import { setImmediate } from "node:timers/promises";

/** Milliseconds of the request loop that a piece of work may take before others have their turn. */
const turnMs = 20;

/** Makes what lets others have their turn, where more than that has passed since they had it last. */
export function createWay(nowMs: () => number = () => performance.now()): () => Promise<void> | undefined {
  let sinceMs = nowMs();
  return () => {
    if (nowMs() - sinceMs < turnMs) return undefined;
    return setImmediate().then(() => {
      sinceMs = nowMs();
    });
  };
}

/** As `map`, while others have their turn. */
export async function mapInTurns<T, U>(values: readonly T[], map: (value: T) => U): Promise<readonly U[]> {
  const giveWay = createWay();
  const mapped: U[] = [];
  for (const value of values) {
    mapped.push(map(value));
    await giveWay();
  }
  return mapped;
}
