/**
 * The groups with the greatest counts or sums, for APPROX_TOP_COUNT and APPROX_TOP_SUM. Keys are texts; a result is
 * `position:amount`, the position (from 1) of the group's first row and its amount, empty where all its weights were
 * NULL.
 */
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

/** The reference's bound, as for APPROX_QUANTILES. */
const LARGEST_LIMIT = 100_000n;

type Amount = bigint | number;

interface Group {
  readonly position: number;
  amount: Amount | undefined;
}

function compareAmounts(a: Group, b: Group): number {
  if (a.amount === undefined || b.amount === undefined) {
    return Number(a.amount === undefined) - Number(b.amount === undefined);
  }
  return a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1;
}

/** Groups in the order of their first rows, greatest amount first. */
function rank(
  name: string,
  keys: readonly (string | null)[],
  weightAt: (row: number) => Amount | null,
  add: (a: Amount, b: Amount) => Amount,
  limit: bigint,
): Group[] {
  if (limit < 1n || limit > LARGEST_LIMIT)
    throw new Error(`${name}: the number of values must be from 1 to ${LARGEST_LIMIT}`);
  const groups = new Map<string | null, Group>();
  keys.forEach((key, row) => {
    const weight = weightAt(row);
    if (weight !== null && !(weight >= 0)) throw new Error(`${name}: a weight must not be negative or NaN`);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { position: row + 1, amount: weight ?? undefined });
    else if (weight !== null) group.amount = group.amount === undefined ? weight : add(group.amount, weight);
  });
  return [...groups.values()].sort(compareAmounts).slice(0, Number(limit));
}

function addIntegers(a: Amount, b: Amount): Amount {
  return BigInt(a) + BigInt(b);
}

function topCounts(keys: readonly (string | null)[], limit: bigint): string[] {
  const groups = rank("APPROX_TOP_COUNT", keys, () => 1n, addIntegers, limit);
  return groups.map(({ position, amount }) => `${position}:${amount}`);
}

/** Weights are the texts of integers, or of decimals that all have the same number of digits after the point. */
function topDecimals(keys: readonly (string | null)[], weights: readonly (string | null)[], limit: bigint): string[] {
  const sample = weights.find((weight) => weight !== null) ?? "";
  const scale = sample.includes(".") ? sample.length - sample.indexOf(".") - 1 : 0;
  const weightAt = (row: number) => {
    const weight = weights[row] ?? null;
    return weight === null ? null : BigInt(weight.replace(".", ""));
  };
  const print = (amount: Amount | undefined) => {
    if (amount === undefined || scale === 0) return String(amount ?? "");
    const digits = amount.toString().padStart(scale + 1, "0");
    return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  };
  const groups = rank("APPROX_TOP_SUM", keys, weightAt, addIntegers, limit);
  return groups.map(({ position, amount }) => `${position}:${print(amount)}`);
}

function topDoubles(keys: readonly (string | null)[], weights: readonly (number | null)[], limit: bigint): string[] {
  const add = (a: Amount, b: Amount) => Number(a) + Number(b);
  const groups = rank("APPROX_TOP_SUM", keys, (row) => weights[row] ?? null, add, limit);
  return groups.map(({ position, amount }) => `${position}:${amount ?? ""}`);
}

export const topFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_top_counts", ["STRING[]", "INT64"], "STRING[]", topCounts),
  defineFunction("lw_top_decimals", ["STRING[]", "STRING[]", "INT64"], "STRING[]", topDecimals),
  defineFunction("lw_top_doubles", ["STRING[]", "FLOAT64[]", "INT64"], "STRING[]", topDoubles),
];
