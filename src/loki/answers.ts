import type { Evaluated } from "./metrics/evaluate-binary.ts";
import type { Series, Steps } from "./metrics/series.ts";
import type { StoredLine } from "./reading/read-lines.ts";

/** Loki's answers: https://grafana.com/docs/loki/latest/reference/loki-http-api/ */
export function succeed(data: object | string): object {
  return { status: "success", data };
}

/** The part of a query's statistics that is known here. */
const statistics = (entries: number) => ({ summary: { totalEntriesReturned: entries } });

type Value = readonly [ns: string, line: string] | readonly [ns: string, line: string, categories: object];

/** The text by which Loki orders streams. */
function textOfLabels(labels: ReadonlyMap<string, string>): string {
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(", ")}}`;
}

/**
 * Lines by their streams, which are in the order of their labels. With `isCategorized` (the header `X-Loki-Response-Encoding-Flags: categorize-labels`) a
 * stream has the labels of the store alone, and each line shows its other fields and what stages made. Without it, what
 * stages made and what the line was pushed with is part of the stream, and other fields are left out.
 */
export function writeStreams(lines: readonly StoredLine[], isCategorized: boolean): object {
  const streams = new Map<string, { readonly stream: object; readonly values: Value[] }>();
  for (const line of lines) {
    const { stream, value } = writeLine(line, isCategorized);
    const key = textOfLabels(stream);
    const found = streams.get(key) ?? { stream: Object.fromEntries(stream), values: [] };
    streams.set(key, found);
    found.values.push(value);
  }
  return {
    resultType: "streams",
    ...(isCategorized ? { encodingFlags: ["categorize-labels"] } : {}),
    result: [...streams].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, stream]) => stream),
    stats: statistics(lines.length),
  };
}

/** A line, and the labels of the stream that it is returned in. */
export function writeLine(
  { ns, line, labels }: StoredLine,
  isCategorized: boolean,
): { readonly stream: ReadonlyMap<string, string>; readonly value: Value } {
  const [stream, parsed] = [labels.of("stream"), labels.of("parsed")];
  if (!isCategorized) {
    return { stream: new Map([...stream, ...labels.ofPushed(), ...parsed]), value: [String(ns), line] };
  }
  return { stream, value: [String(ns), line, categorize(labels.of("metadata"), parsed)] };
}

function categorize(metadata: ReadonlyMap<string, string>, parsed: ReadonlyMap<string, string>): object {
  return {
    ...(metadata.size === 0 ? {} : { structuredMetadata: Object.fromEntries(metadata) }),
    ...(parsed.size === 0 ? {} : { parsed: Object.fromEntries(parsed) }),
  };
}

/** The values of a range query. */
export function writeMatrix(evaluated: Evaluated, steps: Steps): object {
  const series =
    "series" in evaluated
      ? evaluated.series
      : [{ labels: new Map<string, string>(), values: new Array<number>(steps.count).fill(evaluated.scalar) }];
  const result = inOrder(series).flatMap(({ labels, values }) => {
    const points = values.flatMap((value, step) => {
      return value === undefined ? [] : [[secondsOf(steps, step), formatNumber(value)] as const];
    });
    return points.length === 0 ? [] : [{ metric: Object.fromEntries(labels), values: points }];
  });
  return { resultType: "matrix", result, stats: statistics(result.length) };
}

/** The values of an instant query; `isSorted` where the query orders them itself. */
export function writeVector(evaluated: Evaluated, steps: Steps, isSorted: boolean): object {
  const time = secondsOf(steps, 0);
  if ("scalar" in evaluated) {
    return { resultType: "scalar", result: [time, formatNumber(evaluated.scalar)], stats: statistics(1) };
  }
  const series = isSorted ? evaluated.series : inOrder(evaluated.series);
  const result = series.flatMap(({ labels, values: [value] }) => {
    return value === undefined ? [] : [{ metric: Object.fromEntries(labels), value: [time, formatNumber(value)] }];
  });
  return { resultType: "vector", result, stats: statistics(result.length) };
}

/** Series in the order of their labels: by the first that differs in name or value, the shorter before the longer. */
function inOrder(series: readonly Series[]): readonly Series[] {
  const keyed = series.map((each) => [[...each.labels].sort(([a], [b]) => (a < b ? -1 : 1)).flat(), each] as const);
  return keyed.sort(([a], [b]) => compareTexts(a, b)).map(([, each]) => each);
}

function compareTexts(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((text, index) => text !== b[index]);
  if (at === -1) return a.length - b.length;
  const [one = "", other] = [a[at], b[at]];
  return other !== undefined && one < other ? -1 : 1;
}

/** Unix seconds, with milliseconds as decimals. */
function secondsOf({ startUs, stepUs }: Steps, step: number): number {
  return Math.floor((startUs + step * stepUs) / 1e3) / 1e3;
}

/** A number as Go writes it without an exponent. */
function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  const text = String(value);
  const [, sign = "", whole = "", decimals = "", exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const shift = Number(exponent);
  const digits = whole + decimals;
  if (shift < 0) return `${sign}0.${"0".repeat(-shift - whole.length)}${digits}`;
  return `${sign}${digits.padEnd(shift + whole.length, "0")}`;
}
