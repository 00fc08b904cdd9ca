import type { QueryTarget } from "../../definition/query-target.ts";
import type { QueryShape } from "../../explore/query-shape.ts";
import type { FollowForm } from "../../paging/follow-query.ts";
import type { PlannedQuery } from "./planned-query.ts";

/** A query that a caller sends to run over an endpoint's tables. */
export interface ConsumerQuery {
  readonly language: "sql" | "lql" | "clickhouse";
  readonly text: string;
  /** True when it reads the endpoint's tables without their personal data. */
  readonly redactsPii?: boolean;
  /** Levels to which it may nest; those of the language unless set. */
  readonly maxDepth?: number;
  /** The shape of the result; the rows themselves unless set. */
  readonly shape?: QueryShape;
  /** Rows of a page that the call asks for, where the text of LQL does not say; 100 unless set. */
  readonly pageRows?: number;
}

/** The tenants of a call. */
export interface CallTenants {
  /** A parameter's value as text, by its name in lower case; undefined for NULL. */
  readonly readValue: (name: string) => string | undefined;
  /** The tenant that a pin binds the call to, and the pinned parameter. */
  readonly bound?: { readonly parameter: string; readonly tenant: string } | undefined;
  /** A parameter that the token pins, where none of its pins selects the tenant. */
  readonly unboundPin?: string | undefined;
}

/** Whose turn a plan takes, and how long it may take. */
export interface PlanningTurn {
  readonly caller: string;
  /** Asked for where the query is planned apart. */
  readonly openSignal: () => AbortSignal;
  /** From the call until the plan is there; then `timeout`. */
  readonly timeoutMs: number;
}

/** Prepares queries to run, and caches the results. */
export interface Planner {
  /**
   * The endpoint's own query, or a consumer's over its tables, compiled. `rowLimit` takes the place of the own
   * query's outermost LIMIT. `place` asks for a page behind a row, of which each item says whether that key of the
   * order is NULL, or for a period that is followed (see `makeFollowed`). Throws `ServiceError` with line and column
   * for what is wrong with a consumer's query, `GoogleSqlError` for the endpoint's, and `pinned_parameter` for a
   * pinned call that reads a source of which nothing is its tenant's.
   */
  plan(
    target: QueryTarget,
    consumer: ConsumerQuery | undefined,
    rowLimit: number | undefined,
    place?: readonly boolean[] | FollowForm,
    tenants?: CallTenants,
  ): PlannedQuery;
  /**
   * The same by turns: what is long, and what comes from a caller whose plans have taken much time, is planned in a
   * thread, of each caller one at a time. Also rejects as `PlanningThread.plan` does. Absent where all is planned here.
   */
  planFairly?(
    target: QueryTarget,
    consumer: ConsumerQuery | undefined,
    rowLimit: number | undefined,
    place: readonly boolean[] | FollowForm | undefined,
    tenants: CallTenants,
    turn: PlanningTurn,
  ): PlannedQuery | Promise<PlannedQuery>;
  /**
   * The parameters that select the tenant of an endpoint's calls: a token that pins one of them reads no other tenant's
   * rows.
   */
  tenantParameters(target: QueryTarget): readonly string[];
}
