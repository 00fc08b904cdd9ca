/** The compiler: a resolved query as one DuckDB statement with placeholders. */

import { GoogleSqlError } from "../../../googlesql/diagnostic.ts";
import type { ResolvedQuery } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { formatIsoTimestamp } from "../../../shared/iso-timestamp.ts";
import type { CompiledQuery, CompileOptions } from "../../contract/query-engine.ts";
import { type Analysis, analyse } from "../../lowering/analysis.ts";
import { Failing } from "../../lowering/failing.ts";
import type { LayoutCatalog } from "../../schema/layout.ts";
import { CURRENT_INSTANT } from "../functions/time/time-zone.ts";
import { joinSql } from "../sql/sql.ts";
import type { IdCondition, RowsPlan, StatementPlan } from "../statement-plan.ts";
import { type Block, selectable, selectColumn } from "./block.ts";
import type { Compilation } from "./compilation.ts";
import { guardBranches } from "./guard-branches.ts";
import { guardHiddenFailures } from "./hidden-failures.ts";
import { LIMIT_PLACEHOLDERS } from "./limits.ts";
import { FIRST_BOUND, FIRST_LIMIT, numberPlaceholders } from "./placeholders.ts";
import { planRows, printRows } from "./plan-rows.ts";
import { renderBlock } from "./render.ts";
import { buildOrderBy, buildScan } from "./scan/scans.ts";

/**
 * Prints the query. Throws `GoogleSqlError` where DuckDB cannot express it. Every text of the caller is in the
 * statement as a quoted literal only; names are made here.
 */
export function compileQuery(
  query: ResolvedQuery,
  layouts: LayoutCatalog,
  options: CompileOptions = {},
): CompiledQuery {
  try {
    return printQuery(query, layouts, options);
  } catch (error) {
    // Rows of the function tables know where a call stands, but not the text it stands in.
    throw error instanceof GoogleSqlError ? new GoogleSqlError(options.text ?? "", error.diagnostics) : error;
  }
}

function printQuery(resolved: ResolvedQuery, layouts: LayoutCatalog, options: CompileOptions): CompiledQuery {
  const { query, analysis } = analyseGuarded(resolved);
  const compilation: Compilation = {
    layouts,
    timeZone: options.timeZone ?? "UTC",
    text: options.text ?? "",
    analysis,
    failing: new Failing(analysis),
    parameters: numbered(query.parameters),
    printedCtes: new Map(),
    tables: new Set(),
    idConditions: new Map(),
    recursionDepth: 0,
    correlationDepth: 0,
    scanDepth: 0,
    levelsRead: 0,
    aliasCount: 0,
    buildScan,
  };
  const built = buildScan(compilation, query.scan, undefined);
  const columns = query.columns.map(({ column }) => column);
  const block = orderResult(compilation, selectable(compilation, built, columns), query);
  const items = columns.map((column) => selectColumn(compilation, block, column));
  const body = renderBlock(block, items);
  const finish = (printed: string) => {
    const guarded = guardHiddenFailures(printed);
    return numberPlaceholders(options.nowUs === undefined ? guarded : stopClock(guarded, options.nowUs));
  };
  const { sql, used } = finish(printWith(compilation) + body.text);
  const plan = planStatement(
    compilation,
    used,
    planRows(block, items, (text) => finish(text).sql),
    sql,
  );
  return {
    sql,
    parameters: used.map((index) => query.parameters[index - 1]).filter((parameter) => parameter !== undefined),
    ...(used.every((index) => index < FIRST_LIMIT || index >= FIRST_BOUND)
      ? {}
      : { limits: used.flatMap((index) => LIMIT_PLACEHOLDERS[index - FIRST_LIMIT] ?? []) }),
    columns: query.columns.map(({ name, column }) => ({ name, type: column.type })),
    tables: [...compilation.tables],
    ...(plan === undefined ? {} : { plan }),
  };
}

function analyseGuarded(resolved: ResolvedQuery): { readonly query: ResolvedQuery; readonly analysis: Analysis } {
  const analysis = analyse(resolved);
  const query = analysis.holdsQueries ? guardBranches(resolved) : resolved;
  return { query, analysis: query === resolved ? analysis : analyse(query) };
}

/** What the host needs to know about the statement; undefined if that is nothing. */
function planStatement(
  { idConditions }: Compilation,
  used: readonly number[],
  rows: RowsPlan | undefined,
  sql: string,
): StatementPlan | undefined {
  const printed = [...idConditions.values()].filter((_, place) => used.includes(FIRST_BOUND + 2 * place));
  const conditions = printed.map(({ table, id }): IdCondition => {
    return { table, id: "text" in id ? id.text : used.indexOf(id.parameter) };
  });
  // Parts that do not make up the statement would answer another question.
  const isWhole = rows !== undefined && printRows(rows) === sql;
  if (conditions.length === 0 && !isWhole) return undefined;
  return { idConditions: conditions, ...(isWhole ? { rows } : {}) };
}

function numbered(parameters: ResolvedQuery["parameters"]): Compilation["parameters"] {
  const byKey = new Map<string | number, { readonly index: number; readonly type: SqlType }>();
  parameters.forEach(({ key, type }, index) => {
    byKey.set(key, { index: index + 1, type });
  });
  return byKey;
}

/** Rows come in the query's order, also where it is taken over from a CTE or stands below a projection. */
function orderResult(compilation: Compilation, built: Block, query: ResolvedQuery): Block {
  const keys = query.order ?? [];
  const isOrdered = keys.every((key, index) => built.order[index]?.id === key.column.id);
  return isOrdered ? built : buildOrderBy(compilation, keys, built);
}

/**
 * Users are printed before the definitions they read, because printing one may ask another for columns; they stand
 * after them.
 */
function printWith(compilation: Compilation): string {
  if (compilation.printedCtes.size === 0) return "";
  const rank = (id: number) => compilation.analysis.cteRank(id);
  const ctes = [...compilation.printedCtes].sort(([left], [right]) => rank(left) - rank(right));
  const printed = ctes.map(([, cte]) => cte.print());
  const isRecursive = ctes.some(([, cte]) => cte.isRecursive);
  return `WITH ${isRecursive ? "RECURSIVE " : ""}${joinSql(printed.reverse(), ", ").text} `;
}

/**
 * Lets all that reads the clock read one instant instead. Literals are passed over: a caller's text stays what it is.
 */
function stopClock(sql: string, nowUs: bigint): string {
  const instant = `TIMESTAMP '${formatIsoTimestamp(nowUs).slice(0, -1)}'`;
  const token = new RegExp(`${CURRENT_INSTANT.text.replaceAll(/[()]/g, "\\$&")}|'(?:[^']|'')*'|"(?:[^"]|"")*"`, "g");
  return sql.replace(token, (text) => (text === CURRENT_INSTANT.text ? instant : text));
}
