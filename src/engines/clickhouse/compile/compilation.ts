/** State shared while one query is printed. */

import type { Expr, Scan } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import type { Analysis } from "../../lowering/analysis.ts";
import { RunConstantFinder } from "../../lowering/run-constants.ts";
import { isLargerThan } from "../../sql/map-tree.ts";
import { both } from "../sql/forms.ts";
import { parameterName } from "../sql/spelling.ts";
import { type Sql, sql } from "../sql/sql.ts";
import type { SelectBuilder } from "./render.ts";
import type { ServerTables } from "./scan/server-table.ts";

/** An expression that is bound under a name. */
export interface RunConstant {
  readonly name: string;
  readonly expression: Expr;
}

/** The constants found in one statement. */
export class RunConstants {
  readonly #finder = new RunConstantFinder();
  readonly #found = new Map<Expr, number>();

  /** Is the expression one that can be computed before a run? */
  has(expression: Expr): boolean {
    return this.#finder.has(expression);
  }

  /** The placeholder by which it is bound. */
  placeholderOf(expression: Expr): number {
    const known = this.#found.get(expression) ?? -this.#found.size - 1;
    this.#found.set(expression, known);
    return known;
  }

  /** Those that are read under these names. */
  readBy(names: ReadonlySet<string>): readonly RunConstant[] {
    const all = [...this.#found].map(([expression, number]) => ({ name: parameterName(number), expression }));
    return all.filter(({ name }) => names.has(name));
  }
}

export interface Compilation {
  readonly tables: ServerTables;
  readonly timeZone: string;
  readonly analysis: Analysis;
  /** The query's parameters with the numbers of their placeholders. */
  readonly parameters: ReadonlyMap<string | number, { readonly index: number; readonly type: SqlType }>;
  /** Values that are bound instead of computed for each row; undefined if the server is to compute everything. */
  readonly constants: RunConstants | undefined;
  /** Canonical names of the tables that were printed. */
  readonly tablesRead: Set<string>;
  /**
   * The condition under which the printed expression is evaluated, as one that is true or false; undefined where it
   * always is. What may fail is computed over NULLs where it is false, in whatever order the server computes.
   */
  guard: Sql | undefined;
  /** Whether constants that may fail wait for a row. The server finds rows by those of a condition, if they need none. */
  delaysFailures: boolean;
  /** Sub-queries that the server would compute ahead of the branch in which they may fail. */
  readonly branchQueries: ReadonlySet<Scan>;
  aliasCount: number;
  /** Breaks the cycle between expressions, which hold sub-queries, and scans, which hold expressions. */
  readonly buildScan: (compilation: Compilation, scan: Scan) => SelectBuilder;
}

export { nextAlias } from "../../sql/select.ts";

/** The nodes of the largest guard that is printed: each of a query's failing expressions repeats it. */
const MAX_GUARD_NODES = 500;

/** Prints an expression that is needed only where this condition and those around it are true. */
export function guarded<T>(compilation: Compilation, condition: Sql | undefined, print: () => T): T {
  const outer = compilation.guard;
  compilation.guard = both(outer, condition);
  const printed = print();
  compilation.guard = outer;
  return printed;
}

/** Prints a condition by which the server may find rows. */
export function asCondition<T>(compilation: Compilation, print: () => T): T {
  const outer = compilation.delaysFailures;
  compilation.delaysFailures = false;
  const printed = print();
  compilation.delaysFailures = outer;
  return printed;
}

/** Prints what stands in another SELECT than the guard's conditions. */
export function unguarded<T>(compilation: Compilation, print: () => T): T {
  const { guard, delaysFailures } = compilation;
  compilation.guard = undefined;
  compilation.delaysFailures = true;
  const printed = print();
  compilation.guard = guard;
  compilation.delaysFailures = delaysFailures;
  return printed;
}

/** The guard as it may be printed; undefined where there is none. */
export function currentGuard({ guard }: Compilation): Sql | undefined | "too long" {
  if (guard === undefined) return undefined;
  return isLargerThan(guard, MAX_GUARD_NODES) ? "too long" : sql`(${guard})`;
}
