/** A signal with a deadline of its own. */
export interface Deadline {
  /** Aborted with the given signal and its reason, or when the time is over. */
  readonly signal: AbortSignal;
  /** True once the time was over, and not before the given signal was aborted. */
  readonly isOver: boolean;
  /** Lets go of the given signal and of the clock; nothing aborts it any more. */
  release(): void;
}

/**
 * Aborts with `signal`, or after `ms`. `AbortSignal.any` and `AbortSignal.timeout` do the same without being released, but hold
 * on to each call through weak references, which only a full collection clears: the old generation would fill up with calls that are over.
 */
export function openDeadline(signal: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const follow = () => {
    release();
    controller.abort(signal.reason);
  };
  const timer = setTimeout(() => {
    isOver = !signal.aborted;
    release();
    controller.abort(new DOMException("The deadline is over", "TimeoutError"));
  }, ms);
  timer.unref();
  const release = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", follow);
  };
  signal.addEventListener("abort", follow, { once: true });
  if (signal.aborted) follow();
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    release,
  };
}
