import type { VectorAggregation, VectorOperator } from "../logql/logql-ast.ts";
import { groupLabels } from "./evaluate-range.ts";
import { variance } from "./range-functions.ts";
import { keyOf, type Series, type Steps } from "./series.ts";

type Combine = (values: readonly number[]) => number;

const sum: Combine = (values) => values.reduce((a, b) => a + b, 0);
const combine: Readonly<Partial<Record<VectorOperator, Combine>>> = {
  sum,
  avg: (values) => sum(values) / values.length,
  min: (values) => values.reduce((a, b) => (a > b || Number.isNaN(a) ? b : a)),
  max: (values) => values.reduce((a, b) => (a < b || Number.isNaN(a) ? b : a)),
  count: (values) => values.length,
  stdvar: variance,
  stddev: (values) => Math.sqrt(variance(values)),
};

/** The values of an aggregation over series, at each step. */
export function evaluateVector(
  { operator, parameter = 1, grouping }: VectorAggregation,
  inner: readonly Series[],
  steps: Steps,
): readonly Series[] {
  if (operator === "sort" || operator === "sort_desc") return sortSeries(inner, operator === "sort_desc");
  const groups = new Map<string, { readonly labels: ReadonlyMap<string, string>; readonly series: Series[] }>();
  for (const series of inner) {
    const labels = groupLabels(series.labels, grouping);
    const key = keyOf(labels);
    const group = groups.get(key) ?? { labels, series: [] };
    groups.set(key, group);
    group.series.push(series);
  }
  const compute = combine[operator];
  if (compute === undefined) {
    const isTop = operator === "topk";
    return [...groups.values()].flatMap(({ series }) => keepMost(series, parameter, isTop, steps));
  }
  return [...groups.values()].map(({ labels, series }) => ({
    labels,
    values: Array.from({ length: steps.count }, (_, step) => {
      const values = series.flatMap((each) => each.values[step] ?? []);
      return values.length === 0 ? undefined : compute(values);
    }),
  }));
}

/** Orders by the values of the first step, the only one where an order is shown. */
function sortSeries(series: readonly Series[], isDescending: boolean): readonly Series[] {
  const direction = isDescending ? -1 : 1;
  return [...series].sort((a, b) => compareNumbers(a.values[0], b.values[0]) * direction);
}

/** NaN is the smallest. */
function compareNumbers(a = Number.NaN, b = Number.NaN): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  return a - b;
}

function keepMost(series: readonly Series[], count: number, isTop: boolean, steps: Steps): readonly Series[] {
  const kept = series.map(() => new Array<number | undefined>(steps.count).fill(undefined));
  for (let step = 0; step < steps.count; step++) {
    const present = series.flatMap((each, index) => {
      const value = each.values[step];
      return value === undefined ? [] : [{ index, value }];
    });
    present.sort((a, b) => compareNumbers(a.value, b.value) * (isTop ? -1 : 1));
    for (const { index, value } of present.slice(0, count)) (kept[index] as (number | undefined)[])[step] = value;
  }
  return series.map(({ labels }, index) => ({ labels, values: kept[index] ?? [] }));
}
