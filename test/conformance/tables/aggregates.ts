/** Sums, means and statistics at the ends of their types, and HAVING MAX and MIN. Source: "Aggregate functions". */
import { type CaseTable, pairs, type TableCase } from "./table.ts";
import { compareFloats, type Float, fromFloats, lists, printFloat } from "./values.ts";

const { POSITIVE_INFINITY: INF, NaN: NAN } = Number;

/** The sum in whole units of 2^971, of which the largest doubles are made: exact for large values. */
function sumLarge(values: readonly number[]): number | undefined {
  const unit = 2 ** 971;
  const total = values.reduce((sum, value) => sum + BigInt(value / unit), 0n);
  return total > 2n ** 53n - 1n || total < -(2n ** 53n - 1n) ? undefined : Number(total) * unit;
}

const LARGE = [2 ** 1023, -(2 ** 1023), 1.5 * 2 ** 1022];

function sumOf(values: readonly Float[]): number | null | undefined {
  const present = values.filter((value) => value !== null);
  if (present.length === 0) return null;
  if (present.every(Number.isFinite)) return sumLarge(present);
  return present.filter((value) => !Number.isFinite(value)).reduce((sum, value) => sum + value, 0);
}

function write(value: number | null): unknown {
  return value === null || Number.isFinite(value) ? value : Number.isNaN(value) ? "NaN" : String(value);
}

function floatSums(): readonly TableCase[] {
  return lists<Float>([...LARGE, INF, -INF, NAN, null], 3).flatMap((values) => {
    const total = sumOf(values);
    const calls = ["SUM(x)", "SUM(x HAVING MAX TRUE)", "MAX(s) FROM (SELECT SUM(x) OVER () AS s"];
    return calls.slice(0, values.length < 3 ? 3 : 1).map((call): TableCase => {
      const query = `SELECT ${call} ${fromFloats(values)}${call.includes("OVER") ? ")" : ""}`;
      return total === undefined ? { query, error: /overflow/ } : { query, rows: [[write(total)]] };
    });
  });
}

function floatMeans(): readonly TableCase[] {
  return lists<Float>([...LARGE, null], 3).flatMap((values) => {
    const present = values.filter((value) => value !== null);
    const mean = present.length === 0 ? null : present.reduce((sum, value) => sum + value / present.length, 0);
    return ["AVG(x)", "MAX(a) FROM (SELECT AVG(x) OVER () AS a"].map((call) => ({
      query: `SELECT ${call} ${fromFloats(values)}${call.includes("OVER") ? ")" : ""}`,
      rows: [[mean]],
    }));
  });
}

interface Decimal {
  readonly name: string;
  readonly scale: number;
  readonly max: bigint;
  readonly min: bigint;
}

const DECIMALS: readonly Decimal[] = [
  { name: "NUMERIC", scale: 9, max: 10n ** 38n - 1n, min: 1n - 10n ** 38n },
  { name: "BIGNUMERIC", scale: 38, max: 2n ** 255n - 1n, min: -(2n ** 255n) },
];

function formatScaled(value: bigint, scale: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const fraction = digits.slice(-scale).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -scale)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Halves away from zero. */
function divide(value: bigint, by: bigint): bigint {
  const magnitude = (2n * (value < 0n ? -value : value) + by) / (2n * by);
  return value < 0n ? -magnitude : magnitude;
}

function decimalAggregates(type: Decimal): readonly TableCase[] {
  const { name, scale, max, min } = type;
  return lists([max, min + 1n, max / 2n, 1n], 3).flatMap((values) => {
    const texts = values.map((value) => `${name} '${formatScaled(value, scale)}'`);
    const from = `FROM UNNEST([${texts.join(", ")}]) x`;
    const total = values.reduce((sum, value) => sum + value, 0n);
    const n = BigInt(values.length);
    const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const place = 5n * (n - 1n);
    const low = sorted[Number(place / 10n)] ?? 0n;
    const high = sorted[Number(place / 10n) + (place % 10n === 0n ? 0 : 1)] ?? 0n;
    const median = divide(low + high, 2n);
    const sum: TableCase =
      total > max || total < min
        ? { query: `SELECT SUM(x) ${from}`, error: /overflow/ }
        : { query: `SELECT SUM(x) ${from}`, rows: [[formatScaled(total, scale)]] };
    return [
      sum,
      { query: `SELECT AVG(x) ${from}`, rows: [[formatScaled(divide(total, n), scale)]] },
      {
        query: `SELECT DISTINCT PERCENTILE_CONT(x, ${name} '0.5') OVER () ${from}`,
        rows: [[formatScaled(median, scale)]],
      },
    ];
  });
}

/** Months, days and microseconds. */
type Interval = readonly [bigint, bigint, bigint];

const INTERVALS: readonly Interval[] = [
  [1n, 0n, 0n],
  [-14n, 3n, -5n],
  [120_000n, -3_660_000n, 0n],
  [0n, 3_660_000n, 316_224_000_000_000_000n],
  [0n, 2n, 1_000_001n],
];

function formatInterval([months, days, micros]: Interval): string {
  const sign = (value: bigint) => (value < 0n ? "-" : "");
  const size = (value: bigint) => (value < 0n ? -value : value);
  const seconds = size(micros) / 1_000_000n;
  const rest = (size(micros) % 1_000_000n).toString().padStart(6, "0");
  const fraction = rest === "000000" ? "" : `.${rest.endsWith("000") ? rest.slice(0, 3) : rest}`;
  const clock = `${sign(micros)}${seconds / 3600n}:${(seconds / 60n) % 60n}:${seconds % 60n}${fraction}`;
  return `${sign(months)}${size(months) / 12n}-${size(months) % 12n} ${days} ${clock}`;
}

function isInRange([months, days, micros]: Interval): boolean {
  const within = (value: bigint, limit: bigint) => value <= limit && value >= -limit;
  return within(months, 120_000n) && within(days, 3_660_000n) && within(micros, 316_224_000_000_000_000n);
}

function intervalAggregates(): readonly TableCase[] {
  return lists(INTERVALS, 3).flatMap((values) => {
    const from = `FROM UNNEST([${values.map((value) => `INTERVAL '${formatInterval(value)}' YEAR TO SECOND`).join(", ")}]) x`;
    const field = (index: 0 | 1 | 2) => values.reduce((sum, value) => sum + value[index], 0n);
    const total: Interval = [field(0), field(1), field(2)];
    const n = BigInt(values.length);
    const days = total[1] + (total[0] % n) * 30n;
    const mean: Interval = [total[0] / n, days / n, (total[2] + (days % n) * 86_400_000_000n) / n];
    return [
      { name: "SUM", value: total },
      { name: "AVG", value: mean },
    ].map(({ name, value }): TableCase => {
      const query = `SELECT ${name}(x) ${from}`;
      return isInRange(value) ? { query, rows: [[formatInterval(value)]] } : { query, error: /out of range|Interval/i };
    });
  });
}

function statistics(): readonly TableCase[] {
  const values: readonly Float[] = [null, NAN, INF, 1, 2 ** 600, -(2 ** 600)];
  return lists(values, 3).flatMap((list) => {
    const present = list.filter((value) => value !== null);
    const n = present.length;
    const areFinite = present.every(Number.isFinite);
    // In units of 2^600, beside which 1 is nothing.
    const units = present.map((value) => (Math.abs(value) > 1 ? value / 2 ** 600 : 0));
    const mean = units.reduce((sum, value) => sum + value, 0) / n;
    const spread = units.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    const deviation = (divisor: number): unknown => {
      if (divisor <= 0) return null;
      return areFinite ? Math.sqrt(spread / divisor) * 2 ** 600 : "NaN";
    };
    const variance = (divisor: number): unknown => {
      if (divisor <= 0) return null;
      return !areFinite ? "NaN" : spread === 0 ? 0 : "Infinity";
    };
    const rows = [[deviation(n - 1), deviation(n), variance(n - 1), variance(n)]];
    return [{ query: `SELECT STDDEV(x), STDDEV_POP(x), VAR_SAMP(x), VAR_POP(x) ${fromFloats(list)}`, rows }];
  });
}

/** Rows whose key is the greatest (least): none where a NaN is among the keys. */
function restricted(): readonly TableCase[] {
  const keys: readonly Float[] = [null, NAN, INF, -INF, 1];
  return pairs(lists(keys, 3), ["MAX", "MIN"] as const).map(([list, kind]) => {
    const present = list.filter((key) => key !== null);
    const sorted = [...present].sort(compareFloats);
    const best = present.some(Number.isNaN) ? undefined : kind === "MAX" ? sorted.at(-1) : sorted[0];
    const kept = list.flatMap((key, index) => (best !== undefined && key === best ? [index] : []));
    const rows = list.map((key, index) => `(${printFloat(key)}, ${index})`).join(", ");
    const calls = [
      "COUNT(* HAVING @)",
      "COUNT(i HAVING @)",
      "SUM(i HAVING @)",
      "ARRAY_AGG(i HAVING @)",
      "MIN(i HAVING @)",
    ];
    const query = `SELECT ${calls.join(", ").replaceAll("@", `${kind} k`)} FROM UNNEST(ARRAY<STRUCT<k FLOAT64, i INT64>>[${rows}])`;
    const sum = kept.reduce((total, index) => total + index, 0);
    const isEmpty = kept.length === 0;
    return {
      query,
      rows: [
        [kept.length, kept.length, isEmpty ? null : sum, isEmpty ? null : kept, isEmpty ? null : (kept[0] ?? null)],
      ],
    };
  });
}

/** Aggregates where values are extreme, infinite, NaN or NULL. */
export const aggregates: readonly CaseTable[] = [
  { name: "SUM of FLOAT64", cases: floatSums() },
  { name: "AVG of FLOAT64", cases: floatMeans() },
  ...DECIMALS.map((type) => ({ name: `aggregates of ${type.name}`, cases: decimalAggregates(type) })),
  { name: "aggregates of INTERVAL", cases: intervalAggregates() },
  { name: "deviations and variances", cases: statistics() },
  { name: "HAVING MAX and MIN", cases: restricted() },
];
