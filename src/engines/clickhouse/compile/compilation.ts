/** State shared while one query is printed. */

import type { Expr, Scan } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { Computable } from "../../constants/evaluate.ts";
import type { Analysis } from "../../lowering/analysis.ts";
import type { Block } from "./render.ts";
import type { ServerTables } from "./server-table.ts";

/** A condition that is printed where it is needed only: most guards are, of a long query, too long. */
export interface Guard {
  /** The length of the text. */
  readonly length: number;
  text(): string;
}

export function guardOf(text: string | undefined): Guard | undefined {
  return text === undefined ? undefined : { length: text.length, text: () => text };
}

/** Both conditions. */
export function bothGuards(one: Guard | undefined, other: Guard | undefined): Guard | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const between = " AND ";
  return {
    length: one.length + between.length + other.length,
    text: () => `${one.text()}${between}${other.text()}`,
  };
}

/** An expression that is bound under a name. */
export interface RunConstant {
  readonly name: string;
  readonly expression: Expr;
}

/** The constants found in one statement. */
export class RunConstants {
  readonly #computable: Computable;
  readonly #found = new Map<Expr, RunConstant>();

  constructor(timeZone: string) {
    this.#computable = new Computable(timeZone);
  }

  /** Is the expression one that can be computed before a run? */
  has(expression: Expr): boolean {
    return this.#computable.has(expression);
  }

  /** The name under which it is bound. */
  nameOf(expression: Expr): string {
    const known = this.#found.get(expression) ?? { name: `k${this.#found.size + 1}`, expression };
    this.#found.set(expression, known);
    return known.name;
  }

  /** Those that the statement reads. */
  readBy(sql: string): readonly RunConstant[] {
    const names = new Set([...sql.matchAll(/\{(k\d+):/g)].map(([, name]) => name));
    return [...this.#found.values()].filter(({ name }) => names.has(name));
  }
}

export interface Compilation {
  readonly tables: ServerTables;
  readonly timeZone: string;
  readonly analysis: Analysis;
  /** The query's parameters with the names that the server knows them by. */
  readonly parameters: ReadonlyMap<string | number, { readonly name: string; readonly type: SqlType }>;
  /** Values that are bound instead of computed for each row; undefined if the server is to compute everything. */
  readonly constants: RunConstants | undefined;
  /** Canonical names of the tables that were printed. */
  readonly tablesRead: Set<string>;
  /** Names of the parameters that were printed. */
  readonly parametersRead: Set<string>;
  /**
   * The condition under which the printed expression is evaluated, as one that is true or false; undefined where it
   * always is. What may fail is computed over NULLs where it is false, in whatever order the server computes.
   */
  guard: Guard | undefined;
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
export function guarded<T>(compilation: Compilation, condition: Guard | undefined, print: () => T): T {
  const outer = compilation.guard;
  compilation.guard = bothGuards(outer, condition);
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
  return guard.length > MAX_GUARD_LENGTH ? "too long" : `(${guard.text()})`;
}
