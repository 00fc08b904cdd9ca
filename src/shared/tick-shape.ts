import { executionAsyncResource } from "node:async_hooks";

/** Keeps `process.nextTick` as fast as it is at first. */
export interface TickShape {
  /** False before the first tick, and after `release`. */
  readonly isHeld: boolean;
  release(): void;
}

/**
 * `process.nextTick` makes an object for each call, by code that V8 fits to the object's shape. Shapes without
 * objects go with a full collection, and that code then takes five times as long for the rest of the process: a
 * microsecond of each request. One such object that is held on to keeps the shape. To be called early, before the
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
