/** RANGE frames with offsets, and percentiles. Source: "Window function calls" and "Navigation functions". */
import { type CaseTable, pairs, type TableCase } from "./table.ts";
import { compareFloats, type Float, fromFloats, lists, printFloat } from "./values.ts";

/** A frame's bound: how far before (negative) or after the row; undefined where it is unbounded. */
type Bound = bigint | undefined;

function printBound(bound: Bound, end: string): string {
  if (bound === undefined) return `UNBOUNDED ${end}`;
  return bound < 0n ? `${-bound} PRECEDING` : `${bound} FOLLOWING`;
}

const MAX = 2n ** 63n - 1n;
const KEYS: readonly (bigint | null)[] = [null, null, -MAX - 1n, -MAX, -1n, 0n, 0n, 3n, MAX - 1n, MAX];
const BOUNDS: readonly (readonly [Bound, Bound])[] = [
  [-1n, 1n],
  [0n, 0n],
  [-MAX, MAX],
  [undefined, 1n],
  [-1n, undefined],
  [1n, 3n],
  [-3n, -1n],
  [-MAX, 0n],
  [1n, MAX],
];

/** Which keys are in the frame: NULLs are as far as their own peers, bounds stop at the ends of the type. */
function countIntegers(key: bigint | null, [from, to]: readonly [Bound, Bound], isDescending: boolean): number {
  const position = (value: bigint | null) => (value === null ? undefined : isDescending ? -value : value);
  const own = position(key);
  return KEYS.filter((other) => {
    const at = position(other);
    if (own === undefined || at === undefined) {
      if (own === at) return true;
      const isBefore = (at === undefined) !== isDescending;
      return isBefore ? from === undefined : to === undefined;
    }
    return (from === undefined || at >= own + from) && (to === undefined || at <= own + to);
  }).length;
}

function integerFrames(): readonly TableCase[] {
  return pairs(BOUNDS, [false, true]).map(([bounds, isDescending]) => {
    const frame = `RANGE BETWEEN ${printBound(bounds[0], "PRECEDING")} AND ${printBound(bounds[1], "FOLLOWING")}`;
    const order = isDescending ? "DESC" : "ASC";
    const keys = KEYS.map((key) => (key === null ? "NULL" : String(key))).join(", ");
    return {
      query: `SELECT COUNT(*) OVER (ORDER BY x ${order} ${frame}) FROM UNNEST(ARRAY<INT64>[${keys}]) x WITH OFFSET i ORDER BY i`,
      rows: KEYS.map((key) => [countIntegers(key, bounds, isDescending)]),
    };
  });
}

const FLOATS: readonly Float[] = [
  null,
  Number.NaN,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  -1,
  0,
  0.5,
  2,
  Number.POSITIVE_INFINITY,
];
const DISTANCES: readonly (readonly [number | undefined, number | undefined])[] = [
  [-1, 1],
  [0, 0.5],
  [undefined, 1],
  [-0.5, undefined],
  [-2, -0.5],
  [0.5, 2],
];

/** NULLs, NaNs and infinities are no distance from their peers, and no finite distance from others. */
function countFloats(
  key: Float,
  [from, to]: readonly [number | undefined, number | undefined],
  isDescending: boolean,
): number {
  return FLOATS.filter((other) => {
    const order = compareFloats(other, key) * (isDescending ? -1 : 1);
    if (key === null || !Number.isFinite(key) || other === null || !Number.isFinite(other)) {
      return order === 0 || (order < 0 ? from === undefined : to === undefined);
    }
    const distance = isDescending ? key - other : other - key;
    return (from === undefined || distance >= from) && (to === undefined || distance <= to);
  }).length;
}

function floatFrames(): readonly TableCase[] {
  const print = (bound: number | undefined, end: string) =>
    bound === undefined ? `UNBOUNDED ${end}` : bound < 0 ? `${-bound} PRECEDING` : `${bound} FOLLOWING`;
  return pairs(DISTANCES, [false, true]).map(([bounds, isDescending]) => {
    const frame = `RANGE BETWEEN ${print(bounds[0], "PRECEDING")} AND ${print(bounds[1], "FOLLOWING")}`;
    return {
      query: `SELECT COUNT(*) OVER (ORDER BY x ${isDescending ? "DESC" : "ASC"} ${frame}) ${fromFloats(FLOATS)} WITH OFFSET i ORDER BY i`,
      rows: FLOATS.map((key) => [countFloats(key, bounds, isDescending)]),
    };
  });
}

function write(value: Float): unknown {
  return value === null || Number.isFinite(value) ? value : Number.isNaN(value) ? "NaN" : String(value);
}

function interpolate(sorted: readonly Float[], share: number): Float {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)] ?? null, sorted[Math.ceil(place)] ?? null];
  const weight = place - Math.floor(place);
  if (weight === 0) return low;
  if (low === null || high === null) return low ?? high;
  return low * (1 - weight) + high * weight;
}

/** One row, since all rows of a partition have the same percentile. */
function percentiles(): readonly TableCase[] {
  const values: readonly Float[] = [null, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.5e308];
  return pairs(lists(values, 2), pairs([0, 0.25, 0.5, 1], [true, false])).map(([list, [share, respects]]) => {
    const sorted = [...list].sort(compareFloats).filter((value) => respects || value !== null);
    const nulls = respects ? " RESPECT NULLS" : "";
    const call = (name: string) => `PERCENTILE_${name}(x, ${share.toFixed(2)}${nulls}) OVER ()`;
    const discrete = sorted[Math.max(Math.ceil(share * sorted.length), 1) - 1] ?? null;
    return {
      query: `SELECT ${call("CONT")}, ${call("DISC")} ${fromFloats(list)} LIMIT 1`,
      rows: [[write(interpolate(sorted, share)), write(discrete)]],
    };
  });
}

function wrongOffsets(): readonly TableCase[] {
  const offsets = ["-1", "CAST(NULL AS INT64)", printFloat(Number.NaN)];
  return pairs(offsets, ["PRECEDING", "FOLLOWING"]).map(([offset, side]) => ({
    query: `SELECT SUM(x) OVER (ORDER BY x RANGE BETWEEN ${side === "PRECEDING" ? `${offset} PRECEDING AND CURRENT ROW` : `CURRENT ROW AND ${offset} FOLLOWING`}) FROM UNNEST([1.0, 2.0]) x`,
    error: /offset/,
  }));
}

/** Frames and percentiles where keys are extreme, infinite, NaN or NULL. */
export const frames: readonly CaseTable[] = [
  { name: "RANGE frames over INT64", cases: integerFrames() },
  { name: "RANGE frames over FLOAT64", cases: floatFrames() },
  { name: "wrong offsets of RANGE frames", cases: wrongOffsets() },
  { name: "percentiles", cases: percentiles() },
];
