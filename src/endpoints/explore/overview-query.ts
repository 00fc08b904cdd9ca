import type { Expression, Query, QueryBody, SelectItem } from "../../googlesql/ast.ts";
import type { Span } from "../../googlesql/diagnostic.ts";
import { between, binary, call, cast, integer, logical, select, text, timestamp } from "../../lql/sql-nodes.ts";
import type { QueryShape } from "./query-shape.ts";
import { fieldOfRow, selectFromRows } from "./select-rows.ts";

/** A request for counts of a query's rows over time. Times are microseconds since 1970. */
export interface Overview {
  /** Rows after it, */
  readonly fromUs: bigint;
  /** and at or before it. */
  readonly toUs: bigint;
  /** Equal parts of that time in which rows are counted. */
  readonly bucketCount: number;
  /**
   * The field by whose values rows are counted apart in each part; by hundreds of it for classes, as HTTP's statuses
   * have them.
   */
  readonly split: { readonly path: readonly string[]; readonly isByClass: boolean } | undefined;
  /** Fields whose most frequent values are counted. */
  readonly facets: readonly (readonly string[])[];
  readonly valuesPerFacet: number;
}

/** Rows that an overview has at most: what does not fit is reported as truncated. */
const maxOverviewRows = 5_000;

/** Microseconds that a bucket is long; the last one may reach beyond the end. */
export function bucketWidthUs({ fromUs, toUs, bucketCount }: Overview): bigint {
  const count = BigInt(bucketCount);
  const width = (toUs - fromUs + count - 1n) / count;
  return width < 1n ? 1n : width;
}

/** One query that counts everything in an overview. */
export function overviewShape(overview: Overview): QueryShape {
  const { fromUs, toUs, facets, valuesPerFacet } = overview;
  return {
    key: JSON.stringify(["overview", overview], (_, value) => (typeof value === "bigint" ? String(value) : value)),
    made: ["overview", overview],
    maxRows: maxOverviewRows,
    apply(rows) {
      const { span } = rows;
      const time = fieldOfRow(["timestamp"], span);
      // Timestamps are whole microseconds: after one is from the next on.
      const isWithin = between(time, timestamp(fromUs + 1n, span), timestamp(toUs, span), span);
      const inputs: QueryBody[] = [
        histogram(rows, overview, isWithin),
        ...facets.map((path, index) => topValues(rows, index + 1, path, valuesPerFacet, isWithin)),
      ];
      const body: QueryBody =
        inputs.length === 1 && inputs[0] !== undefined
          ? inputs[0]
          : { kind: "SetOperation", mode: { operator: "UNION", isAll: true }, inputs, span };
      return { kind: "Query", body, pipes: [], span };
    },
  };
}

function histogram(rows: Query, overview: Overview, condition: Expression): Query {
  const { span } = rows;
  const { fromUs, split } = overview;
  const time = call("UNIX_MICROS", [fieldOfRow(["timestamp"], span)], span);
  const elapsed = binary("-", time, whole(fromUs + 1n, span), span);
  const bucket = call("DIV", [elapsed, whole(bucketWidthUs(overview), span)], span);
  const items = columns(integer(0, span), bucket, splitValue(split, span), span);
  const keys = split === undefined ? [2] : [2, 3];
  return grouped(rows, items, condition, keys, integer(maxOverviewRows, span), span);
}

function topValues(rows: Query, part: number, path: readonly string[], count: number, condition: Expression): Query {
  const { span } = rows;
  const value = cast(fieldOfRow(path, span), "STRING", false, span);
  const items = columns(integer(part, span), noNumber(span), value, span);
  return grouped(rows, items, condition, [3], integer(count, span), span);
}

function columns(part: Expression, bucket: Expression, value: Expression, span: Span): readonly SelectItem[] {
  return [
    select(part, "part", span),
    select(bucket, "bucket", span),
    select(value, "value", span),
    select(call("COUNT", [], span, { isStar: true }), "count", span),
  ];
}

/** The groups with the most rows, by the columns of these numbers. */
function grouped(
  rows: Query,
  items: readonly SelectItem[],
  condition: Expression,
  keys: readonly number[],
  count: Expression,
  span: Span,
): Query {
  const body = selectFromRows(rows, items, condition);
  const byKey = keys.map((key) => ({ kind: "GroupingExpression", expression: integer(key, span), span }) as const);
  return {
    kind: "Query",
    body: { ...body, groupBy: { kind: "GroupBy", isAll: false, items: byKey, span } },
    orderBy: [
      { expression: integer(4, span), isDescending: true, span },
      { expression: integer(3, span), isDescending: false, span },
    ],
    limit: { count, span },
    pipes: [],
    span,
  };
}

function splitValue(split: Overview["split"], span: Span): Expression {
  if (split === undefined) return cast({ kind: "NullLiteral", span }, "STRING", false, span);
  const field = fieldOfRow(split.path, span);
  if (!split.isByClass) return cast(field, "STRING", false, span);
  const hundreds = call("DIV", [cast(field, "INT64", true, span), integer(100, span)], span);
  const shown = cast(hundreds, "STRING", false, span);
  return call("CONCAT", [shown, text("xx", span)], span);
}

function noNumber(span: Span): Expression {
  return cast({ kind: "NullLiteral", span }, "INT64", false, span);
}

function whole(value: bigint, span: Span): Expression {
  return { kind: "IntLiteral", text: String(value), span };
}

/** Rows up to a place in time, the newest first, or behind it, the oldest first. */
export interface Around {
  readonly atUs: bigint;
  /** The id of the row in the middle; rows at the same time are ordered by it. */
  readonly id: string;
  readonly direction: "before" | "after";
  readonly count: number;
}

/** The neighbours of a row. `before` holds the row itself too, where it is there. */
export function aroundShape(around: Around): QueryShape {
  const { atUs, id, direction, count } = around;
  const isBefore = direction === "before";
  return {
    key: JSON.stringify(["around", String(atUs), id, direction, count]),
    made: ["around", around],
    maxRows: count,
    apply(rows) {
      const { span } = rows;
      const time = fieldOfRow(["timestamp"], span);
      const at = timestamp(atUs, span);
      const key = fieldOfRow(["id"], span);
      const sameTime = logical(
        "AND",
        [binary("=", time, at, span), binary(isBefore ? "<=" : ">", key, text(id, span), span)],
        span,
      );
      // The first of both says again what the second implies, in a form by which an engine can skip what it stores.
      const near = binary(isBefore ? "<=" : ">=", time, at, span);
      const strict = logical("OR", [binary(isBefore ? "<" : ">", time, at, span), sameTime], span);
      const star = { kind: "Star", except: [], replace: [], span } as const;
      return {
        kind: "Query",
        body: selectFromRows(rows, [star], logical("AND", [near, strict], span)),
        orderBy: [
          { expression: time, isDescending: isBefore, span },
          { expression: key, isDescending: isBefore, span },
        ],
        limit: { count: integer(count, span), span },
        pipes: [],
        span,
      };
    },
  };
}
