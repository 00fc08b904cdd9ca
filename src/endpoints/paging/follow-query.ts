import type { Expr, OrderKey, ResolvedQuery, Scan } from "../../googlesql/resolved.ts";
import { BOOL, INT64 } from "../../googlesql/types.ts";
import { addKeyColumns, openTop, type PagedQuery, placeParameter, totalOrder } from "./page-query.ts";
import { findUniqueKeys } from "./unique-keys.ts";

/** Rows that one look at a followed query brings at most. */
export const maxFollowedRows = 5_000;

const span = { start: 0, end: 0 };

/**
 * The query as it is asked again and again for what is new: its newest rows, at or after the time that is bound as
 * the first `placeParameter`, newest first and `maxFollowedRows` at most, whatever its own LIMIT. The keys of its
 * paging tell rows apart where the query tells by what; the first is the time. Undefined where rows are not ordered
 * by a timestamp, or one row is made of several.
 */
export function makeFollowed(query: ResolvedQuery): PagedQuery | undefined {
  const [first] = query.order ?? [];
  if (first === undefined || first.column.type.kind !== "TIMESTAMP") return undefined;
  const top = openTop(query.scan);
  if (top === undefined || top.limit?.offset !== undefined || !isOfSingleRows(top.input)) return undefined;
  const time: OrderKey = { column: first.column, isDescending: true, nullsFirst: false };
  const order = totalOrder([time], findUniqueKeys(top.input) ?? []);
  const { columns, keys, hiddenCount } = addKeyColumns(query.columns, order);
  const newer: Scan = { kind: "Filter", input: top.input, predicate: isAtOrAfter(time) };
  const limited: Scan = {
    kind: "Limit",
    input: { kind: "OrderBy", input: newer, keys: order },
    count: { kind: "Literal", type: INT64, value: String(maxFollowedRows), span },
  };
  const scan = top.ctes.reduceRight<Scan>((input, ctes) => ({ kind: "With", ctes, input }), limited);
  const from = { key: placeParameter(0), type: first.column.type };
  return {
    query: { scan, columns, parameters: [...query.parameters, from], order },
    paging: { pageSize: maxFollowedRows, keys, hiddenCount },
  };
}

function isAtOrAfter({ column }: OrderKey): Expr {
  const time: Expr = { kind: "Column", column, type: column.type, span };
  const bound: Expr = { kind: "Parameter", key: placeParameter(0), type: column.type, span };
  return { kind: "Call", function: "$greater_or_equal", arguments: [time, bound], isSafe: false, type: BOOL, span };
}

/** True where each row stands for itself, so that a later one changes none that was told. */
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
