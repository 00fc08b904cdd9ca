import type { Diagnostic } from "../diagnostic.ts";
import type { SqlType } from "../types.ts";
import type { Scan } from "./scan.ts";

/**
 * A column by identity: two columns are the same exactly when their ids are equal. Ids are unique in one resolved
 * query.
 */
export interface Column {
  readonly id: number;
  /** For readable SQL only. */
  readonly name: string;
  readonly type: SqlType;
}

export interface ResolvedQuery {
  readonly scan: Scan;
  /**
   * The result, in order. Names are final: anonymous columns are `f0_`, `f1_` (counted among the anonymous), and
   * unique case-insensitively.
   */
  readonly columns: readonly { readonly name: string; readonly column: Column }[];
  /** Parameters that the query reads, with the types they were declared with or inferred to have. */
  readonly parameters: readonly { readonly key: string | number; readonly type: SqlType }[];
  /**
   * The order that the rows have, when the outermost query orders them, or reads a single ordered CTE without
   * ordering anew.
   */
  readonly order?: readonly OrderKey[];
  /** Warnings about the query's own text, which runs all the same: fields that no event has carried, which are NULL. */
  readonly warnings?: readonly Diagnostic[];
}

export interface OrderKey {
  readonly column: Column;
  readonly isDescending: boolean;
  /** Always written out: GoogleSQL sorts NULLs first ascending and last descending. */
  readonly nullsFirst: boolean;
}
