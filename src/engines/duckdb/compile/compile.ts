/** The compiler: a resolved query as one DuckDB statement with placeholders. */

import { GoogleSqlError } from "../../../googlesql/diagnostic.ts";
import type { ResolvedQuery } from "../../../googlesql/resolved.ts";
import { arrayOf } from "../../../googlesql/types.ts";
import { formatIsoTimestamp } from "../../../values/iso-timestamp.ts";
import type { CompiledQuery, CompileOptions } from "../../contract/query-engine.ts";
import { type Analysis, analyse } from "../../lowering/analysis.ts";
import { Failing } from "../../lowering/failing.ts";
import { type LoweredQuery, lowerQuery } from "../../lowering/lower.ts";
import { once } from "../../lowering/once.ts";
import { queryConstants, readsClock } from "../../lowering/run-constants.ts";
import type { LayoutCatalog } from "../../schema/layout.ts";
import { type Guarded, StatementTooComplex } from "../../sql/emit.ts";
import { stopClock } from "../../sql/map-tree.ts";
import { isOrderedBy, selectColumn } from "../../sql/select.ts";
import type { QueryPlan } from "../query-plan.ts";
import { placeholder, textSql } from "../sql/atoms.ts";
import { castTo } from "../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../sql/sql.ts";
import { TIMESTAMP } from "../sql/types.ts";
import type {
  BoundConstants,
  BoundedStatement,
  IdCondition,
  NewestPlan,
  RowsPlan,
  StatementPlan,
} from "../statement-plan.ts";
import type { Compilation, SelectBuilder } from "./compilation.ts";
import { guardBranches } from "./guard-branches.ts";
import { FIRST_BOUND, FIRST_LIMIT, LIMIT_PLACEHOLDERS, NEWEST_BOUND, orderPlaceholders } from "./limits.ts";
import { renderSelect } from "./render.ts";
import { planNewest, planRows } from "./row-plans.ts";
import {
  type PlaceholderMap,
  planConstants,
  RunConstants,
  readParametersOnce,
  type SentValues,
} from "./run-constants.ts";
import { buildOrderBy, buildScan } from "./scan/scans.ts";
import { newSelect, selectable } from "./select-builder.ts";
import { emit, guarded } from "./statements.ts";

/**
 * Prints the query. Throws `GoogleSqlError` where DuckDB cannot express it. Every text of the caller is in the
 * statement as a quoted literal only; names are made here.
 */
export function compileQuery(query: ResolvedQuery, layouts: LayoutCatalog, options: PrintOptions = {}): CompiledQuery {
  try {
    return options.readsParametersOnce === true
      ? printConstants(query, analyse(query), layouts, options)
      : printQuery(query, layouts, options);
  } catch (error) {
    // Rows of the function tables know where a call stands, but not the text it stands in.
    if (error instanceof GoogleSqlError) throw new GoogleSqlError(options.text ?? "", error.diagnostics);
    if (!(error instanceof StatementTooComplex)) throw error;
    const { message } = error;
    throw new GoogleSqlError(options.text ?? "", [{ code: "too_complex", message, span: { start: 0, end: 0 } }]);
  }
}

export interface PrintOptions extends CompileOptions {
  /** Compute what conditions compare rows with before a run; true by default. */
  readonly bindsConstants?: boolean;
}

function printQuery(resolved: ResolvedQuery, layouts: LayoutCatalog, options: PrintOptions): CompiledQuery {
  const { query, analysis } = analyseGuarded(resolved);
  const compilation = beginCompilation(query, analysis, layouts, options, options.bindsConstants ?? true);
  const built = buildScan(newSelect(compilation), query.scan);
  const columns = query.columns.map(({ column }) => column);
  const builder = orderResult(selectable(built, columns), query);
  const items = columns.map((column) => selectColumn(compilation, builder, column));
  // Before WITH: it asks the definitions there for columns.
  const printed = renderSelect(builder, items);
  const whole = sql`${printWith(compilation)}${printed}`;
  const instant = instantOf(options.nowUs, compilation.constants, whole);
  const finish = (part: Sql) => guarded(instant === undefined ? part : stopClock(part, instant));
  const finished = finish(whole);
  const used = orderPlaceholders(finished.placeholders);
  const text = printNumbered(finished, used);
  const rows = planRows(builder, items, (part) => printNumbered(finish(part), used));
  const newest = planNewest(builder, items, {
    print: (part) => printBounded(finish(part), used),
    positionOf: (index) => used.indexOf(index),
  });
  const limits = limitsOf(used);
  const sent = planConstants(resolved, compilation.constants, used, limits, (constants) =>
    printConstants(queryConstants(constants, resolved.parameters, analysis.newColumn), analysis, layouts, options),
  );
  const statement = planStatement(compilation, used, { rows, newest, constants: sent.constants });
  const compiled = describeStatement(query, compilation, {
    sql: text,
    parameters: sent.parameters,
    limits: sent.limits,
  });
  if (statement !== undefined) compiled.plan = { statement } satisfies QueryPlan;
  if (statement === undefined || sent.constants === undefined) return compiled;
  const { nowUs } = options;
  const perRow = once(() => printQuery(resolved, layouts, { ...options, bindsConstants: false }));
  const constants = nowUs === undefined ? { perRow } : { perRow, nowUs };
  compiled.plan = { statement, constants } satisfies QueryPlan;
  compiled.computed = describeComputed(sent, nowUs);
  return compiled;
}

/** The query for the values of constants, of one row, which reads parameters from lists. */
function printConstants(
  query: ResolvedQuery,
  analysis: Analysis,
  layouts: LayoutCatalog,
  options: PrintOptions,
): CompiledQuery {
  const compilation = beginCompilation(query, analysis, layouts, options, false);
  const builder = buildScan(newSelect(compilation), query.scan);
  const items = query.columns.map(({ column }) => selectColumn(compilation, builder, column));
  const finished = guarded(readParametersOnce(renderSelect(builder, items), query.parameters));
  const used = orderPlaceholders(finished.placeholders);
  const read = used.flatMap((index) => query.parameters[index - 1] ?? []);
  const parameters = read.map(({ key, type }) => ({ key, type: arrayOf(type) }));
  return describeStatement(query, compilation, {
    sql: printNumbered(finished, used),
    parameters,
    limits: limitsOf(used),
  });
}

/** The limits that the placeholders are of. */
function limitsOf(used: readonly number[]): SentValues["limits"] {
  const limits = used.filter((index) => index >= FIRST_LIMIT);
  return limits.flatMap((index) => LIMIT_PLACEHOLDERS[index - FIRST_LIMIT] ?? []);
}

type Compiled = { -readonly [Key in keyof CompiledQuery]: CompiledQuery[Key] };

/** Made without spreads, as what each query begins with: V8 takes half a microsecond for each property behind one. */
function describeStatement(
  { columns }: ResolvedQuery,
  { tables }: Compilation,
  { sql: text, parameters, limits }: Pick<CompiledQuery, "sql" | "parameters"> & Pick<SentValues, "limits">,
): Compiled {
  const described: Compiled = {
    sql: text,
    parameters,
    columns: columns.map(({ name, column }) => ({ name, type: column.type })),
    tables: [...tables],
  };
  if (limits.length > 0) described.limits = limits;
  return described;
}

function beginCompilation(
  query: ResolvedQuery,
  analysis: Analysis,
  layouts: LayoutCatalog,
  { timeZone = "UTC" }: PrintOptions,
  bindsConstants: boolean,
): Compilation {
  const parameters = numbered(query.parameters);
  return {
    layouts,
    timeZone,
    analysis,
    failing: new Failing(analysis),
    parameters,
    constants: bindsConstants ? new RunConstants(parameters, query.parameters.length + 1) : undefined,
    printedCtes: new Map(),
    tables: new Set(),
    idConditions: new Map(),
    timeBounds: [],
    recursionDepth: 0,
    correlationDepth: 0,
    scanDepth: 0,
    levelsRead: 0,
    aliasCount: 0,
    buildScan,
  };
}

function analyseGuarded(resolved: ResolvedQuery): LoweredQuery {
  const lowered = lowerQuery(resolved);
  if (!lowered.analysis.holdsQueries) return lowered;
  const query = guardBranches(lowered.query, lowered.analysis);
  return query === lowered.query ? lowered : { query, analysis: analyse(query) };
}

/** The text, with placeholders by their places among those that are used. */
function printNumbered(finished: Guarded, used: readonly number[]): string {
  const numbers = new Map(used.map((index, position) => [index, position + 1]));
  return emit(finished, (index) => numbers.get(index) ?? index);
}

/** A statement with the bound of the newest rows; `used` are the placeholders of the query's own statement. */
function printBounded(finished: Guarded, used: readonly number[]): BoundedStatement {
  const read = orderPlaceholders(finished.placeholders);
  const values = read.filter((index) => index !== NEWEST_BOUND).map((index) => used.indexOf(index));
  return { sql: printNumbered(finished, read), values };
}

/** Returns the host's data about the statement; undefined if there is none. */
function planStatement(
  { idConditions, constants }: Compilation,
  used: readonly number[],
  {
    rows,
    newest,
    constants: bound,
  }: {
    readonly rows: RowsPlan | undefined;
    readonly newest: NewestPlan | undefined;
    readonly constants: BoundConstants | undefined;
  },
): StatementPlan | undefined {
  const printed = [...idConditions.values()].filter((_, place) => used.includes(FIRST_BOUND + 2 * place));
  const conditions = printed.map(({ table, id }): IdCondition => {
    return { table, id: "text" in id ? id.text : used.indexOf(id.parameter) };
  });
  if (rows === undefined && newest === undefined && bound === undefined && conditions.length === 0) return undefined;
  const clockValues = used.flatMap((index, position) => {
    const constant = constants?.at(index);
    return constant !== undefined && readsClock(constant) ? [position] : [];
  });
  return {
    idConditions: conditions,
    ...(rows === undefined ? {} : { rows: clockValues.length === 0 ? rows : { ...rows, clockValues } }),
    ...(newest === undefined ? {} : { newest }),
    ...(bound === undefined ? {} : { constants: bound }),
  };
}

/** Which parameters a constant reads counts too: values come in their order. */
function describeComputed({ parameters, constants }: SentValues, nowUs: bigint | undefined): string {
  const { places, statement } = constants ?? {};
  const read = [parameters.map(({ key }) => key), places, statement?.values ?? null, nowUs?.toString() ?? null];
  return `${JSON.stringify(read)} ${statement?.sql ?? ""}`;
}

function numbered(parameters: ResolvedQuery["parameters"]): PlaceholderMap {
  const byKey: PlaceholderMap = new Map();
  parameters.forEach(({ key, type }, index) => {
    byKey.set(key, { index: index + 1, type });
  });
  return byKey;
}

/** Rows come in the query's order, also where it is taken over from a CTE or stands below a projection. */
function orderResult(built: SelectBuilder, query: ResolvedQuery): SelectBuilder {
  const { order = [] } = query;
  return isOrderedBy(built, order) ? built : buildOrderBy(built, order);
}

/**
 * Users are printed before the definitions they read, because printing one may ask another for columns; they stand
 * after them.
 */
function printWith(compilation: Compilation): Sql {
  if (compilation.printedCtes.size === 0) return EMPTY;
  const rank = (id: number) => compilation.analysis.cteRank(id);
  const ctes = [...compilation.printedCtes].sort(([left], [right]) => rank(left) - rank(right));
  const printed = joinSql(ctes.map(([, cte]) => cte.print()).reverse(), ", ");
  return ctes.some(([, cte]) => cte.isRecursive) ? sql`WITH RECURSIVE ${printed} ` : sql`WITH ${printed} `;
}

/** The one instant that all of the statement reads: a given one, or the one that constants are computed with. */
function instantOf(nowUs: bigint | undefined, constants: RunConstants | undefined, whole: Sql): Sql | undefined {
  if (!whole.readsClock) return undefined;
  if (nowUs !== undefined) return sql`TIMESTAMP ${textSql(formatIsoTimestamp(nowUs).slice(0, -1))}`;
  const index = constants?.clockIndex;
  return index === undefined ? undefined : castTo(placeholder(index), TIMESTAMP);
}
