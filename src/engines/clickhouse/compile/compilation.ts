/** What is shared while one query is printed. */
import type { Scan } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import type { Analysis } from "../../lowering/analysis.ts";
import type { Block } from "./block.ts";
import type { RunConstants } from "./run-constants.ts";
import type { ServerTables } from "./server-table.ts";

export interface Compilation {
  readonly tables: ServerTables;
  readonly timeZone: string;
  readonly analysis: Analysis;
  /** The query's parameters with the names that the server knows them by. */
  readonly parameters: ReadonlyMap<string | number, { readonly name: string; readonly type: SqlType }>;
  /** What is bound instead of being computed for each row; undefined where the server is to compute all itself. */
  readonly constants: RunConstants | undefined;
  /** Canonical names of the tables that were printed. */
  readonly tablesRead: Set<string>;
  /** Names of the parameters that were printed. */
  readonly parametersRead: Set<string>;
  /**
   * The condition under which the printed expression is evaluated, as one that is true or false; undefined where it
   * always is. What may fail is computed over NULLs where it is false, in whatever order the server computes.
   */
  guard: string | undefined;
  /** Sub-queries that the server would compute ahead of the branch in which they may fail. */
  readonly branchQueries: ReadonlySet<Scan>;
  /** How many expressions that may fail were printed. */
  failingCount: number;
  /** SELECTs that were put into FROM of another. */
  wrapCount: number;
  aliasCount: number;
  /** Breaks the cycle between expressions, which hold sub-queries, and scans, which hold expressions. */
  readonly buildScan: (compilation: Compilation, scan: Scan) => Block;
}

/** A name that nothing else in the statement has. */
export function nextAlias(compilation: Compilation, prefix: string): string {
  compilation.aliasCount++;
  return `${prefix}${compilation.aliasCount}`;
}

/** The longest guard that is printed: each of a query's failing expressions repeats it. */
const MAX_GUARD_LENGTH = 4000;

/** Prints an expression that is needed only where this condition and those around it are true. */
export function guarded<T>(compilation: Compilation, condition: string | undefined, print: () => T): T {
  const outer = compilation.guard;
  if (condition !== undefined) compilation.guard = outer === undefined ? condition : `${outer} AND ${condition}`;
  try {
    return print();
  } finally {
    compilation.guard = outer;
  }
}

/** Prints what stands in another SELECT than the guard's conditions. */
export function unguarded<T>(compilation: Compilation, print: () => T): T {
  const outer = compilation.guard;
  compilation.guard = undefined;
  try {
    return print();
  } finally {
    compilation.guard = outer;
  }
}

/** The guard as it may be printed; undefined where there is none. */
export function currentGuard(compilation: Compilation): string | undefined | "too long" {
  const { guard } = compilation;
  if (guard === undefined) return undefined;
  return guard.length > MAX_GUARD_LENGTH ? "too long" : `(${guard})`;
}
