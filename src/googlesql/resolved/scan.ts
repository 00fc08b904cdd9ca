import type { TableDefinition, TablePlace } from "../relation.ts";
import type { AggregateCall, WindowCall } from "./call.ts";
import type { Expr } from "./expression.ts";
import type { Column, OrderKey } from "./query.ts";

export type Scan =
  | SingleRowScan
  | TableScan
  | CteScan
  | UnnestScan
  | JoinScan
  | FilterScan
  | ProjectScan
  | AggregateScan
  | WindowScan
  | DistinctScan
  | SetOperationScan
  | OrderByScan
  | LimitScan
  | SampleScan
  | WithScan
  | RecursiveScan;

/** One row without columns: the input of a SELECT without FROM. */
export interface SingleRowScan {
  readonly kind: "SingleRow";
}

export interface TableScan {
  readonly kind: "Table";
  readonly table: TableDefinition;
  /** Those of the table's columns that may be read, each with its name in the table. */
  readonly columns: readonly { readonly source: string; readonly column: Column }[];
  /** Where the query, or a view that it reads, names the table. */
  readonly place: TablePlace;
}

/** One common table expression. Each scan of it has columns of its own, parallel to `output`. */
export interface CteDefinition {
  /** Unique in the resolved query; for readable SQL. */
  readonly id: number;
  readonly name: string;
  readonly scan: Scan;
  readonly output: readonly Column[];
  readonly isRecursive: boolean;
}

export interface CteScan {
  readonly kind: "Cte";
  readonly cte: CteDefinition;
  /** Parallel to `cte.output`. */
  readonly columns: readonly Column[];
}

/**
 * UNNEST of one array, or of several zipped. With `input` it is correlated: the array may read the input's columns, and
 * the output has the input's columns too. `isOuter` keeps an input row whose array is empty or NULL (LEFT JOIN).
 *
 * Where the array has the type ARRAY<RECORD> with `isRepeated` false, the element is an alias for a path: engines print
 * no join but a presence test (none when `isOuter`).
 */
export interface UnnestScan {
  readonly kind: "Unnest";
  readonly input?: Scan | undefined;
  readonly arrays: readonly { readonly array: Expr; readonly element: Column }[];
  /** How arrays of different length are zipped; PAD unless stated otherwise. */
  readonly mode?: "PAD" | "STRICT" | "TRUNCATE" | undefined;
  readonly offset?: Column | undefined;
  readonly isOuter: boolean;
  /** The ON condition of a join with UNNEST. */
  readonly on?: Expr | undefined;
}

export interface JoinScan {
  readonly kind: "Join";
  readonly type: "CROSS" | "INNER" | "LEFT" | "RIGHT" | "FULL";
  readonly left: Scan;
  readonly right: Scan;
  readonly on?: Expr | undefined;
  /** True when the right side reads columns of the left (a lateral sub-query). */
  readonly isLateral?: boolean | undefined;
}

export interface FilterScan {
  readonly kind: "Filter";
  readonly input: Scan;
  readonly predicate: Expr;
}

/** Adds computed columns; the input's columns stay readable. */
export interface ProjectScan {
  readonly kind: "Project";
  readonly input: Scan;
  readonly computed: readonly ComputedColumn[];
}

export interface ComputedColumn {
  readonly column: Column;
  readonly expression: Expr;
}

/**
 * The output is the grouping columns and the aggregates; nothing of the input stays readable. Without grouping
 * columns it is one row.
 */
export interface AggregateScan {
  readonly kind: "Aggregate";
  readonly input: Scan;
  readonly groupBy: readonly ComputedColumn[];
  /** Each set lists grouping columns; absent for plain GROUP BY. ROLLUP and CUBE are already expanded. */
  readonly groupingSets?: readonly (readonly Column[])[] | undefined;
  /** Expressions are AggregateCall (GROUPING(x) too). */
  readonly aggregates: readonly { readonly column: Column; readonly call: AggregateCall }[];
}

/** Adds window function results; the input's columns stay readable. */
export interface WindowScan {
  readonly kind: "Window";
  readonly input: Scan;
  readonly functions: readonly { readonly column: Column; readonly call: WindowCall }[];
}

/** SELECT DISTINCT: the output is `columns`, each a new column for a column of the input. */
export interface DistinctScan {
  readonly kind: "Distinct";
  readonly input: Scan;
  readonly columns: readonly { readonly column: Column; readonly input: Column }[];
}

export interface SetOperationScan {
  readonly kind: "SetOperation";
  readonly operator: "UNION" | "INTERSECT" | "EXCEPT";
  readonly isAll: boolean;
  /** Each input's columns in the order of `columns`, already coerced to their types. */
  readonly inputs: readonly { readonly scan: Scan; readonly columns: readonly Column[] }[];
  readonly columns: readonly Column[];
}

export interface OrderByScan {
  readonly kind: "OrderBy";
  readonly input: Scan;
  readonly keys: readonly OrderKey[];
}

export interface LimitScan {
  readonly kind: "Limit";
  readonly input: Scan;
  /** INT64 literals, parameters or casts of them. */
  readonly count?: Expr | undefined;
  readonly offset?: Expr | undefined;
}

export interface SampleScan {
  readonly kind: "Sample";
  readonly input: Scan;
  readonly method: "BERNOULLI" | "SYSTEM" | "RESERVOIR";
  readonly size: Expr;
  readonly unit: "PERCENT" | "ROWS";
}

/** Definitions in an order in which each refers to earlier ones only (itself, when recursive). */
export interface WithScan {
  readonly kind: "With";
  readonly ctes: readonly CteDefinition[];
  readonly input: Scan;
}

/** The body of a recursive CTE: `anchor UNION [ALL] step`, where the step scans `cte`. */
export interface RecursiveScan {
  readonly kind: "Recursive";
  readonly isAll: boolean;
  readonly anchor: { readonly scan: Scan; readonly columns: readonly Column[] };
  readonly step: { readonly scan: Scan; readonly columns: readonly Column[] };
  readonly columns: readonly Column[];
}
