import type { Column, Expr, OrderKey, ResolvedQuery, Scan } from "../../googlesql/resolved.ts";
import { BOOL, type SqlType } from "../../googlesql/types.ts";
import { findUniqueKeys } from "./unique-keys.ts";

/** How the pages of a query follow each other. */
export interface Paging {
  /** Rows of a full page; undefined where the query sets no limit of its own. */
  readonly pageSize: number | undefined;
  /** The result's columns that hold a row's place in the order, the order's first key first. */
  readonly keys: readonly PageKey[];
  /** How many of the result's last columns are there for their place only, and are not answered. */
  readonly hiddenCount: number;
}

export interface PageKey {
  /** The name of the result's column. */
  readonly name: string;
  readonly type: SqlType;
}

/** A query whose order leaves nothing open, and how it goes on behind a row. */
export interface PagedQuery {
  readonly query: ResolvedQuery;
  readonly paging: Paging;
}

/** Types whose values compare in the engine as they sort, and are the same again after a round trip through JSON. */
const comparableKinds: ReadonlySet<SqlType["kind"]> = new Set([
  "INT64",
  "STRING",
  "TIMESTAMP",
  "DATE",
  "DATETIME",
  "NUMERIC",
]);

/** The parameter that holds the place's value of a key; no query of a caller can name it. */
export function placeParameter(index: number): string {
  return `$place${index}`;
}

/**
 * The query in pages, where it is ordered by a timestamp, newest first, and has columns that identify its
 * rows, by which it is ordered further. With `place`, of which each item says whether the value of that key is NULL, it
 * answers the rows behind that place, which is bound by `placeParameter`. Undefined where the query has no pages.
 */
export function makePaged(query: ResolvedQuery, place?: readonly boolean[]): PagedQuery | undefined {
  const [first] = query.order ?? [];
  if (first === undefined || first.column.type.kind !== "TIMESTAMP" || !first.isDescending) return undefined;
  const top = openTop(query.scan);
  if (top === undefined) return undefined;
  const unique = findUniqueKeys(top.input);
  if (unique === undefined) return undefined;
  const order = totalOrder(query.order ?? [], unique);
  if (!order.every(({ column }) => comparableKinds.has(column.type.kind))) return undefined;
  const { columns, keys, hiddenCount } = addKeyColumns(query.columns, order);
  const rows: Scan =
    place === undefined ? top.input : { kind: "Filter", input: top.input, predicate: isBehind(order, place) };
  const sorted: Scan = { kind: "OrderBy", input: rows, keys: order };
  const { limit } = top;
  const { offset: _, ...withoutOffset } = limit ?? {};
  const limited: Scan =
    limit === undefined
      ? sorted
      : { ...(place === undefined ? limit : { kind: "Limit", ...withoutOffset }), input: sorted };
  const scan = top.ctes.reduceRight<Scan>((input, ctes) => ({ kind: "With", ctes, input }), limited);
  const places = (place ?? []).flatMap((isNull, index) => {
    const type = order[index]?.column.type;
    return isNull || type === undefined ? [] : [{ key: placeParameter(index), type }];
  });
  return {
    query: { scan, columns, parameters: [...query.parameters, ...places], order },
    paging: { pageSize: top.pageSize, keys, hiddenCount },
  };
}

interface Top {
  readonly ctes: readonly Extract<Scan, { kind: "With" }>["ctes"][];
  readonly limit: Omit<Extract<Scan, { kind: "Limit" }>, "input"> | undefined;
  readonly pageSize: number | undefined;
  /** Below the outermost limit and order. */
  readonly input: Scan;
}

/** Takes the outermost limit and order off. Undefined where the limit is no number of the query's text. */
export function openTop(scan: Scan): Top | undefined {
  const ctes: Top["ctes"][number][] = [];
  let at = scan;
  let limit: Top["limit"];
  let pageSize: number | undefined;
  for (;;) {
    if (at.kind === "With") {
      ctes.push(at.ctes);
      at = at.input;
    } else if (at.kind === "Limit" && limit === undefined) {
      const { input, ...rest } = at;
      limit = rest;
      if (rest.count !== undefined) {
        if (rest.count.kind !== "Literal" || rest.count.value === null) return undefined;
        pageSize = Number(rest.count.value);
      }
      at = input;
    } else break;
  }
  return { ctes, limit, pageSize, input: at.kind === "OrderBy" ? at.input : at };
}

export function totalOrder(order: readonly OrderKey[], unique: readonly Column[]): readonly OrderKey[] {
  const keys: OrderKey[] = [];
  const add = (key: OrderKey) => {
    if (!keys.some(({ column }) => column.id === key.column.id)) keys.push(key);
  };
  for (const key of order) add(key);
  for (const column of unique) add({ column, isDescending: true, nullsFirst: false });
  return keys;
}

/** The result's columns with those behind them that the order needs and the result lacks. */
export function addKeyColumns(
  columns: ResolvedQuery["columns"],
  order: readonly OrderKey[],
): { readonly columns: ResolvedQuery["columns"]; readonly keys: readonly PageKey[]; readonly hiddenCount: number } {
  const all = [...columns];
  const keys = order.map(({ column }, index): PageKey => {
    const shown = columns.find((each) => each.column.id === column.id);
    if (shown !== undefined) return { name: shown.name, type: column.type };
    const name = placeParameter(index);
    all.push({ name, column });
    return { name, type: column.type };
  });
  return { columns: all, keys, hiddenCount: all.length - columns.length };
}

/** True for rows behind the place: equal in some first keys, and behind in the next. */
function isBehind(order: readonly OrderKey[], place: readonly boolean[]): Expr {
  const branches: Expr[] = [];
  const equals: Expr[] = [];
  order.forEach((key, index) => {
    const isNull = place[index] === true;
    const behind = isBehindInKey(key, index, isNull);
    if (behind !== undefined) branches.push(all([...equals, behind]));
    equals.push(isNull ? call("$is_null", columnOf(key)) : call("$equal", columnOf(key), placeValue(key, index)));
  });
  const [first] = order;
  // Says again what the branches imply, in a form by which an engine can skip what it stores.
  if (first === undefined || place[0] === true) return any(branches);
  const near = call("$less_or_equal", columnOf(first), placeValue(first, 0));
  return all([first.nullsFirst ? near : any([near, call("$is_null", columnOf(first))]), any(branches)]);
}

/** Undefined where nothing can be behind: NULL is last. */
function isBehindInKey(key: OrderKey, index: number, isNull: boolean): Expr | undefined {
  if (isNull) return key.nullsFirst ? call("$not", call("$is_null", columnOf(key))) : undefined;
  const further = call(key.isDescending ? "$less" : "$greater", columnOf(key), placeValue(key, index));
  return key.nullsFirst ? further : any([further, call("$is_null", columnOf(key))]);
}

const span = { start: 0, end: 0 };

export function columnOf({ column }: Pick<OrderKey, "column">): Expr {
  return { kind: "Column", column, type: column.type, span };
}

function placeValue({ column }: OrderKey, index: number): Expr {
  return { kind: "Parameter", key: placeParameter(index), type: column.type, span };
}

export function call(name: string, ...args: Expr[]): Expr {
  return { kind: "Call", function: name, arguments: args, isSafe: false, type: BOOL, span };
}

function all(conditions: readonly Expr[]): Expr {
  const [only] = conditions;
  return only !== undefined && conditions.length === 1 ? only : call("$and", ...conditions);
}

function any(conditions: readonly Expr[]): Expr {
  const [only] = conditions;
  if (only === undefined) return { kind: "Literal", type: BOOL, value: "false", span };
  return conditions.length === 1 ? only : call("$or", ...conditions);
}
