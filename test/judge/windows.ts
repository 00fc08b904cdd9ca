/** Window functions: the slow way, row by row. */
import type { Expr, ResolvedFrameBound, WindowCall } from "../../src/googlesql/resolved.ts";
import { aggregate, compareKeys } from "./aggregates.ts";
import { integerOf, keyOf, Lacking, type Value } from "./values.ts";

type Evaluate<Row> = (expression: Expr, row: Row) => Value;

/** A row of a partition, with the values that sort it. */
interface Placed<Row> {
  readonly row: Row;
  readonly keys: readonly Value[];
}

/** One partition, sorted. */
interface Partition<Row> {
  readonly call: WindowCall;
  readonly rows: readonly Placed<Row>[];
  readonly evaluate: Evaluate<Row>;
}

/** The call's value for each row, in the rows' order. */
export function windowValues<Row>(call: WindowCall, rows: readonly Row[], evaluate: Evaluate<Row>): readonly Value[] {
  const partitions = new Map<string, Placed<Row>[]>();
  for (const row of rows) {
    const key = keyOf(call.partitionBy.map((expression) => evaluate(expression, row)));
    const keys = call.orderBy.map(({ expression }) => evaluate(expression, row));
    partitions.set(key, [...(partitions.get(key) ?? []), { row, keys }]);
  }
  const found = new Map<Row, Value>();
  for (const placed of partitions.values()) {
    const sorted = placed.sort((a, b) => compareKeys(call.orderBy, a.keys, b.keys));
    const partition: Partition<Row> = { call, rows: sorted, evaluate };
    for (const [index, { row }] of sorted.entries()) found.set(row, valueAt(partition, index));
  }
  return rows.map((row) => found.get(row) ?? null);
}

function arePeers<Row>({ call, rows }: Partition<Row>, a: number, b: number): boolean {
  return compareKeys(call.orderBy, rows[a]?.keys ?? [], rows[b]?.keys ?? []) === 0;
}

function valueAt<Row>(partition: Partition<Row>, index: number): Value {
  const { call, rows, evaluate } = partition;
  const count = rows.length;
  const indexes = rows.map((_, position) => position);
  const firstPeer = indexes.find((other) => arePeers(partition, other, index)) ?? index;
  const lastPeer = indexes.findLast((other) => arePeers(partition, other, index)) ?? index;
  const argument = (position: number, at: number): Value => {
    const [expression, row] = [call.arguments[position], rows[at]];
    return expression === undefined || row === undefined ? null : evaluate(expression, row.row);
  };
  switch (call.function) {
    case "ROW_NUMBER":
      return BigInt(index + 1);
    case "RANK":
      return BigInt(firstPeer + 1);
    case "DENSE_RANK":
      return BigInt(
        indexes.filter((other) => other <= index && !(other > 0 && arePeers(partition, other, other - 1))).length,
      );
    case "PERCENT_RANK":
      return count === 1 ? 0 : firstPeer / (count - 1);
    case "CUME_DIST":
      return (lastPeer + 1) / count;
    case "NTILE": {
      const buckets = Number(argument(0, index));
      const [size, larger] = [Math.floor(count / buckets), count % buckets];
      const inLarger = larger * (size + 1);
      return BigInt(
        index < inLarger ? Math.floor(index / (size + 1)) + 1 : larger + Math.floor((index - inLarger) / size) + 1,
      );
    }
    case "LAG":
    case "LEAD": {
      const offset = call.arguments[1] === undefined ? 1 : Number(argument(1, index));
      const at = call.function === "LAG" ? index - offset : index + offset;
      return at >= 0 && at < count ? argument(0, at) : argument(2, index);
    }
    default:
      return overFrame(partition, index, argument);
  }
}

function overFrame<Row>(
  partition: Partition<Row>,
  index: number,
  argument: (position: number, at: number) => Value,
): Value {
  const { call, rows, evaluate } = partition;
  const frame = frameOf(partition, index);
  if (!["FIRST_VALUE", "LAST_VALUE", "NTH_VALUE"].includes(call.function)) {
    return aggregate(
      call,
      frame.flatMap((at) => rows[at]?.row ?? []),
      evaluate,
    );
  }
  const values = frame.map((at) => argument(0, at)).filter((value) => call.nullHandling !== "IGNORE" || value !== null);
  if (call.function === "NTH_VALUE") return values[Number(argument(1, index)) - 1] ?? null;
  return values.at(call.function === "FIRST_VALUE" ? 0 : -1) ?? null;
}

/** The positions that the row's frame has. */
function frameOf<Row>(partition: Partition<Row>, index: number): readonly number[] {
  const { frame } = partition.call;
  const indexes = partition.rows.map((_, position) => position);
  if (frame === undefined) return indexes;
  const isIn = frame.unit === "ROWS" ? isWithinRows : isWithinRange;
  return indexes.filter(
    (at) => isIn(partition, frame.start, index, at, 1) && isIn(partition, frame.end, index, at, -1),
  );
}

function offsetOf<Row>(
  partition: Partition<Row>,
  { kind, offset }: Extract<ResolvedFrameBound, { offset: Expr }>,
  index: number,
): Value {
  const row = partition.rows[index];
  if (row === undefined) throw new Lacking("a row");
  const value = partition.evaluate(offset, row.row);
  return kind === "Following" ? value : typeof value === "number" ? -value : -integerOf(value);
}

/** Is the row at `at` not before the start (`side` 1), or not after the end (-1)? */
function isWithinRows<Row>(
  partition: Partition<Row>,
  bound: ResolvedFrameBound,
  index: number,
  at: number,
  side: number,
): boolean {
  if (bound.kind === "UnboundedPreceding" || bound.kind === "UnboundedFollowing") return true;
  const edge = "offset" in bound ? index + Number(offsetOf(partition, bound, index)) : index;
  return side * (at - edge) >= 0;
}

/** By the values that sort the rows: NULL and NaN are near to nothing but themselves. */
function isWithinRange<Row>(
  partition: Partition<Row>,
  bound: ResolvedFrameBound,
  index: number,
  at: number,
  side: number,
): boolean {
  if (bound.kind === "UnboundedPreceding" || bound.kind === "UnboundedFollowing") return true;
  if (arePeers(partition, at, index) && bound.kind === "CurrentRow") return true;
  const [own, other] = [partition.rows[index]?.keys[0] ?? null, partition.rows[at]?.keys[0] ?? null];
  const isNumber = (value: Value) => value !== null && !Number.isNaN(value);
  if (!("offset" in bound) || !isNumber(own) || !isNumber(other)) {
    return arePeers(partition, at, index) || side * (at - index) > 0;
  }
  const sign = partition.call.orderBy[0]?.isDescending === true ? -1 : 1;
  const distance = sign * (Number(other) - Number(own));
  return side * (distance - Number(offsetOf(partition, bound, index))) >= 0;
}
