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
  /** True for an owner, who may see why an endpoint does not work. */
  readonly isOwner?: boolean;
  readonly redactsPii: boolean;
  /** The dialect of the parameter `sql`; GoogleSQL unless set. */
  readonly dialect?: "clickhouse";
  /** The token's limits. */
  readonly budget?: Budget;
  /** The shape of the result of the consumer's query, which the call must have. */
  readonly shape?: QueryShape;
  /** Asks for the newest rows of a period. Throws `not_followable` where the rows have no time order. */
  readonly follow?: FollowedPeriod;
  /**
   * Returns the signal that ends the call and interrupts the engine, always the same one. It is created on first use: a
   * cached answer does not need it.
   */
  readonly openSignal: () => AbortSignal;
}

/** Times in microseconds since 1970, both included. With `ids` only the events that have one of them. */
export interface FollowedPeriod {
  readonly fromUs: bigint;
  readonly toUs: bigint;
  /** For queries of single events only (see `makeFollowed`). */
  readonly ids?: readonly string[];
}

/** The pins of calls that no token's pins bind. */
export const noPins: ReadonlySet<string> = new Set();

/** A valid call that only needs to be run. Together with the endpoint it determines the answer. */
export interface PreparedCall {
  readonly query: PlannedQuery;
  readonly values: readonly ParameterValue[];
  readonly maxRows: number;
  /** The strictest limits of service, endpoint and token. */
  readonly budget?: Budget;
  readonly redactsPii: boolean;
  /** The detectors of redaction; the default ones unless the endpoint lists its own. */
  readonly detectors?: readonly Detector[];
  /** The scope of the call's cursors: everything that determines its answer except the page. */
  readonly cursorScope: string;
}
