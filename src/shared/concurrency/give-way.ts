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
