import { ServiceError } from "../shared/errors.ts";
import { succeed, writeMatrix, writeStreams, writeVector } from "./answers.ts";
import { boundText } from "./bound-text.ts";
import type { LogQuery, Matcher, MetricQuery, Stage } from "./logql/logql-ast.ts";
import { parseLogql, parseSelector } from "./logql/parse-logql.ts";
import { printLogql } from "./logql/print-logql.ts";
import { parseBytes, parseGoDuration } from "./logql/scan-logql.ts";
import type { LokiCaller } from "./loki-caller.ts";
import { evaluateMetric } from "./metrics/evaluate-metric.ts";
import { keyOf } from "./metrics/series.ts";
import { compilePipeline } from "./pipeline/compile-pipeline.ts";
import { errorDetailsLabel, errorLabel, LineLabels } from "./pipeline/line-labels.ts";
import { extractJson } from "./pipeline/parse-json-line.ts";
import { extractLogfmt } from "./pipeline/parse-logfmt-line.ts";
import {
  mostLines,
  readDirection,
  readInstant,
  readInterval,
  readLimit,
  readLineLimit,
  readQuery,
  readRange,
  readSteps,
  type Sent,
  type TimeRange,
} from "./read-request.ts";
import { type Selection, splitStages } from "./reading/build-sql.ts";
import { findTables } from "./reading/find-tables.ts";
import { maxLinesRead, readLines, type StoredLine } from "./reading/read-lines.ts";
import { readPatterns } from "./reading/read-patterns.ts";
import { type CountedStream, readStreams } from "./reading/read-streams.ts";

/** A request: who sends it, what it sends, and when. */
export interface LokiRequest {
  readonly caller: LokiCaller;
  readonly sent: Sent;
  /** Every value of parameters that may be sent several times. */
  readonly matches: readonly string[];
  readonly nowMs: number;
  /** Whether the client asks to distinguish fields and labels. */
  readonly isCategorized: boolean;
}

/** `query_range`: lines, or the values of a metric query at each step. */
export async function queryRange({ caller, sent, nowMs, isCategorized }: LokiRequest): Promise<object> {
  const query = parseLogql(readQuery(sent, caller));
  const range = readRange(sent, nowMs, 1);
  if (query.kind === "log") {
    const [limit, intervalNs] = [readLineLimit(sent, caller), readInterval(sent)];
    const lines = await findLines(caller, query, range, readDirection(sent), limit, intervalNs);
    return succeed(writeStreams(lines, isCategorized));
  }
  const steps = readSteps(sent, range);
  return succeed(writeMatrix(await evaluateMetric(caller, query, steps), steps));
}

/** `format_query`: the query as it is laid out for readers. */
export async function formatQuery({ caller, sent }: LokiRequest): Promise<object> {
  return succeed(printLogql(parseLogql(readQuery(sent, caller))));
}

/** `query`: the values of a metric query at one time. */
export async function queryInstant({ caller, sent, nowMs }: LokiRequest): Promise<object> {
  const query = parseLogql(readQuery(sent, caller));
  if (query.kind === "log") {
    throw new ServiceError(
      "invalid_query",
      "log queries are not supported as an instant query type, please change your query to a range query type",
    );
  }
  const steps = readInstant(sent, nowMs);
  return succeed(writeVector(await evaluateMetric(caller, query, steps), steps, isSorted(query)));
}

/** Whether a part of a query orders its series. */
function isSorted(query: MetricQuery): boolean {
  if (query.kind === "aggregate" && query.operator.startsWith("sort")) return true;
  if (query.kind === "binary") return isSorted(query.left) || isSorted(query.right);
  return "inner" in query && isSorted(query.inner);
}

/** Lines of one microsecond that are read at most beyond a limit. */
const sameMicrosecond = 100;

async function findLines(
  caller: LokiCaller,
  { matchers, stages }: LogQuery,
  { startNs, endNs }: TimeRange,
  order: "ASC" | "DESC",
  limit: number,
  intervalNs = 0n,
): Promise<readonly StoredLine[]> {
  const { lineFilters, rest } = splitStages(stages);
  const pipeline = compilePipeline(rest);
  const selection: Selection = { matchers, lineFilters, ...toWindow(startNs, endNs) };
  const readers = await findTables(caller, matchers);
  const isExact = startNs % 1000n === 0n && endNs % 1000n === 0n;
  const dropsNone = isExact && intervalNs === 0n && rest.every(({ kind }) => kind !== "line" && kind !== "filter");
  const enough = intervalNs === 0n ? limit : maxLinesRead;
  const lines: StoredLine[] = [];
  const keep = boundText(caller);
  for (const reader of readers) {
    let count = 0;
    let lastUs = -1n;
    await readLines(caller, [reader], {
      ...{ selection, order, limit: dropsNone ? limit + sameMicrosecond : maxLinesRead, isComplete: !dropsNone },
      take({ ns, line, labels }) {
        // Nanoseconds decide which lines of the last microsecond are reported.
        if (count >= enough && ns / 1000n !== lastUs) return true;
        const text = ns >= startNs && ns < endNs ? pipeline(line, labels) : undefined;
        if (text === undefined) return false;
        keep(text, labels);
        lines.push({ ns, line: text, labels });
        count++;
        lastUs = ns / 1000n;
        return false;
      },
    });
  }
  // Readers have an order of their own each, and the store's ends with microseconds.
  lines.sort((a, b) => Number(a.ns - b.ns) * (order === "ASC" ? 1 : -1));
  return (intervalNs === 0n ? lines : leaveApart(lines, intervalNs)).slice(0, limit);
}

/** The lines that are at least an interval behind the one before them that is reported. */
function leaveApart(lines: readonly StoredLine[], intervalNs: bigint): readonly StoredLine[] {
  let last: bigint | undefined;
  return lines.filter(({ ns }) => {
    const distance = last === undefined ? intervalNs : ns > last ? ns - last : last - ns;
    if (distance < intervalNs) return false;
    last = ns;
    return true;
  });
}

/** The microseconds that hold the nanoseconds of a range. */
function toWindow(startNs: bigint, endNs: bigint): Pick<Selection, "fromUs" | "toUs"> {
  return { fromUs: startNs / 1000n, toUs: (endNs + 999n) / 1000n };
}

async function countLines(
  { caller, sent, nowMs }: LokiRequest,
  matchers: readonly Matcher[],
): Promise<readonly CountedStream[]> {
  const { startNs, endNs } = readRange(sent, nowMs, 6);
  const readers = await findTables(caller, matchers);
  return readStreams(caller, readers, { matchers, lineFilters: [], ...toWindow(startNs, endNs) });
}

/** The matchers of the parameter `query`; none where it is not there. */
function readMatchers({ sent }: LokiRequest): readonly Matcher[] {
  const query = sent.get("query")?.trim() ?? "";
  return query === "" || query === "{}" ? [] : parseSelector(query).matchers;
}

/** `labels`: the names of the labels that lines of the time have. */
export async function listLabels(request: LokiRequest): Promise<object> {
  const streams = await countLines(request, readMatchers(request));
  return succeed([...new Set(streams.flatMap(({ labels }) => [...labels.keys()]))].sort());
}

/** `label/{name}/values` */
export async function listLabelValues(request: LokiRequest, name: string): Promise<object> {
  const streams = await countLines(request, readMatchers(request));
  return succeed([...new Set(streams.flatMap(({ labels }) => labels.get(name) ?? []))].sort());
}

/** `series`: the labels of each stream that one of the selectors finds. */
export async function listSeries(request: LokiRequest): Promise<object> {
  const { matches } = request;
  if (matches.length > 20) throw new ServiceError("limit_exceeded", "A request may have 20 selectors (match[])");
  const selectors = matches.length === 0 ? [[]] : matches.map((each) => parseSelector(each).matchers);
  const found = new Map<string, object>();
  for (const matchers of selectors) {
    for (const { labels } of await countLines(request, matchers)) found.set(keyOf(labels), Object.fromEntries(labels));
  }
  return succeed([...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, labels]) => labels));
}

/** `index/stats`: streams, lines and bytes; there are no chunks here. */
export async function answerStats(request: LokiRequest): Promise<object> {
  readQuery(request.sent, request.caller);
  const streams = await countLines(request, readMatchers(request));
  const sum = (read: (stream: CountedStream) => number) => streams.reduce((total, each) => total + read(each), 0);
  return {
    streams: streams.length,
    chunks: 0,
    bytes: sum(({ bytes }) => bytes),
    entries: sum(({ entries }) => entries),
  };
}

/** `detected_labels`: the labels of the streams, with how many values each has. */
export async function listDetectedLabels(request: LokiRequest): Promise<object> {
  const values = new Map<string, Set<string>>();
  for (const { labels } of await countLines(request, readMatchers(request))) {
    for (const [name, value] of labels) values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  return {
    detectedLabels: [...values].map(([label, { size }]) => ({ label, cardinality: size })).sort(byLabel),
  };
}

const byLabel = (a: { readonly label: string }, b: { readonly label: string }) => (a.label < b.label ? -1 : 1);

/** `drilldown-limits`: how many lines an answer has at most, and what else Logs Drilldown asks before it asks. */
export async function answerLimits({ caller }: LokiRequest): Promise<object> {
  const limits = {
    ...{ max_entries_limit_per_query: mostLines(caller), volume_enabled: true },
    ...{ discover_log_levels: false, discover_service_name: [] },
  };
  return { limits, pattern_ingester_enabled: true, version: "unknown" };
}

/** Rules of Loki's own ruler: there are none. Grafana asks before it lists the rules of a data source. */
export async function listRules(): Promise<object> {
  return succeed({ groups: [] });
}

/** Alerts of such rules. */
export async function listAlerts(): Promise<object> {
  return succeed({ alerts: [] });
}

/** `index/volume`: bytes by stream or by label, the largest first. */
export async function answerVolume(request: LokiRequest): Promise<object> {
  readQuery(request.sent, request.caller);
  const matchers = readMatchers(request);
  const { endNs } = readRange(request.sent, request.nowMs, 6);
  const volumes = sumVolumes(request, matchers, await countLines(request, matchers));
  const time = Number(endNs / 1_000_000n) / 1e3;
  const result = volumes.map(({ metric, bytes }) => ({ metric, value: [time, String(bytes)] }));
  return succeed({ resultType: "vector", result, stats: {} });
}

/** `index/volume_range`: the same for each step, which ends a millisecond behind the time that is reported. */
export async function answerVolumeRange(request: LokiRequest): Promise<object> {
  const { caller, sent, nowMs } = request;
  readQuery(sent, caller);
  const matchers = readMatchers(request);
  const range = readRange(sent, nowMs, 6);
  const steps = readSteps(sent, range);
  const window = toWindow(range.startNs, range.endNs);
  const readers = await findTables(caller, matchers);
  const buckets = { firstUs: window.fromUs - 1n, widthUs: BigInt(steps.stepUs), fields: [] };
  const streams = await readStreams(caller, readers, { matchers, lineFilters: [], ...window }, buckets);
  const result = sumVolumes(request, matchers, streams).map(({ metric, bytesOf }) => ({
    metric,
    values: [...bytesOf]
      .sort(([a], [b]) => a - b)
      .map(([bucket, bytes]) => [Math.floor((steps.startUs + bucket * steps.stepUs) / 1e3 - 1) / 1e3, String(bytes)]),
  }));
  return succeed({ resultType: "matrix", result, stats: {} });
}

function sumVolumes({ sent }: LokiRequest, matchers: readonly Matcher[], streams: readonly CountedStream[]) {
  const isByLabel = sent.get("aggregateBy") === "labels";
  const target = sent.get("targetLabels");
  const names = (target ?? "").split(",").filter((name) => name !== "");
  const wanted = names.length > 0 ? names : [...new Set(matchers.map(({ name }) => name))];
  const volumes = new Map<string, { metric: object; bytes: number; bytesOf: Map<number, number> }>();
  for (const { labels, bytes, bucket } of streams) {
    const shown = [...labels].filter(([name]) => wanted.includes(name));
    const metrics = isByLabel ? shown.map(([name]) => new Map([[name, ""]])) : [new Map(shown)];
    for (const metric of metrics) {
      const key = keyOf(metric);
      const volume = volumes.get(key) ?? { metric: Object.fromEntries(metric), bytes: 0, bytesOf: new Map() };
      volumes.set(key, volume);
      volume.bytes += bytes;
      volume.bytesOf.set(bucket, (volume.bytesOf.get(bucket) ?? 0) + bytes);
    }
  }
  const sorted = [...volumes.values()].sort((a, b) => b.bytes - a.bytes);
  return sorted.slice(0, readLimit(sent));
}

/** `patterns`: the kinds of the lines of streams, those of the most lines first, and how many there are at each step. */
export async function listPatterns(request: LokiRequest): Promise<object> {
  const { caller, sent, nowMs } = request;
  readQuery(sent, caller);
  const matchers = readMatchers(request);
  const range = readRange(sent, nowMs, 1);
  const { stepUs } = readSteps(sent, range);
  const readers = await findTables(caller, matchers);
  const selection = { matchers, lineFilters: [], ...toWindow(range.startNs, range.endNs) };
  const patterns = await readPatterns(caller, readers, selection, stepUs);
  return succeed(
    patterns.map(({ pattern, counts }) => ({
      pattern,
      samples: [...counts]
        .sort(([a], [b]) => a - b)
        .map(([bucket, count]) => [Math.floor((bucket * stepUs) / 1e6), count]),
    })),
  );
}

/** Lines that are looked at to find fields. */
const sampledLines = 1_000;

/** `detected_fields`: the fields of the newest lines, those that parsers make too. */
export async function listDetectedFields(request: LokiRequest): Promise<object> {
  const limit = readLimit(request.sent, 1_000);
  const fields = [...(await readFields(request))].map(([label, { values, parsers }]) => ({
    ...{ label, type: typeOf(values), cardinality: values.size, parsers: parsers.size === 0 ? null : [...parsers] },
  }));
  return { fields: fields.sort(byLabel).slice(0, limit), limit };
}

/** `detected_field/{name}/values`: those that the newest lines have. */
export async function listDetectedFieldValues(request: LokiRequest, name: string): Promise<object> {
  const limit = readLimit(request.sent, 1_000);
  const values = [...((await readFields(request)).get(name)?.values ?? [])];
  return { values: values.sort().slice(0, limit), limit };
}

async function readFields({ caller, sent, nowMs }: LokiRequest): Promise<ReadonlyMap<string, DetectedField>> {
  const query = parseLogql(readQuery(sent, caller));
  if (query.kind !== "log") throw new ServiceError("invalid_query", "detected_fields takes a log query");
  const lines = await findLines(caller, query, readRange(sent, nowMs, 1), "DESC", sampledLines);
  return detectFields(lines, query.stages);
}

function typeOf(values: ReadonlySet<string>): string {
  const all = [...values];
  if (all.every((each) => /^-?\d{1,15}$/.test(each))) return "int";
  if (all.every((each) => /^-?\d{1,15}(?:\.\d{1,15})?$/.test(each))) return "float";
  if (all.every((each) => parseGoDuration(each) !== undefined)) return "duration";
  if (all.every((each) => parseBytes(each) !== undefined)) return "bytes";
  return all.every((each) => each === "true" || each === "false") ? "boolean" : "string";
}

/** A field of some lines. */
interface DetectedField {
  readonly values: ReadonlySet<string>;
  /** The parsers that find it in lines; none for a field of the events themselves. */
  readonly parsers: ReadonlySet<string>;
}

/**
 * Finds the fields of lines, by name: those of their events, and those that the query's parsers made. Where the query
 * has none, each line is read as JSON if it is an object, else as logfmt.
 */
function detectFields(lines: readonly StoredLine[], stages: readonly Stage[]): ReadonlyMap<string, DetectedField> {
  const found = new Map<string, { readonly values: Set<string>; readonly parsers: Set<string> }>();
  const add = (labels: ReadonlyMap<string, string>, parsers: readonly string[]) => {
    for (const [name, value] of labels) {
      if (name === errorLabel || name === errorDetailsLabel) continue;
      const field = found.get(name) ?? { values: new Set(), parsers: new Set() };
      found.set(name, field);
      field.values.add(value);
      for (const parser of parsers) field.parsers.add(parser);
    }
  };
  const parsers = stages.map(({ kind }) => kind).filter((kind) => parserKinds.has(kind));
  for (const { line, labels } of lines) {
    add(labels.of("metadata"), []);
    add(labels.of("parsed"), parsers);
    if (parsers.length > 0) continue;
    const read = new LineLabels(labels.of("stream"), labels.of("metadata"));
    const isJson = line.trimStart().startsWith("{");
    if (isJson) extractJson(line, read);
    else extractLogfmt(line, { wanted: undefined, isStrict: false, keepsEmpty: false }, read);
    add(read.of("parsed"), [isJson ? "json" : "logfmt"]);
  }
  return found;
}

const parserKinds: ReadonlySet<string> = new Set(["json", "logfmt", "pattern", "regexp", "unpack"]);
