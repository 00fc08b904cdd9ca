import type { Expression, NamedWindow, Query } from "../ast.ts";
import type { Span } from "../diagnostic.ts";
import type {
  AggregateCall,
  Column,
  CteDefinition,
  Expr,
  OrderKey,
  ResolvedFrame,
  Scan,
  WindowCall,
} from "../resolved.ts";
import type { Resolution } from "./resolution.ts";
import type { NamedColumn, NameList, Scope } from "./scope.ts";

/** The order that rows come in. */
export interface Ordering {
  readonly keys: readonly OrderKey[];
  /** Not written in this query: taken over from the one relation that it reads. */
  readonly isInherited: boolean;
}

/**
 * The result of a query. The scan is not sorted unless it is also limited: a reader that needs an order sorts by
 * `order`.
 */
export interface QueryResult {
  readonly scan: Scan;
  /** One column with `isValue` for a value table. */
  readonly columns: readonly NamedColumn[];
  readonly order: Ordering | undefined;
  /** Is the scan already sorted by `order`? */
  readonly isSorted: boolean;
  /** The recursive common table expression that this reads itself, in the term that defines it. */
  readonly recursive: RecursiveRead | undefined;
}

/** A reference of a recursive common table expression to itself: what may be done with its rows is limited. */
export interface RecursiveRead {
  readonly name: string;
  readonly span: Span;
}

/** Rows with names: what stands between two steps of a FROM clause or of a pipe. */
export interface Relation {
  readonly scan: Scan;
  readonly names: NameList;
  readonly order: Ordering | undefined;
  readonly recursive: RecursiveRead | undefined;
}

/** Rows without an order, and not of a recursive reference. */
export function plainRelation(scan: Scan, names: NameList): Relation {
  return { scan, names, order: undefined, recursive: undefined };
}

/** A name of WITH. */
export interface CteBinding {
  readonly name: string;
  /** Undefined while an entry that failed, or that is not ready to be read, stands for itself. */
  readonly definition?: CteDefinition;
  readonly columns: readonly NamedColumn[];
  readonly order?: readonly OrderKey[] | undefined;
  /** Reading it is counted here, for the step of a recursive CTE. */
  readonly onRead?: (span: Span) => void;
  /** True inside of the step that defines it. */
  readonly isOpen?: boolean;
}

export interface CteScope {
  readonly parent: CteScope | undefined;
  readonly bindings: ReadonlyMap<string, CteBinding>;
}

/** Where a query stands: the relations and the outer names that it sees. */
export interface Environment {
  readonly resolution: Resolution;
  readonly ctes: CteScope | undefined;
  /** The names of the queries around it, for correlation. */
  readonly outer: Scope | undefined;
  /** Columns from this one on are the query's own; earlier ones are those of the queries around it. */
  readonly firstColumn: number;
}

/** The state of one SELECT while its expressions are resolved. */
export interface QueryBlock {
  readonly aggregates: { readonly column: Column; readonly call: AggregateCall }[];
  readonly windows: { readonly column: Column; readonly call: WindowCall }[];
  /** The same by the hash of function and arguments: equal calls are computed once. */
  readonly aggregateIndex: Map<number, { readonly column: Column; readonly call: AggregateCall }[]>;
  /** By the name in lower case. */
  readonly namedWindows: ReadonlyMap<string, PlacedWindow>;
  /** Those of them that are resolved, by their positions; undefined for one with something to report. */
  readonly windowCache: Map<number, Window | undefined>;
}

/** A window of the WINDOW clause, which may extend those before it. */
interface PlacedWindow extends Omit<NamedWindow, "span"> {
  readonly position: number;
}

/** A resolved window specification. */
export interface Window {
  readonly partitionBy: readonly Expr[];
  readonly orderBy: WindowCall["orderBy"];
  readonly frame?: ResolvedFrame | undefined;
}

/** Reports a name that two of the windows have. */
export function createQueryBlock(resolution: Resolution, list: readonly NamedWindow[] = []): QueryBlock {
  const namedWindows = new Map<string, PlacedWindow>();
  for (const [position, { name, window }] of list.entries()) {
    const folded = name.name.toLowerCase();
    if (namedWindows.has(folded)) {
      resolution.report("invalid_query", `Duplicate window alias ${name.name}`, name.span, { name: name.name });
    } else namedWindows.set(folded, { name, window, position });
  }
  return { aggregates: [], windows: [], aggregateIndex: new Map(), namedWindows, windowCache: new Map() };
}

/** Where an expression stands. */
export interface ExprContext {
  readonly resolution: Resolution;
  readonly ctes: CteScope | undefined;
  readonly scope: Scope | undefined;
  /**
   * Names for the definitions of windows, where they differ: in HAVING and ORDER BY an alias comes before a column,
   * in WINDOW it does not.
   */
  readonly windowScope: Scope | undefined;
  /** Undefined where neither aggregates nor window functions can be. */
  readonly block: QueryBlock | undefined;
  /** In messages: `WHERE clause`. */
  readonly clause: string;
  readonly allowsAggregates: boolean;
  readonly allowsWindows: boolean;
}

/** Which functions over rows may stand in a clause. */
type Allowed = "nothing" | "aggregates" | "windows" | "both";

/** The context of a clause that allows these. */
function contextOf(
  { resolution, ctes }: Pick<ExprContext, "resolution" | "ctes">,
  clause: string,
  allows: Allowed,
  scope: Scope | undefined,
  windowScope: Scope | undefined,
  block: QueryBlock | undefined,
): ExprContext {
  const [allowsAggregates, allowsWindows] = ALLOWED[allows];
  return { resolution, ctes, scope, windowScope, block, clause, allowsAggregates, allowsWindows };
}

const ALLOWED: Readonly<Record<Allowed, readonly [aggregates: boolean, windows: boolean]>> = {
  nothing: [false, false],
  aggregates: [true, false],
  windows: [false, true],
  both: [true, true],
};

/** An expression context without aggregates and windows. */
export function plainContext(environment: Environment, scope: Scope | undefined, clause: string): ExprContext {
  return contextOf(environment, clause, "nothing", scope, undefined, undefined);
}

/** The context of a clause of the same query: what may stand there, and the names it sees. */
export function inClause(
  context: ExprContext,
  clause: string,
  allows: Allowed,
  scope = context.scope,
  windowScope = context.windowScope,
): ExprContext {
  return contextOf(context, clause, allows, scope, windowScope, context.block);
}

/** The same place with other names. */
export function inScope(context: ExprContext, scope: Scope | undefined): ExprContext {
  const { resolution, ctes, windowScope, block, clause, allowsAggregates, allowsWindows } = context;
  return { resolution, ctes, scope, windowScope, block, clause, allowsAggregates, allowsWindows };
}

/** The first context of a SELECT or pipe operator, whose aggregates and window functions go to `block`. */
export function blockContext(
  environment: Environment,
  scope: Scope,
  block: QueryBlock,
  clause: string,
  allows: Allowed,
): ExprContext {
  return contextOf(environment, clause, allows, scope, undefined, block);
}

/** The environment of a sub-query in an expression. */
export function environmentOf(context: ExprContext): Environment {
  return { resolution: context.resolution, ctes: context.ctes, outer: context.scope, firstColumn: 0 };
}

/** Resolves a part of an expression. */
export function resolveExpression(context: ExprContext, node: Expression): Expr {
  return context.resolution.rules.expression(context, node);
}

/** Resolves a query that stands inside another. */
export function resolveSubquery(environment: Environment, query: Query): QueryResult {
  return environment.resolution.rules.query(environment, query);
}
