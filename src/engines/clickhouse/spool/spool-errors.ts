/** Classifies failures of appends. */
import { EngineError } from "../../contract/query-engine.ts";

/** Whether the server is unreachable, which is temporary. */
export function isAway(error: unknown): boolean {
  return error instanceof EngineError && error.code === "unavailable" && error.isLost;
}

/** Whether the same events may be stored later unchanged. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof EngineError)) return false;
  // What the user may not do, an operator may grant.
  return (
    error.isLost || ["unavailable", "overloaded", "disk_full", "timeout", "aborted", "refused"].includes(error.code)
  );
}
