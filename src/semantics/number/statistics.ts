/**
 * Variances, deviations, covariances and correlations of what DuckDB's own do not take. See functions/statistical.ts.
 */
import { BIGNUMERIC_DECIMAL, parseDecimal } from "../../values/decimal.ts";
import { defineFunction, type ScalarFunction, withoutNulls } from "../scalar-function.ts";

/** Moments of pairs of numbers: their count, means and mean products of the distances from them. */
interface Moments {
  readonly count: number;
  readonly meanX: number;
  readonly meanY: number;
  readonly varianceX: number;
  readonly varianceY: number;
  readonly covariance: number;
}

/** By the distances from the first, so that equal values have no variance. */
function mean(values: readonly number[]): number {
  const [first = 0] = values;
  return values.reduce((sum, value) => sum + (value - first) / values.length, first);
}

function momentsOf(xs: readonly number[], ys: readonly number[]): Moments {
  const count = xs.length;
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const average = (product: (index: number) => number) => mean(xs.map((_, index) => product(index)));
  const dx = (index: number) => (xs[index] ?? 0) - meanX;
  const dy = (index: number) => (ys[index] ?? 0) - meanY;
  return {
    count,
    meanX,
    meanY,
    varianceX: average((index) => dx(index) * dx(index)),
    varianceY: average((index) => dy(index) * dy(index)),
    covariance: average((index) => dx(index) * dy(index)),
  };
}

/** The moments of both groups of pairs together. */
function join(a: Moments, b: Moments): Moments {
  if (a.count === 0) return b;
  const count = a.count + b.count;
  const [shareA, shareB] = [a.count / count, b.count / count];
  const [dx, dy] = [b.meanX - a.meanX, b.meanY - a.meanY];
  return {
    count,
    meanX: a.meanX + dx * shareB,
    meanY: a.meanY + dy * shareB,
    varianceX: a.varianceX * shareA + b.varianceX * shareB + dx * dx * shareA * shareB,
    varianceY: a.varianceY * shareA + b.varianceY * shareB + dy * dy * shareA * shareB,
    covariance: a.covariance * shareA + b.covariance * shareB + dx * dy * shareA * shareB,
  };
}

/** A power of two near the largest magnitude: to divide by it loses no digit. */
function scaleOf(values: readonly number[]): number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return largest === 0 ? 1 : 2 ** Math.min(Math.floor(Math.log2(largest)), 1023);
}

function read(name: string, moments: Moments, scaleX: number, scaleY: number): number | null {
  const { count, varianceX, varianceY, covariance } = moments;
  const isSample = name.endsWith("_samp");
  if (count === 0 || ((isSample || name === "corr") && count < 2)) return null;
  const correction = isSample ? count / (count - 1) : 1;
  if (name.startsWith("stddev")) return Math.sqrt(varianceX * correction) * scaleX;
  if (name.startsWith("var")) return varianceX * correction * scaleX * scaleX;
  if (name.startsWith("covar")) return covariance * correction * scaleX * scaleY;
  return covariance / Math.sqrt(varianceX) / Math.sqrt(varianceY);
}

/** `small` is count, mean and variance of x, the same of y and the covariance, if there are any. */
function statistic(
  small: readonly (number | null)[],
  left: readonly (number | null)[],
  right: readonly (number | null)[],
  name: string,
): number | null {
  const xs = withoutNulls(left);
  const isPair = name === "corr" || name.startsWith("covar");
  const ys = isPair ? withoutNulls(right) : xs;
  const [count, meanX, varianceX, meanY, varianceY, covariance] = small.map((value) => value ?? 0);
  const total = (count ?? 0) + xs.length;
  const areFinite = [...xs, ...ys].every(Number.isFinite);
  if (!areFinite) return (name.endsWith("_samp") || name === "corr") && total < 2 ? null : Number.NaN;
  const [scaleX, scaleY] = [scaleOf([...xs, meanX ?? 0]), scaleOf([...ys, (isPair ? meanY : meanX) ?? 0])];
  const known: Moments = {
    count: count ?? 0,
    meanX: (meanX ?? 0) / scaleX,
    meanY: (meanY ?? 0) / scaleY,
    varianceX: (varianceX ?? 0) / scaleX / scaleX,
    varianceY: (varianceY ?? 0) / scaleY / scaleY,
    covariance: (covariance ?? 0) / scaleX / scaleY,
  };
  const large = momentsOf(
    xs.map((x) => x / scaleX),
    ys.map((y) => y / scaleY),
  );
  return read(name, xs.length === 0 ? known : join(known, large), scaleX, scaleY);
}

const parse = (text: string): bigint => parseDecimal(text, BIGNUMERIC_DECIMAL) ?? 0n;

/** The quotient as the nearest double, of integers of any size. */
function ratio(numerator: bigint, denominator: bigint): number {
  const digits = 40n;
  const shift = BigInt(denominator.toString().length) + digits;
  return Number(`${(numerator * 10n ** shift) / denominator}e-${shift}`);
}

/** Computes a statistic of decimals as texts, exact up to the last step. */
function decimalStatistic(
  left: readonly (string | null)[],
  right: readonly (string | null)[],
  name: string,
): number | null {
  const xs = withoutNulls(left).map(parse);
  const isPair = name === "corr" || name.startsWith("covar");
  const ys = isPair ? withoutNulls(right).map(parse) : xs;
  const n = BigInt(xs.length);
  const isSample = name.endsWith("_samp");
  if (n === 0n || ((isSample || name === "corr") && n < 2n)) return null;
  const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
  const spread = (a: readonly bigint[], b: readonly bigint[]) =>
    n * sum(a.map((value, index) => value * (b[index] ?? 0n))) - sum(a) * sum(b);
  if (name === "corr") {
    const [x, y] = [spread(xs, xs), spread(ys, ys)];
    if (x === 0n || y === 0n) return Number.NaN;
    return ratio(spread(xs, ys), 1n) / Math.sqrt(ratio(x, 1n)) / Math.sqrt(ratio(y, 1n));
  }
  const value = ratio(spread(xs, ys), n * (isSample ? n - 1n : n) * BIGNUMERIC_DECIMAL.one ** 2n);
  return name.startsWith("stddev") ? Math.sqrt(value) : value;
}

export const statisticsFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_statistic", ["FLOAT64[]", "FLOAT64[]", "FLOAT64[]", "STRING"], "FLOAT64", statistic),
  defineFunction("lw_decimal_statistic", ["STRING[]", "STRING[]", "STRING"], "FLOAT64", decimalStatistic),
];
