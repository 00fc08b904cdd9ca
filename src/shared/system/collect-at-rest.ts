import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How often the process is checked for idleness. */
const LOOK_MS = 5_000;
/** The number of consecutive checks that must find it idle. */
const REST_LOOKS = 2;
/** The maximum share of time that the event loop of an idle process is busy: health checks take less. */
const REST_UTILIZATION = 0.02;
/** How often memory is given back at most; doing so takes a tenth of a second. */
const MIN_LOOKS_BETWEEN = 60;
/** Memory is given back when the heap has grown by this factor since the last time. */
const GROWTH = 1.25;

/** Measurements of a process, and its garbage collector. */
export interface Vitals {
  /** Share of the time since it was asked last that the event loop was busy, 0 to 1. */
  utilization(): number;
  /** Bytes that the heap takes of the system. */
  heapBytes(): number;
  /** Collects garbage, and gives back what is free then. */
  collect(): void;
}

/** Returns a function to be called every few seconds: it gives memory back once the process is idle. */
export function createRestCollector({ utilization, heapBytes, collect }: Vitals): () => void {
  let restingLooks = 0;
  let keptBytes = 0;
  let looksSince = MIN_LOOKS_BETWEEN;
  return () => {
    looksSince++;
    restingLooks = utilization() <= REST_UTILIZATION ? restingLooks + 1 : 0;
    if (restingLooks < REST_LOOKS || looksSince < MIN_LOOKS_BETWEEN || heapBytes() < keptBytes * GROWTH) return;
    collect();
    keptBytes = heapBytes();
    looksSince = 0;
  };
}

/**
 * Gives memory back to the system whenever this process has grown and is idle for ten seconds: V8 retains what a start
 * or a busy period allocated, some 25 MB, for as long as it is idle. Returns a function that stops this.
 */
export function collectAtRest(): () => void {
  let before = performance.eventLoopUtilization();
  const look = createRestCollector({
    utilization() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    heapBytes: () => process.memoryUsage().heapTotal,
    collect: openCollector(),
  });
  const timer = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(timer);
}

type Collect = (options: {
  readonly type: "major";
  readonly execution: "sync";
  readonly flavor: "last-resort";
}) => void;

/** V8's collector in the form that also shrinks the young generation; Node.js 20 knows a weaker one. */
function openCollector(): () => void {
  let collect: Collect | undefined;
  return () => {
    if (collect === undefined) {
      setFlagsFromString("--expose-gc");
      collect = runInNewContext("gc") as Collect;
    }
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
  };
}
