import { ServiceError } from "../../shared/errors.ts";
import { boundText } from "../bound-text.ts";
import type { RangeAggregation, Stage } from "../logql/logql-ast.ts";
import type { LokiCaller } from "../loki-caller.ts";
import { compilePipeline, compileUnwrap } from "../pipeline/compile-pipeline.ts";
import { errorDetailsLabel, errorLabel, type LineLabels } from "../pipeline/line-labels.ts";
import { type Selection, splitStages } from "../reading/build-sql.ts";
import { findTables, type LokiReader } from "../reading/find-tables.ts";
import { maxLinesRead, readLines } from "../reading/read-lines.ts";
import { readStreams } from "../reading/read-streams.ts";
import { keyOf, pickLabels, type Steps } from "./series.ts";

/** Samples of one series in the order of their times, which are microseconds since 1970. */
export interface Samples {
  readonly labels: ReadonlyMap<string, string>;
  readonly times: number[];
  readonly values: number[];
}

/** The labels that the parts of a query around a range ask for. */
export interface WantedLabels {
  readonly names: ReadonlySet<string>;
  /** Whether no others matter: what is summed by them is summed in any case. */
  readonly isAll: boolean;
}

/**
 * Reads the samples that a range aggregation needs. Where no stage needs the lines themselves, the store counts them;
 * a count then stands at the end of its part of time. Labels distinguish series, and the fields that lines were pushed
 * with; other fields of events only where they are wanted.
 */
export async function readSamples(
  caller: LokiCaller,
  range: RangeAggregation,
  steps: Steps,
  wanted: WantedLabels,
): Promise<readonly Samples[]> {
  const { query, unwrap, rangeUs, offsetUs } = range;
  const { lineFilters, rest } = splitStages(query.stages);
  const stages = leaveUnneeded(rest, range, wanted);
  const lastUs = steps.startUs + (steps.count - 1) * steps.stepUs - offsetUs;
  const firstUs = steps.startUs - offsetUs - rangeUs;
  const selection: Selection = {
    matchers: query.matchers,
    lineFilters,
    // Behind the first, up to the last: times of the store are whole microseconds.
    fromUs: BigInt(Math.floor(firstUs)) + 1n,
    toUs: BigInt(Math.floor(lastUs)) + 1n,
  };
  const readers = await findTables(caller, query.matchers);
  const fields = unwrap === undefined && stages.every(dropsErrorsOnly) ? countedFields(readers, wanted) : undefined;
  return fields === undefined
    ? collectSamples(caller, range, readers, selection, stages, wanted)
    : countSamples(caller, range, readers, selection, steps, firstUs, fields, wanted);
}

const parserKinds: ReadonlySet<Stage["kind"]> = new Set(["json", "logfmt", "pattern", "regexp", "unpack"]);
const labelKinds: ReadonlySet<Stage["kind"]> = new Set(["filter", "line_format", "label_format"]);

/** Parsers do not run where nothing looks at labels, as in Loki: a line that they cannot read is counted then. */
function leaveUnneeded(
  stages: readonly Stage[],
  { unwrap }: RangeAggregation,
  { names, isAll }: WantedLabels,
): readonly Stage[] {
  const isNeeded = !isAll || names.size > 0 || unwrap !== undefined || stages.some(({ kind }) => labelKinds.has(kind));
  return isNeeded ? stages : stages.filter(({ kind }) => !parserKinds.has(kind));
}

/** Grafana drops the labels of errors from counts; without parsers there are none. */
function dropsErrorsOnly(stage: Stage): boolean {
  return stage.kind === "drop" && stage.labels.every(({ name }) => name === errorLabel || name === errorDetailsLabel);
}

/** Fields by which the store distinguishes counted streams, at most. */
const maxCountedFields = 50;

/** The fields that the store has to distinguish streams by; undefined where it cannot determine all that is wanted. */
function countedFields(readers: readonly LokiReader[], wanted: WantedLabels): readonly string[] | undefined {
  const tables = readers.flatMap((each) => each.tables);
  if (tables.some(({ metadataNames }) => [...wanted.names].some((name) => metadataNames.has(name)))) return undefined;
  const pushed = tables.flatMap(({ pushedFields }) => pushedFields.map(({ name }) => name));
  const fields = [...new Set(pushed)].filter((name) => !wanted.isAll || wanted.names.has(name));
  return fields.length > maxCountedFields ? undefined : fields;
}

/** Whether a range aggregation sums the lengths of its lines. */
const isOfBytes = ({ operator }: RangeAggregation) => operator === "bytes_over_time" || operator === "bytes_rate";

async function countSamples(
  caller: LokiCaller,
  range: RangeAggregation,
  readers: readonly LokiReader[],
  selection: Selection,
  steps: Steps,
  firstUs: number,
  fields: readonly string[],
  wanted: WantedLabels,
): Promise<readonly Samples[]> {
  const width = steps.count === 1 ? range.rangeUs : greatestDivisor(range.rangeUs, steps.stepUs);
  const parts = { firstUs: BigInt(Math.floor(firstUs)), widthUs: BigInt(width), fields };
  const counted = await readStreams(caller, readers, selection, parts);
  const found = new Map<string, Samples>();
  for (const { labels, bucket, entries, bytes } of [...counted].sort((a, b) => a.bucket - b.bucket)) {
    const kept = pickWanted(labels, wanted);
    addSample(found, kept, firstUs + bucket * width, isOfBytes(range) ? bytes : entries);
  }
  return [...found.values()];
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

async function collectSamples(
  caller: LokiCaller,
  range: RangeAggregation,
  readers: readonly LokiReader[],
  selection: Selection,
  stages: readonly Stage[],
  wanted: WantedLabels,
): Promise<readonly Samples[]> {
  const pipeline = compilePipeline(stages);
  const unwrap = range.unwrap === undefined ? undefined : compileUnwrap(range.unwrap);
  const found = new Map<string, Samples>();
  const keep = boundText(caller);
  await readLines(caller, readers, {
    ...{ selection, order: "ASC", limit: maxLinesRead, isComplete: true },
    take({ ns, line, labels }) {
      const text = pipeline(line, labels);
      if (text === undefined) return false;
      const value = unwrap === undefined ? sizeOf(range, text) : unwrap(labels);
      if (value === undefined) return false;
      refuseErrors(labels);
      if (range.unwrap !== undefined && !(wanted.isAll && wanted.names.has(range.unwrap.label))) {
        labels.delete(range.unwrap.label);
      }
      if (addSample(found, seriesLabels(labels, wanted), Number(ns / 1000n), value)) keep("", labels);
      return false;
    },
  });
  // Each reader has an order of its own.
  return readers.length === 1 ? [...found.values()] : [...found.values()].map(sortSamples);
}

function sizeOf(range: RangeAggregation, line: string): number {
  return isOfBytes(range) ? Buffer.byteLength(line) : 1;
}

function seriesLabels(labels: LineLabels, wanted: WantedLabels): ReadonlyMap<string, string> {
  const fields = pickLabels(labels.of("metadata"), (name) => wanted.names.has(name));
  const all = new Map([...labels.of("stream"), ...labels.ofPushed(), ...fields, ...labels.of("parsed")]);
  return pickWanted(all, wanted);
}

function pickWanted(labels: ReadonlyMap<string, string>, { names, isAll }: WantedLabels): ReadonlyMap<string, string> {
  return isAll ? pickLabels(labels, (name) => names.has(name)) : labels;
}

/** Returns whether its series is a new one. */
function addSample(
  found: Map<string, Samples>,
  labels: ReadonlyMap<string, string>,
  time: number,
  value: number,
): boolean {
  const key = keyOf(labels);
  const known = found.get(key);
  const samples = known ?? { labels, times: [], values: [] };
  if (known === undefined) found.set(key, samples);
  samples.times.push(time);
  samples.values.push(value);
  return known === undefined;
}

function sortSamples({ labels, times, values }: Samples): Samples {
  const order = times.map((_, index) => index).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
  return { labels, times: order.map((at) => times[at] ?? 0), values: order.map((at) => values[at] ?? 0) };
}

/** Throws for a line that a stage could not read: a number made without it would be wrong. */
function refuseErrors(labels: LineLabels): void {
  const error = labels.get(errorLabel);
  if (error === undefined) return;
  throw new ServiceError("query_failed", `pipeline error: '${error}' (${labels.get(errorDetailsLabel) ?? ""})`, {
    hint: `Use a label filter to skip these lines, as in | ${errorLabel}=""`,
  });
}
