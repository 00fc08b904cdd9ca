import type { ParameterValue } from "../../../engines/contract/query-engine.ts";
import type { Detector } from "../../../redaction/detector.ts";
import type { Budget } from "../../../shared/budget.ts";
import type { QueryTarget } from "../../definition/query-target.ts";
import type { QueryShape } from "../../explore/query-shape.ts";
import type { PlannedQuery } from "../plan/planned-query.ts";

/** One call of a target. */
export interface QueryCall {
  readonly target: QueryTarget;
  /** By name, after the token's pins; texts from a URL, any JSON values from a body. */
  readonly parameters: ReadonlyMap<string, unknown>;
  /** Names of the parameters that the token pins; `noPins` for calls without a token. */
  readonly pinned: ReadonlySet<string>;
  /** True for an owner, who is told why an endpoint does not work. */
  readonly isOwner?: boolean;
  readonly redactsPii: boolean;
  /** The token's limits. */
  readonly budget?: Budget;
  /** What is asked about the rows of the consumer's query, which the call must have. */
  readonly shape?: QueryShape;
  /**
   * Asks for the newest rows at or after this time, in microseconds since 1970. Throws `not_followable` where the
   * rows have no time order.
   */
  readonly followFromUs?: bigint;
  /**
   * The signal whose abortion ends the call and interrupts the engine, always the same. It is made when it is first
   * needed: a cached answer does without.
   */
  readonly openSignal: () => AbortSignal;
}

/** Of calls that no token's pins bind. */
export const noPins: ReadonlySet<string> = new Set();

/** A call that was found good: what is left is to run it. Together with the endpoint it decides the answer. */
export interface PreparedCall {
  readonly query: PlannedQuery;
  readonly values: readonly ParameterValue[];
  readonly maxRows: number;
  /** The strictest limits of service, endpoint and token. */
  readonly budget?: Budget;
  readonly redactsPii: boolean;
  /** What is redacted then; the default ones unless the endpoint lists its own. */
  readonly detectors?: readonly Detector[];
  /** What the call's cursors belong to: all that decides its answer but the page. */
  readonly cursorScope: string;
}
