import type { RangeOperator } from "../logql/logql-ast.ts";

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;

export function variance(values: readonly number[]): number {
  const middle = mean(values);
  return sum(values.map((value) => (value - middle) ** 2)) / values.length;
}

/** The quantile of values as Prometheus interpolates it; infinite for one that is not from 0 to 1. */
function quantile(share: number, values: readonly number[]): number {
  if (values.length === 0 || Number.isNaN(share)) return Number.NaN;
  if (share < 0) return Number.NEGATIVE_INFINITY;
  if (share > 1) return Number.POSITIVE_INFINITY;
  const sorted = [...values].sort((a, b) => a - b);
  const rank = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(rank)] ?? 0, sorted[Math.ceil(rank)] ?? 0];
  const weight = rank - Math.floor(rank);
  return low * (1 - weight) + high * weight;
}

/** Computes the value of a range from its samples, of which there is at least one, in the order of their times. */
export function rangeFunction(
  operator: RangeOperator,
  rangeUs: number,
  parameter: number | undefined,
): (values: readonly number[]) => number {
  switch (operator) {
    case "count_over_time":
    case "bytes_over_time":
    case "sum_over_time":
      return sum;
    case "rate":
    case "bytes_rate":
      return (values) => sum(values) / (rangeUs / 1e6);
    case "avg_over_time":
      return mean;
    case "min_over_time":
      return (values) => values.reduce((a, b) => Math.min(a, b));
    case "max_over_time":
      return (values) => values.reduce((a, b) => Math.max(a, b));
    case "stdvar_over_time":
      return variance;
    case "stddev_over_time":
      return (values) => Math.sqrt(variance(values));
    case "quantile_over_time":
      return (values) => quantile(parameter ?? 0, values);
    case "first_over_time":
      return (values) => values[0] ?? Number.NaN;
    case "last_over_time":
      return (values) => values.at(-1) ?? Number.NaN;
    case "absent_over_time":
      return () => 1;
  }
}
