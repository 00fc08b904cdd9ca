/** State shared while one query is printed, with its SELECTs and their scopes. */
import { type DiagnosticCode, GoogleSqlError, type Span } from "../../../googlesql/diagnostic.ts";
import type { Column, Expr, Scan } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import type { Analysis } from "../../lowering/analysis.ts";
import type { Failing } from "../../lowering/failing.ts";
import type { LayoutCatalog } from "../../schema/layout.ts";
import type { Select } from "../../sql/select.ts";
import type { Sql } from "../sql/sql.ts";
import type { RunConstants } from "./run-constants.ts";
import type { Binding } from "./scope.ts";

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
  readonly buildScan: (from: SelectBuilder, scan: Scan) => SelectBuilder;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface SelectBuilder extends Omit<Mutable<Select<Binding>>, "where"> {
  readonly compilation: Compilation;
  /** The sub-select that is all of FROM, when it is one. */
  inner: { readonly builder: SelectBuilder; readonly alias: string } | undefined;
  where: Sql[];
  /** Conditions that may fail: each is computed only where all others, and those before it, hold. */
  lastWhere: Sql[];
  /** Columns computed here that are more than a column or literal, with how often each is read in the whole query. */
  computed: Map<number, number>;
  /** Those of them that can as well be computed after ORDER BY and LIMIT. */
  deferrable: Map<number, Expr>;
  /** Columns were computed here, literals included: an outer join must not print them over missing rows. */
  hasComputed: boolean;
  /** Columns with another value each time were computed here: rows must not be multiplied in this SELECT. */
  hasRandom: boolean;
  /** Its rows come from a SELECT with LIMIT, by columns that DuckDB sees through: see `sealLimited`. */
  isLimited: boolean;
  /** The common table expressions whose definitions are printed here: their columns have the same ids in each copy. */
  readonly copies: Set<number>;
  /** FROM holds a join: in parentheses where it stands right of another. */
  isJoin: boolean;
  readonly outer: Scope | undefined;
  /** Columns of outer queries are carried in by `inner`, because a lambda cannot mix them with its own. */
  importsOuter: boolean;
  /** In a correlated sub-query: expressions that give the rows the order that their array had. */
  naturalOrder: readonly Sql[];
}

/** Where a printed expression finds the columns it reads. */
export interface Scope {
  readonly compilation: Compilation;
  readonly find: (id: number) => Binding | undefined;
  readonly parent: Scope | undefined;
  /** `select` scopes hold the columns of a SELECT; `variables` those of lambdas and WITH(...). */
  readonly kind: "select" | "variables";
}

/** A scope of lambda parameters or variables inside another scope. */
export function variableScope(parent: Scope, variables: ReadonlyMap<number, Binding>): Scope {
  return { compilation: parent.compilation, kind: "variables", parent, find: (id) => variables.get(id) };
}

export { nextAlias } from "../../sql/select.ts";

/** The condition with what is the same for every row computed before the run. */
export function bindConstants({ constants }: Compilation, condition: Expr): Expr {
  return constants === undefined ? condition : constants.bindIn(condition);
}

/** Fails the compilation with a position; `compileQuery` adds the text that it is in. */
export function fail(code: DiagnosticCode, message: string, span: Span): never {
  throw new GoogleSqlError("", [{ code, message, span }]);
}

/** Fails for a call of a function that the tables do not have. */
export function refuseFunction(call: { readonly function: string; readonly span: Span }): never {
  return fail("unsupported", `Function ${call.function} is not supported by this engine`, call.span);
}
