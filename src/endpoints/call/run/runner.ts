import type { Engine } from "../../../engines/contract/query-engine.ts";
import type { Budget } from "../../../shared/budget.ts";
import type { Admission } from "../../../shared/concurrency/admission.ts";
import type { CursorSealer } from "../../paging/cursor.ts";
import type { Planner } from "../plan/plan.ts";
import type { HoldBack } from "./hold-back.ts";

/** The dependencies of calls. */
export interface EndpointRunner {
  readonly engine: Engine;
  readonly planner: Planner;
  readonly admission: Admission;
  /** Callers whose queries ended the engine; absent if no callers are held back. */
  readonly holdBack?: HoldBack;
  readonly cursors: CursorSealer;
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
  /** The budget set by the service. */
  readonly budget?: Budget;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}
