import { createPassingMap } from "../../shared/concurrency/passing-map.ts";

/** Counts running calls, and lets the service stop without cutting off one that could still be answered. */
export interface Shutdown {
  /** Aborted once the service accepts no more calls. */
  readonly stopping: AbortSignal;
  /** Calls back at that moment, at once where it is past; the function that is returned undoes it. */
  onStopping(callback: () => void): () => void;
  /** Aborted once running calls are no longer waited for. */
  readonly cutOff: AbortSignal;
  /** The same for that moment. */
  onCutOff(callback: () => void): () => void;
  /** Counts a call in; the answer counts it out. */
  enter(): () => void;
  /** Takes no more calls, waits for those under way, and cuts off what is not done after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

/** Time that a call that was cut off may take to answer its caller. */
const lastWordsMs = 1_000;

export function createShutdown(): Shutdown {
  const stopping = new AbortController();
  const cutOff = new AbortController();
  const idle = new EventTarget();
  const onStopping = collectCallbacks(stopping.signal);
  const onCutOff = collectCallbacks(cutOff.signal);
  let running = 0;
  const waitUntilIdle = (timeoutMs: number) =>
    new Promise<void>((resolve) => {
      if (running === 0) return resolve();
      const timer = setTimeout(resolve, timeoutMs);
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      idle.addEventListener("idle", end, { once: true });
    });
  return {
    stopping: stopping.signal,
    cutOff: cutOff.signal,
    onStopping,
    onCutOff,
    enter() {
      running++;
      return () => {
        if (--running === 0) idle.dispatchEvent(new Event("idle"));
      };
    },
    async stop(timeoutMs) {
      stopping.abort();
      await waitUntilIdle(timeoutMs);
      cutOff.abort();
      await waitUntilIdle(lastWordsMs);
    },
  };
}

/**
 * Adds functions to be called once a signal is aborted. Listeners of the signal itself, once removed, still point to
 * those added after them: each call would hold on to the next ones.
 */
function collectCallbacks(signal: AbortSignal): (callback: () => void) => () => void {
  const callbacks = createPassingMap<number, () => void>();
  let last = 0;
  signal.addEventListener("abort", () => {
    for (const [, callback] of callbacks.entries()) callback();
  });
  return (callback) => {
    const number = ++last;
    if (signal.aborted) callback();
    else callbacks.set(number, callback);
    return () => void callbacks.delete(number);
  };
}
