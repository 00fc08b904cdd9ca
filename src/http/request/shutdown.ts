import { createPassingMap } from "../../shared/passing-map.ts";

/** Counts running calls, and lets the service stop without cutting off one that could still be answered. */
export interface Shutdown {
  /** Aborted once the service accepts no more calls. */
  readonly stopping: AbortSignal;
  /** Aborted once running calls are no longer waited for. */
  readonly cutOff: AbortSignal;
  /** Calls back at that moment, at once where it is past; the function that is returned undoes it. */
  onCutOff(callback: () => void): () => void;
  /** Counts a call in; the answer counts it out. */
  enter(): () => void;
  /** Takes no more calls, waits for those under way, and cuts off what is not done after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

/** So long a call that was cut off may take to tell its caller. */
const lastWordsMs = 1_000;

export function createShutdown(): Shutdown {
  const stopping = new AbortController();
  const cutOff = new AbortController();
  const idle = new EventTarget();
  // Listeners of the signal itself, once removed, still point to those added after them: each call would hold on to
  // the next ones.
  const callbacks = createPassingMap<number, () => void>();
  let lastCallback = 0;
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
    onCutOff(callback) {
      const number = ++lastCallback;
      if (cutOff.signal.aborted) callback();
      else callbacks.set(number, callback);
      return () => void callbacks.delete(number);
    },
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
      for (const [, callback] of callbacks.entries()) callback();
      await waitUntilIdle(lastWordsMs);
    },
  };
}
