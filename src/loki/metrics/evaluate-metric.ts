import { ServiceError } from "../../shared/errors.ts";
import type {
  LabelReplacement,
  MetricQuery,
  RangeAggregation,
  RangeOperator,
  VectorAggregation,
} from "../logql/logql-ast.ts";
import type { LokiCaller } from "../loki-caller.ts";
import { compileRegexp } from "../pipeline/regexp.ts";
import { type Evaluated, evaluateBinary } from "./evaluate-binary.ts";
import { evaluateRange } from "./evaluate-range.ts";
import { evaluateVector } from "./evaluate-vector.ts";
import { readSamples, type WantedLabels } from "./read-samples.ts";
import { keyOf, type Series, type Steps } from "./series.ts";

/** Series of a query's part at most, as labels that distinguish every line would make one of each. */
const maxSeries = 5_000;
/** Values of all series of a part together. */
const maxValues = 5_000_000;
/** Range aggregations in one query at most: each is a run. */
const maxRanges = 20;

/** Evaluates a metric query at each step. Throws `ServiceError`. */
export async function evaluateMetric(caller: LokiCaller, query: MetricQuery, steps: Steps): Promise<Evaluated> {
  const count = countRanges(query);
  if (count > maxRanges) {
    throw new ServiceError("limit_exceeded", `The query has ${count} range aggregations; it may have ${maxRanges}`);
  }
  return evaluate(caller, query, steps, { names: new Set(), isAll: false });
}

function countRanges(query: MetricQuery): number {
  if (query.kind === "range") return 1;
  if (query.kind === "binary") return countRanges(query.left) + countRanges(query.right);
  return "inner" in query ? countRanges(query.inner) : 0;
}

/** `wanted` are the labels that parts around this one group, pair or rename by. */
async function evaluate(
  caller: LokiCaller,
  query: MetricQuery,
  steps: Steps,
  wanted: WantedLabels,
): Promise<Evaluated> {
  const alsoWanted = (names: readonly string[]) => ({ names: new Set([...wanted.names, ...names]), isAll: false });
  switch (query.kind) {
    case "number":
      return { scalar: query.value };
    case "vector":
      return { series: [{ labels: new Map(), values: new Array<number>(steps.count).fill(query.value) }] };
    case "range": {
      const names = wantedOfRange(query, wanted);
      const samples = bounded(await readSamples(caller, query, steps, names), steps);
      return { series: await evaluateRange(caller, query, samples, steps) };
    }
    case "aggregate": {
      // Groups within groups: what the outer one asks for has to come through the inner one.
      const names = sumsRange(query)
        ? { names: new Set(query.grouping?.labels), isAll: true }
        : alsoWanted(groupedBy(query.grouping));
      const inner = await evaluate(caller, query.inner, steps, names);
      return { series: evaluateVector(query, seriesOf(inner, query.operator), steps) };
    }
    case "label_replace": {
      const inner = await evaluate(caller, query.inner, steps, alsoWanted([query.source]));
      return { series: replaceLabels(query, seriesOf(inner, "label_replace")) };
    }
    case "binary": {
      const names = alsoWanted(query.matching?.isOn === true ? query.matching.labels : []);
      const left = await evaluate(caller, query.left, steps, names);
      const right = await evaluate(caller, query.right, steps, names);
      const result = evaluateBinary(query, left, right, steps);
      if ("series" in result) bounded(result.series, steps);
      return result;
    }
  }
}

/** Samples that a range groups are merged by its labels; where a time is absent, none matters. */
function wantedOfRange({ grouping, operator }: RangeAggregation, wanted: WantedLabels): WantedLabels {
  if (operator === "absent_over_time") return { names: new Set(), isAll: true };
  if (grouping === undefined || grouping.isWithout) return wanted;
  return { names: new Set(grouping.labels), isAll: true };
}

const summable: ReadonlySet<RangeOperator> = new Set([
  ...(["count_over_time", "rate", "bytes_over_time", "bytes_rate", "sum_over_time"] as const),
]);

/** Whether a sum is the same of whatever series its range has: the range itself is a sum. */
function sumsRange({ operator, grouping, inner }: VectorAggregation): boolean {
  const isSum = operator === "sum" && grouping?.isWithout !== true;
  return isSum && inner.kind === "range" && inner.grouping === undefined && summable.has(inner.operator);
}

function groupedBy(grouping: { readonly isWithout: boolean; readonly labels: readonly string[] } | undefined) {
  return grouping === undefined || grouping.isWithout ? [] : grouping.labels;
}

function bounded<T>(series: readonly T[], { count }: Steps): readonly T[] {
  if (series.length <= maxSeries && series.length * count <= maxValues) return series;
  throw new ServiceError("limit_exceeded", `The query makes ${series.length} series; it may make ${maxSeries}`, {
    hint: "Group by fewer labels, drop labels that differ in every line, or take a larger step.",
  });
}

function seriesOf(evaluated: Evaluated, operator: string): readonly Series[] {
  if ("series" in evaluated) return evaluated.series;
  throw new ServiceError("invalid_query", `${operator} takes series, not a number`);
}

function replaceLabels(node: LabelReplacement, series: readonly Series[]): readonly Series[] {
  const { target, replacement, source, pattern } = node;
  const regexp = compileRegexp(`^(?:${pattern})$`);
  const replaced = series.map(({ labels, values }) => {
    const value = regexp.expand(labels.get(source) ?? "", replacement);
    if (value === undefined) return { labels, values };
    const changed = new Map(labels);
    if (value === "") changed.delete(target);
    else changed.set(target, value);
    return { labels: changed, values };
  });
  if (new Set(replaced.map(({ labels }) => keyOf(labels))).size === replaced.length) return replaced;
  throw new ServiceError("invalid_query", "label_replace makes several series of the same labels");
}
