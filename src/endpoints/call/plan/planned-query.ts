import { createHash } from "node:crypto";
import type { CompiledQuery } from "../../../engines/contract/query-engine.ts";
import type { Diagnostic } from "../../../googlesql/diagnostic.ts";
import type { Paging } from "../../paging/page-query.ts";

/** Events that a query reads: of a whole source, of one of its tenants, or, with null, of none. */
export interface TenantRead {
  /** The source's name. */
  readonly source: string;
  readonly tenant: string | null | undefined;
}

/** A compiled query, and how its pages follow each other where it has any. */
export interface PlannedQuery extends CompiledQuery {
  readonly paging?: Paging;
  /** In a tail's query: whether each row is one event (see `makeFollowed`). */
  readonly isOfEvents?: boolean;
  /** `digestQuery` of it, for callers that compare queries often. */
  readonly digest?: string;
  /** Likely mistakes in its text that do not prevent it from running. */
  readonly warnings?: readonly Diagnostic[] | undefined;
  /** The reads of the call that it was planned for; everything in its `tables` if absent. */
  readonly reads?: readonly TenantRead[];
  /**
   * False once the same call would be planned differently; absent when that cannot be known, for example if the plan
   * depends on the clock.
   */
  readonly isCurrent?: () => boolean;
}

/** The events that it reads. */
export function readsOf({ reads, tables }: Pick<PlannedQuery, "reads" | "tables">): readonly TenantRead[] {
  return reads ?? tables.map((source) => ({ source, tenant: undefined }));
}

/** The columns of the query itself: hidden columns for the order of its rows follow them. */
export function shownColumns({ columns, paging }: Pick<PlannedQuery, "columns" | "paging">): PlannedQuery["columns"] {
  return columns.slice(0, columns.length - (paging?.hiddenCount ?? 0));
}

/** A SHA-256 of the compiled query and its columns: with the same values, queries with the same answer the same. */
export function digestQuery({ sql, computed, columns }: CompiledQuery): string {
  return createHash("sha256")
    .update(JSON.stringify([sql, columns, computed ?? null]))
    .digest("base64url");
}
