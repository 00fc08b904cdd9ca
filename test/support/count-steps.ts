import type { Profiler } from "node:inspector";
import { Session } from "node:inspector";

/**
 * Counts the blocks of our code that the work runs through, each as often as it is run: a measure of time that is the
 * same on any machine, however busy. Steps within the language's own functions, such as `join`, are not in it.
 */
export function countSteps(work: () => void): number {
  const session = new Session();
  session.connect();
  let steps = 0;
  try {
    session.post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    work();
    session.post("Profiler.takePreciseCoverage", (error, answer: Profiler.TakePreciseCoverageReturnType) => {
      if (error !== null) throw error;
      for (const { url, functions } of answer.result) {
        if (!url.includes("/src/") || url.includes("/node_modules/")) continue;
        for (const { ranges } of functions) for (const { count } of ranges) steps += count;
      }
    });
  } finally {
    session.disconnect();
  }
  if (steps === 0) throw new Error("Nothing of our code was run");
  return steps;
}
