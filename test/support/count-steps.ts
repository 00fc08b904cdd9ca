import type { Profiler } from "node:inspector";
import { Session } from "node:inspector";

/**
 * Counts the calls of our functions while the work runs: a measure of time that is the same on any machine, however
 * busy. Steps within the language's own functions, such as `join`, and turns of loops that call nothing are not in it.
 */
export function countSteps(work: () => void): number {
  const session = new Session();
  session.connect();
  let steps = 0;
  try {
    session.post("Profiler.enable");
    // Without blocks: they are counted of those functions alone that happen to be compiled afterwards.
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    work();
    session.post("Profiler.takePreciseCoverage", (error, answer: Profiler.TakePreciseCoverageReturnType) => {
      if (error !== null) throw error;
      for (const { url, functions } of answer.result) {
        if (!url.includes("/src/") || url.includes("/node_modules/")) continue;
        for (const { ranges } of functions) steps += ranges[0]?.count ?? 0;
      }
    });
  } finally {
    session.disconnect();
  }
  if (steps === 0) throw new Error("Nothing of our code was run");
  return steps;
}
