import type { Expression, Query, SelectItem } from "../googlesql/ast.ts";
import type { Span } from "../googlesql/diagnostic.ts";
import type { LqlChart, LqlSelect } from "./lql-ast.ts";
import { LqlError } from "./lql-error.ts";
import { parseLql } from "./parse-lql.ts";
import { call, cast, fieldOf, identifier, integer, select } from "./sql-nodes.ts";
import { toCondition } from "./to-condition.ts";

/** The context of compiling an LQL text. */
export interface LqlContext {
  /** The table to read if the text has no `f:`; undefined if there is no default. */
  readonly defaultTable: string | undefined;
  /** The error message in that case. */
  readonly missingTable?: string;
  /** The clock, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Rows at most, without a chart. */
  readonly maxRows: number;
  /** Rows of a page, without a chart; 100 unless given. */
  readonly pageRows?: number | undefined;
  /** Selects every row with all columns in no order, whatever the text selects or charts. */
  readonly isWhole?: boolean;
}

/** Rows of a page, unless the call says how many. */
const defaultRows = 100;
const defaultColumns = ["id", "timestamp", "event_message", "metadata"];
/** Names the row, so that an alias of the caller's cannot stand in for its timestamp. */
const rowName = "lql_row";

/**
 * An LQL text as a query's syntax tree, whose spans count in the LQL text. Rows come newest first, charts by ascending
 * bucket. Names are not looked up here. Throws `LqlError`.
 */
export function compileLql(lql: string, context: LqlContext): Query {
  const parsed = parseLql(lql, context.nowMs);
  const table = parsed.from?.name ?? context.defaultTable;
  if (table === undefined) {
    const { missingTable = "This endpoint has several tables and none is the default: name one with f:" } = context;
    throw new LqlError(lql, 0, missingTable);
  }
  const span = parsed.from?.span ?? parsed.span;
  const { isWhole = false } = context;
  const chart = isWhole ? undefined : parsed.chart;
  const from = {
    kind: "TableReference",
    path: { kind: "Path", parts: [identifier(table, span)], span },
    alias: identifier(rowName, span),
    suffixes: [],
    span,
  } as const;
  const body = {
    kind: "Select",
    isDistinct: false,
    items:
      chart === undefined
        ? selectItems(isWhole ? [allColumns(parsed.span)] : parsed.selects, parsed.span)
        : chartItems(chart),
    from,
    windows: [],
    span: parsed.span,
    ...(parsed.filter === undefined ? {} : { where: toCondition(parsed.filter) }),
  } as const;
  if (chart !== undefined) {
    const first = integer(1, chart.span);
    const item = { kind: "GroupingExpression", expression: first, span: chart.span } as const;
    const groupBy = { kind: "GroupBy", isAll: false, items: [item], span: chart.span } as const;
    return {
      kind: "Query",
      body: { ...body, groupBy },
      orderBy: [{ expression: first, isDescending: false, span: chart.span }],
      pipes: [],
      span: parsed.span,
    };
  }
  if (isWhole) return { kind: "Query", body, pipes: [], span: parsed.span };
  return {
    kind: "Query",
    body,
    orderBy: [{ expression: rowTimestamp(parsed.span), isDescending: true, span: parsed.span }],
    limit: {
      count: integer(Math.min(context.pageRows ?? defaultRows, context.maxRows), parsed.span),
      span: parsed.span,
    },
    pipes: [],
    span: parsed.span,
  };
}

function allColumns(span: Span): LqlSelect {
  return { path: undefined, alias: undefined, span };
}

function rowTimestamp(span: Span): Expression {
  return fieldOf([rowName, "timestamp"], span);
}

function selectItems(selects: readonly LqlSelect[], span: Span): readonly SelectItem[] {
  if (selects.length === 0) return defaultColumns.map((name) => select(fieldOf([name], span), name, span));
  return selects.map((each): SelectItem => {
    if (each.path === undefined) return { kind: "Star", except: [], replace: [], span: each.span };
    return select(fieldOf(each.path, each.span), each.alias ?? each.path.at(-1), each.span);
  });
}

/** The value's column is `count` in every chart, whatever it aggregates. */
function chartItems(chart: LqlChart): readonly SelectItem[] {
  const { span } = chart;
  const bucket = call(
    "TIMESTAMP_TRUNC",
    [rowTimestamp(span), { ...identifier(chart.period, span), isQuoted: false }],
    span,
  );
  return [select(bucket, "timestamp", span), select(measure(chart), "count", span)];
}

function measure({ aggregate, path, span }: LqlChart): Expression {
  if (path === undefined) return call("COUNT", [], span, { isStar: true });
  const field = fieldOf(path, span);
  const number = cast(field, "FLOAT64", true, span);
  switch (aggregate) {
    case "count":
      return call("COUNT", [field], span);
    case "countd":
      return call("COUNT", [field], span, { isDistinct: true });
    case "avg":
      return call("AVG", [number], span);
    case "sum":
      return call("SUM", [number], span);
    case "max":
      return call("MAX", [field], span);
    case "min":
      return call("MIN", [field], span);
    case "p50":
    case "p95":
    case "p99": {
      const quantiles = call("APPROX_QUANTILES", [number, integer(100, span)], span);
      return {
        kind: "Subscript",
        base: quantiles,
        mode: "OFFSET",
        index: integer(Number(aggregate.slice(1)), span),
        span,
      };
    }
  }
}
