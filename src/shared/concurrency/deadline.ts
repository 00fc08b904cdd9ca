import { setMaxListeners } from "node:events";

/** A signal with a deadline of its own. */
export interface Deadline {
  /** Aborted with the given signal and its reason, or when the time is over. */
  readonly signal: AbortSignal;
  /** True once the time was over, and not before the given signal was aborted. */
  readonly isOver: boolean;
  /** Releases the given signal and the timer; after that nothing aborts it. */
  release(): void;
}

/**
 * Aborts with `signal`, or after `ms`. `AbortSignal.any` and `AbortSignal.timeout` do the same without being
 * released, but hold on to each call through weak references, which only a full collection clears: the old generation
 * would fill up with calls that are over. A signal made of a timeout may even be collected before its time, and then
 * never aborts.
 */
export function openDeadline(signal: AbortSignal, ms: number): Deadline {
  return new OpenDeadline(signal, ms);
}

/** A class, since V8 makes a new shape, in the old generation, of each object literal with a getter. */
class OpenDeadline implements Deadline {
  readonly signal: AbortSignal;
  isOver = false;
  readonly #parent: AbortSignal;
  readonly #follow: () => void;
  readonly #timer: NodeJS.Timeout;

  constructor(parent: AbortSignal, ms: number) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#parent = parent;
    this.#follow = () => {
      this.release();
      controller.abort(parent.reason);
    };
    this.#timer = setTimeout(() => {
      this.isOver = !parent.aborted;
      this.release();
      controller.abort(new DOMException("The deadline is over", "TimeoutError"));
    }, ms);
    this.#timer.unref();
    // Statements of one call run side by side, each with a listener until it is released.
    setMaxListeners(0, parent);
    parent.addEventListener("abort", this.#follow, { once: true });
    if (parent.aborted) this.#follow();
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener("abort", this.#follow);
  }
}
