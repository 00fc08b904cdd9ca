import { createWay } from "../../shared/concurrency/give-way.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { Grouping, RangeAggregation } from "../logql/logql-ast.ts";
import type { LokiCaller } from "../loki-caller.ts";
import { rangeFunction } from "./range-functions.ts";
import type { Samples } from "./read-samples.ts";
import { keyOf, pickLabels, type Series, type Steps } from "./series.ts";

/** Samples that the ranges of a query have in all, at most: a sample is in each range over it. */
const maxWork = 20_000_000;

/** The values of a range aggregation at each step: of the samples behind `step - range`, up to the step itself. */
export async function evaluateRange(
  caller: Pick<LokiCaller, "checkTime">,
  range: RangeAggregation,
  samples: readonly Samples[],
  steps: Steps,
  giveWay = createWay(),
): Promise<readonly Series[]> {
  const { operator, rangeUs, offsetUs, parameter, grouping } = range;
  const compute = rangeFunction(operator, rangeUs, parameter);
  const series: Series[] = [];
  let work = 0;
  for (const { labels, times, values } of mergeSamples(samples, grouping)) {
    const computed: (number | undefined)[] = [];
    let [from, to] = [0, 0];
    for (let step = 0; step < steps.count; step++) {
      const end = steps.startUs + step * steps.stepUs - offsetUs;
      while (to < times.length && (times[to] ?? 0) <= end) to++;
      while (from < to && (times[from] ?? 0) <= end - rangeUs) from++;
      computed.push(from === to ? undefined : compute(values.slice(from, to)));
      work += to - from;
      if (work > maxWork) throw tooMuchWork();
      const turn = giveWay();
      if (turn === undefined) continue;
      caller.checkTime();
      await turn;
    }
    series.push({ labels, values: computed });
  }
  return operator === "absent_over_time" ? [absence(range, series, steps)] : series;
}

function tooMuchWork(): ServiceError {
  return new ServiceError("limit_exceeded", `The ranges of the query hold more than ${maxWork} samples in all`, {
    hint: "Take a larger step, a shorter range in brackets, or less time.",
  });
}

function mergeSamples(samples: readonly Samples[], grouping: Grouping | undefined): readonly Samples[] {
  if (grouping === undefined) return samples;
  const merged = new Map<string, { labels: ReadonlyMap<string, string>; all: [number, number][] }>();
  for (const { labels, times, values } of samples) {
    const group = groupLabels(labels, grouping);
    const key = keyOf(group);
    const into = merged.get(key) ?? { labels: group, all: [] };
    merged.set(key, into);
    for (const [index, time] of times.entries()) into.all.push([time, values[index] ?? 0]);
  }
  return [...merged.values()].map(({ labels, all }) => {
    const sorted = all.sort(([a], [b]) => a - b);
    return { labels, times: sorted.map(([time]) => time), values: sorted.map(([, value]) => value) };
  });
}

/** The labels of the group that a series is in; without a grouping all are in one. */
export function groupLabels(
  labels: ReadonlyMap<string, string>,
  grouping: Grouping | undefined,
): ReadonlyMap<string, string> {
  if (grouping === undefined) return new Map();
  return pickLabels(labels, (name) => grouping.labels.includes(name) !== grouping.isWithout);
}

/** 1 at each step of which no series has a value. */
function absence({ query }: RangeAggregation, series: readonly Series[], { count }: Steps): Series {
  const equal = query.matchers.filter(({ operator }) => operator === "=");
  const labels = new Map(equal.map(({ name, value }) => [name, value]));
  const values = Array.from({ length: count }, (_, step) => {
    return series.some((each) => each.values[step] !== undefined) ? undefined : 1;
  });
  return { labels, values };
}
