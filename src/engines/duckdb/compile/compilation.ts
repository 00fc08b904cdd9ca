/** State shared while one query is printed. */
import { type DiagnosticCode, GoogleSqlError, type Span } from "../../../googlesql/diagnostic.ts";
import type { Column, Expr, Scan } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import type { Analysis } from "../../lowering/analysis.ts";
import type { Failing } from "../../lowering/failing.ts";
import type { LayoutCatalog } from "../../schema/layout.ts";
import type { Sql } from "../sql/sql.ts";
import type { SelectBuilder } from "./render.ts";
import type { RunConstants } from "./run-constants.ts";
import type { Scope } from "./scope.ts";

/** An id that a condition asks for, before parameters are numbered. */
export interface PrintedIdCondition {
  readonly table: string;
  readonly id: { readonly text: string } | { readonly parameter: number };
}

/** A time that events of a table, by its name in FROM, are compared with, before parameters are numbered. */
export interface TimeBound {
  readonly alias: string;
  /** From where on events are asked for; else the time that they end at. */
  readonly isFrom: boolean;
  /** In microseconds, or the number of a placeholder. */
  readonly time: bigint | { readonly placeholder: number };
}

/** A CTE that is printed as one: its name and its body, which gets columns on demand. */
export interface PrintedCte {
  readonly name: string;
  readonly builder: SelectBuilder;
  /** Prints the definition, `name(columns) AS (...)`, when nothing more can be asked of it. */
  readonly print: () => Sql;
  readonly isRecursive: boolean;
  /** The column that counts the rounds of its recursion. */
  readonly round: Column | undefined;
}

export interface Compilation {
  readonly layouts: LayoutCatalog;
  readonly timeZone: string;
  /** The query's text, for errors; empty where it is not known. */
  readonly text: string;
  readonly analysis: Analysis;
  /** Puts conditions that may fail after those that remove rows. */
  readonly failing: Failing;
  /** The query's parameters, with their positions among the placeholders. */
  readonly parameters: ReadonlyMap<string | number, { readonly index: number; readonly type: SqlType }>;
  /** The parts of conditions that are computed before a run; undefined if there are none. */
  readonly constants: RunConstants | undefined;
  /** CTEs that have been asked for. */
  readonly printedCtes: Map<number, PrintedCte>;
  readonly tables: Set<string>;
  /** Conditions on ids that are bounded by times, in the order of their placeholders. */
  readonly idConditions: Map<string, PrintedIdCondition>;
  /** Times that conditions compare those of events with. */
  readonly timeBounds: TimeBound[];
  /** Recursive CTEs whose step is being printed: definitions inside it cannot be printed before it. */
  recursionDepth: number;
  /** Correlated sub-queries that are being printed inside of each other. */
  correlationDepth: number;
  aliasCount: number;
  /** Scans that are being built inside of each other. */
  scanDepth: number;
  /** Which SELECTs the expression being printed read columns of: bit 0 its own, bit 1 the one around it, and so on. */
  levelsRead: number;
  /** Breaks the cycle between expressions, which hold sub-queries, and scans, which hold expressions. */
  readonly buildScan: (compilation: Compilation, scan: Scan, outer: Scope | undefined) => SelectBuilder;
}

export { nextAlias } from "../../sql/select.ts";

/** The condition with what is the same for every row computed before the run. */
export function bindConstants({ constants }: Compilation, condition: Expr): Expr {
  return constants === undefined ? condition : constants.bindIn(condition);
}

/** Fails the compilation with a position. */
export function fail(compilation: Compilation, code: DiagnosticCode, message: string, span: Span): never {
  throw new GoogleSqlError(compilation.text, [{ code, message, span }]);
}

/** Fails for a call of a function that the tables do not have. */
export function refuseFunction(
  compilation: Compilation,
  call: { readonly function: string; readonly span: Span },
): never {
  return fail(compilation, "unsupported", `Function ${call.function} is not supported by this engine`, call.span);
}
