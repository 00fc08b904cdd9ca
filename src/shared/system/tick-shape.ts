import { executionAsyncResource } from "node:async_hooks";

/** Preserves the initial speed of `process.nextTick`. */
export interface TickShape {
  /** False before the first tick, and after `release`. */
  readonly isHeld: boolean;
  release(): void;
}

/**
 * `process.nextTick` creates an object for each call, with code that V8 optimizes for the object's shape. Shapes
 * without objects are discarded by a full collection, and that code then takes five times as long for the rest of the
 * process: a microsecond for each request. One retained object preserves the shape. To be called early, before the
 * first full collection.
 */
export function holdTickShape(): TickShape {
  let held: object | undefined;
  let isReleased = false;
  process.nextTick(() => {
    // Within a tick, this is its object.
    if (!isReleased) held = executionAsyncResource();
  });
  return {
    get isHeld() {
      return held !== undefined;
    },
    release() {
      isReleased = true;
      held = undefined;
    },
  };
}
