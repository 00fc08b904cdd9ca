import { createSerialQueue, type SerialQueue } from "../shared/concurrency/serial-queue.ts";
import type { AlertPlan } from "./alert.ts";
import { readState, type StoredState } from "./stored-state.ts";

/** Sending to a destination, which is left alone until a time after a failure. */
export interface Lane {
  isSending: boolean;
  failures: number;
  notBeforeMs: number;
}

/** An alert in operation. */
export interface RunningAlert {
  plan: AlertPlan;
  state: StoredState;
  nextMs: number | undefined;
  /** Since when it waits for its turn to run, or runs. */
  dueMs: number | undefined;
  /** Sources of which events were deleted since its run began. */
  readonly forgotten: Set<string>;
  /** By the keys of destinations. */
  readonly lanes: Map<string, Lane>;
  /** Changes of the state come one after another. */
  readonly inTurn: SerialQueue;
}

/** With the state that is stored of it; undefined for none. */
export function newRunningAlert(plan: AlertPlan, state: string | undefined): RunningAlert {
  return {
    ...{ plan, state: readState(state), nextMs: undefined, dueMs: undefined },
    ...{ forgotten: new Set(), lanes: new Map(), inTurn: createSerialQueue() },
  };
}
