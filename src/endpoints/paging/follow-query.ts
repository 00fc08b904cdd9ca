import type { Column, Expr, OrderKey, ResolvedQuery, Scan } from "../../googlesql/resolved.ts";
import { arrayOf, INT64, STRING } from "../../googlesql/types.ts";
import { addKeyColumns, call, columnOf, openTop, type PagedQuery, placeParameter, totalOrder } from "./page-query.ts";
import { findUniqueKeys } from "./unique-keys.ts";

/** Rows that one look at a followed query brings at most. */
export const maxFollowedRows = 5_000;

const span = { start: 0, end: 0 };

/** How a followed query is asked: for a period of time, or also for the events of some ids in it. */
export type FollowForm = "follow" | "follow ids";

/** A query that is asked again and again for what is new. */
export interface FollowedQuery extends PagedQuery {
  /** Whether a row is one event, with its id and its time, so that the query has the form for ids. */
  readonly isOfEvents: boolean;
}

/**
 * The query as it is asked again and again for what is new: its rows of a period, whose first and last time are bound
 * as the first two of `placeParameter`, newest first and `maxFollowedRows` at most, whatever its own LIMIT; in the form
 * for ids, those of the events whose ids are bound as the third. The keys of its paging identify rows where the query
 * has keys that do; the first is the time. Undefined where rows are not ordered by a timestamp, one row is made of
 * several, or the query does not have the form.
 */
export function makeFollowed(query: ResolvedQuery, form: FollowForm): FollowedQuery | undefined {
  const [first] = query.order ?? [];
  if (first === undefined || first.column.type.kind !== "TIMESTAMP") return undefined;
  const top = openTop(query.scan);
  if (top === undefined || top.limit?.offset !== undefined || !isOfSingleRows(top.input)) return undefined;
  const time: OrderKey = { column: first.column, isDescending: true, nullsFirst: false };
  const unique = findUniqueKeys(top.input) ?? [];
  const [id] = unique;
  const isOfEvents = id !== undefined && unique.length === 1 && isEventField(top.input, first.column, "timestamp");
  if (form === "follow ids" && !isOfEvents) return undefined;
  const order = totalOrder([time], unique);
  const { columns, keys, hiddenCount } = addKeyColumns(query.columns, order);
  const newer: Scan = {
    kind: "Filter",
    input: top.input,
    predicate: isWithin(time, form === "follow" ? undefined : id),
  };
  const limited: Scan = {
    kind: "Limit",
    input: { kind: "OrderBy", input: newer, keys: order },
    count: { kind: "Literal", type: INT64, value: String(maxFollowedRows), span },
  };
  const scan = top.ctes.reduceRight<Scan>((input, ctes) => ({ kind: "With", ctes, input }), limited);
  const bounds = [0, 1].map((index) => ({ key: placeParameter(index), type: first.column.type }));
  const ids = form === "follow" ? [] : [{ key: placeParameter(2), type: arrayOf(STRING) }];
  return {
    isOfEvents,
    query: { scan, columns, parameters: [...query.parameters, ...bounds, ...ids], order },
    paging: { pageSize: maxFollowedRows, keys, hiddenCount },
  };
}

function isWithin(time: OrderKey, id: Column | undefined): Expr {
  const bind = (index: number, type = time.column.type): Expr => {
    return { kind: "Parameter", key: placeParameter(index), type, span };
  };
  const from = call("$greater_or_equal", columnOf(time), bind(0));
  const to = call("$less_or_equal", columnOf(time), bind(1));
  const isOfIds = id === undefined ? [] : [call("$in_array", columnOf({ column: id }), bind(2, arrayOf(STRING)))];
  return call("$and", from, to, ...isOfIds);
}

/** True where a column of a scan is a field of the events that its rows are made of, under whatever name. */
function isEventField(scan: Scan, column: Column, field: string): boolean {
  switch (scan.kind) {
    case "Table":
      return scan.columns.some((each) => each.column.id === column.id && each.source === field);
    case "Cte": {
      const inside = scan.cte.output[scan.columns.findIndex(({ id }) => id === column.id)];
      return inside !== undefined && isEventField(scan.cte.scan, inside, field);
    }
    case "Project": {
      const computed = scan.computed.find((each) => each.column.id === column.id)?.expression;
      if (computed === undefined) return isEventField(scan.input, column, field);
      return computed.kind === "Column" && isEventField(scan.input, computed.column, field);
    }
    case "Filter":
    case "OrderBy":
    case "With":
      return isEventField(scan.input, column, field);
    case "Unnest":
      return scan.input !== undefined && isEventField(scan.input, column, field);
    default:
      return false;
  }
}

/** True where each row stands for itself, so that a later one changes none that was sent. */
function isOfSingleRows(scan: Scan): boolean {
  switch (scan.kind) {
    case "SingleRow":
    case "Table":
      return true;
    case "Cte":
      return !scan.cte.isRecursive && isOfSingleRows(scan.cte.scan);
    case "Filter":
    case "Project":
    case "OrderBy":
    case "With":
      return isOfSingleRows(scan.input);
    case "Unnest":
      return scan.input === undefined || isOfSingleRows(scan.input);
    case "Join":
      return isOfSingleRows(scan.left) && isOfSingleRows(scan.right);
    case "SetOperation":
      return scan.operator === "UNION" && scan.isAll && scan.inputs.every((input) => isOfSingleRows(input.scan));
    case "Aggregate":
    case "Window":
    case "Distinct":
    case "Limit":
    case "Sample":
    case "Recursive":
      return false;
  }
}
