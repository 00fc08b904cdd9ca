import type { Settings } from "../config/settings.ts";
import { Admission } from "../endpoints/call/run/admission.ts";
import { createHoldBack } from "../endpoints/call/run/hold-back.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import { createCursorSealer } from "../endpoints/paging/cursor.ts";
import { serviceBudget } from "./service-limits.ts";

interface RunnerParts extends Pick<EndpointRunner, "engine" | "planner"> {
  readonly cursorKey: Uint8Array;
}

/** Runs queries within the limits of the settings. */
export function createRunner(settings: Settings, { engine, planner, cursorKey }: RunnerParts): EndpointRunner {
  return {
    engine,
    planner,
    admission: new Admission({
      maxRunning: settings.maxConcurrentQueries,
      maxRunningPerCaller: settings.maxConcurrentQueriesPerToken,
      maxWaiting: settings.maxQueuedQueries,
    }),
    holdBack: createHoldBack(() => performance.now()),
    cursors: createCursorSealer(cursorKey),
    timeoutMs: settings.queryTimeoutMs,
    maxResultBytes: settings.maxResultBytes,
    budget: serviceBudget(settings),
    now: () => performance.now(),
  };
}
