/** Comparisons of FLOAT64, STRUCT and ARRAY with NULL and NaN. Source: "Operators" of the GoogleSQL reference. */
import { and, type CaseTable, not, or, pairs, type TableCase, type Truth } from "./table.ts";

type Value = number | null | readonly Value[];

const NUMBERS: readonly (number | null)[] = [
  null,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  0,
  1.5,
];

function print(value: Value, type: string): string {
  if (value === null) return `CAST(NULL AS ${type})`;
  if (typeof value !== "number") throw new Error("A number is expected");
  if (Number.isNaN(value)) return "CAST('nan' AS FLOAT64)";
  if (!Number.isFinite(value)) return `CAST('${value > 0 ? "" : "-"}inf' AS FLOAT64)`;
  return `${value.toFixed(1)}`;
}

function equals(a: Value, b: Value): Truth {
  if (a === null || b === null) return null;
  return a === b;
}

function isLess(a: Value, b: Value): Truth {
  if (a === null || b === null) return null;
  return a < b;
}

/** NaN is less, greater or equal to nothing, itself included. */
function compare(a: Value, b: Value): readonly Truth[] {
  const atMost = or([isLess(a, b), equals(a, b)]);
  const atLeast = or([isLess(b, a), equals(a, b)]);
  return [equals(a, b), not(equals(a, b)), isLess(a, b), atMost, isLess(b, a), atLeast];
}

const COMPARED = "x = y, x != y, x < y, x <= y, x > y, x >= y";

function comparisonsOfNumbers(): readonly TableCase[] {
  return pairs(NUMBERS, NUMBERS).flatMap(([x, y]) => {
    const [a, b] = [print(x, "FLOAT64"), print(y, "FLOAT64")];
    const asColumns = `SELECT ${COMPARED} FROM (SELECT ${a} AS x, ${b} AS y)`;
    const asLiterals = `SELECT ${COMPARED.replaceAll("x", a).replaceAll("y", b)}`;
    return [asColumns, asLiterals].map((query) => ({ query, rows: [compare(x, y)] }));
  });
}

function betweens(): readonly TableCase[] {
  return pairs(NUMBERS, pairs(NUMBERS, NUMBERS)).map(([x, [low, high]]) => {
    const isBetween = and([or([isLess(low, x), equals(low, x)]), or([isLess(x, high), equals(x, high)])]);
    const values = [x, low, high].map((value) => print(value, "FLOAT64"));
    const query = `SELECT x BETWEEN l AND h, x NOT BETWEEN l AND h FROM (SELECT ${values[0]} AS x, ${values[1]} AS l, ${values[2]} AS h)`;
    return { query, rows: [[isBetween, not(isBetween)]] };
  });
}

function memberships(): readonly TableCase[] {
  return pairs(NUMBERS, pairs(NUMBERS, NUMBERS)).flatMap(([x, [y, z]]) => {
    const isIn = or([equals(x, y), equals(x, z)]);
    const [a, b, c] = [x, y, z].map((value) => print(value, "FLOAT64"));
    const from = `FROM (SELECT ${a} AS x, ${b} AS y, ${c} AS z)`;
    return ["(y, z)", "UNNEST([y, z])", "(SELECT y UNION ALL SELECT z)"].map((set) => ({
      query: `SELECT x IN ${set}, x NOT IN ${set} ${from}`,
      rows: [[isIn, not(isIn)]],
    }));
  });
}

const FIELDS: readonly (readonly (number | null)[])[] = [
  [null, null],
  [null, 1],
  [1, null],
  [1, 1],
  [1, 2],
  [1, Number.NaN],
  [null, Number.NaN],
];

function equalFields(a: readonly Value[], b: readonly Value[]): Truth {
  return and(a.map((value, index) => equals(value, b[index] ?? null)));
}

function structs(): readonly TableCase[] {
  const struct = (values: readonly Value[]) => `STRUCT(${values.map((value) => print(value, "FLOAT64")).join(", ")})`;
  return pairs(FIELDS, FIELDS).flatMap(([x, y]) => {
    const isEqual = equalFields(x, y);
    const from = `FROM (SELECT ${struct(x)} AS x, ${struct(y)} AS y)`;
    const rows = [[isEqual, not(isEqual)]];
    return ["x = y, x != y", "x IN (y), x NOT IN (y)", "x IN UNNEST([y]), x NOT IN UNNEST([y])"].map((list) => ({
      query: `SELECT ${list} ${from}`,
      rows,
    }));
  });
}

const ARRAYS: readonly (readonly (number | null)[])[] = [...FIELDS, [], [1], [null], [Number.NaN], [1, 1, 1]];

/** Arrays of different lengths are different, whatever they hold. */
function equalArrays(a: readonly Value[], b: readonly Value[]): Truth {
  return a.length === b.length && equalFields(a, b);
}

function arrays(): readonly TableCase[] {
  const array = (values: readonly Value[]) =>
    `ARRAY<FLOAT64>[${values.map((value) => print(value, "FLOAT64")).join(", ")}]`;
  return pairs(ARRAYS, ARRAYS).flatMap(([x, y]) => {
    const isEqual = equalArrays(x, y);
    const from = `FROM (SELECT ${array(x)} AS x, ${array(y)} AS y)`;
    return [{ query: `SELECT x = y, x != y ${from}`, rows: [[isEqual, not(isEqual)]] }];
  });
}

/** Every comparison of values where NULL or NaN decides. */
export const comparisons: readonly CaseTable[] = [
  { name: "numbers compared", cases: comparisonsOfNumbers() },
  { name: "numbers between", cases: betweens() },
  { name: "numbers in sets", cases: memberships() },
  { name: "structs compared", cases: structs() },
  { name: "arrays compared", cases: arrays() },
];
