/** Prints reports as tables. */
import type { IngestReport, IngestResult } from "./measure-ingest.ts";
import type { PeerFacts, QueriesReport, QueryResult } from "./measure-queries.ts";
import type { ServiceReport } from "./measure-service.ts";
import type { StepCosts } from "./measure-steps.ts";
import type { PeerName } from "./peers/peer.ts";
import { type BenchQuery, benchQueries, variedQueries } from "./queries.ts";

/** Columns as wide as their widest cell, the first to the left and the others to the right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    "| " +
    `${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}

export const milliseconds = (value: number | undefined) =>
  value === undefined ? "" : value.toFixed(value < 10 ? 2 : 1);
export const megabytes = (bytes: number | undefined) => (bytes === undefined ? "" : (bytes / 1e6).toFixed(0));
export const ratioText = (value: number) => (value < 0.1 ? value.toPrecision(2) : value.toFixed(2));

function ratioCell(ours: QueryResult | undefined, theirs: QueryResult | undefined, target: number): string {
  if (ours === undefined || theirs === undefined) return "";
  const ratio = ours.timing.medianMs / theirs.timing.medianMs;
  return `${ratioText(ratio)} ${ratio <= target ? "<=" : "OVER"} ${target}`;
}

function queryRow(report: QueriesReport, query: BenchQuery): string[] {
  const find = (peer: PeerName) => report.results.find((result) => result.key === query.key && result.peer === peer);
  const [ours, clickhouse, postgres] = [find("logweir"), find("clickhouse"), find("postgres")];
  return [
    query.title,
    String(ours?.rowCount ?? ""),
    milliseconds(ours?.timing.medianMs),
    milliseconds(ours?.firstMs),
    milliseconds(ours?.timing.p99Ms),
    milliseconds(ours?.engineMs),
    milliseconds(clickhouse?.timing.medianMs),
    milliseconds(clickhouse?.firstMs),
    ratioCell(ours, clickhouse, query.targets.clickhouse),
    milliseconds(postgres?.timing.medianMs),
    milliseconds(postgres?.firstMs),
    ratioCell(ours, postgres, query.targets.postgres),
  ];
}

function factsRow(facts: PeerFacts, eventCount: number): string[] {
  const rate = facts.loadSeconds === undefined ? "" : Math.round(eventCount / facts.loadSeconds).toString();
  return [
    `${facts.peer} ${facts.version}`,
    rate,
    megabytes(facts.diskBytes),
    megabytes(facts.loadPeakBytes),
    megabytes(facts.queryPeakBytes),
  ];
}

/** The table of queries with ratios and targets, and the table of what each peer took. */
export function formatQueries(report: QueriesReport): string {
  const queries = formatTable(
    [
      "warm median ms",
      "rows",
      ...["logweir", "first", "p99", "engine"],
      ...["clickhouse", "first", "ratio, target"],
      ...["postgres", "first", "ratio, target"],
    ],
    [...benchQueries, ...variedQueries].map((query) => queryRow(report, query)),
  );
  const facts = formatTable(
    ["peer", "load events/s", "disk MB", "load peak MB", "query peak MB"],
    report.facts.map((each) => factsRow(each, report.eventCount)),
  );
  const differences = report.results
    .filter(({ difference }) => difference !== undefined)
    .map(({ key, peer, difference }) => `DIFFERENT ANSWERS: ${key}, logweir and ${peer}: ${difference}`);
  return [`${report.eventCount} events`, "", queries, "", facts, ...differences].join("\n");
}

function ingestRow(result: IngestResult, ours: IngestResult | undefined): string[] {
  const ratio = ours === undefined ? undefined : ours.eventsPerSecond / result.eventsPerSecond;
  return [
    `${result.peer}, ${result.clients} clients x ${result.eventsPerInsert}`,
    Math.round(result.eventsPerSecond).toString(),
    ratio === undefined || result === ours ? "" : ratioText(ratio),
    milliseconds(result.medianMs),
    milliseconds(result.p99Ms),
    milliseconds(result.p999Ms),
    milliseconds(result.slowestMs),
    result.cpuMicrosPerEvent.toFixed(0),
    megabytes(result.peakBytes),
    megabytes(result.diskBytes),
  ];
}

/** The table of durable inserts. */
export function formatIngest(report: IngestReport): string {
  const ours = report.batches.find(({ peer }) => peer === "logweir");
  return formatTable(
    [
      "durable inserts",
      "events/s",
      "logweir is x",
      "median ms",
      "p99",
      "p99.9",
      "slowest",
      "CPU us/event",
      "peak MB",
      "disk MB",
    ],
    [
      ...report.batches.map((result) => ingestRow(result, ours)),
      ...report.singles.map((result) => ingestRow(result, undefined)),
    ],
  );
}

/** The maximum time of a redacted answer, as a multiple of a plain one. */
const maxRedactionRatio = 1.5;

/** The table of what the service adds, and its memory. */
export function formatService(report: ServiceReport): string {
  const table = formatTable(
    ["ms", "at rest", "engine", "own part", "hand-written", "ratio", "under load", "ratio", "p99 under load"],
    report.queries.map(({ key, atRest, engineMs, handWritten, underLoad }) => [
      key,
      milliseconds(atRest.medianMs),
      milliseconds(engineMs),
      milliseconds(engineMs === undefined ? undefined : atRest.medianMs - engineMs),
      milliseconds(handWritten?.medianMs),
      handWritten === undefined ? "" : ratioText(atRest.medianMs / handWritten.medianMs),
      milliseconds(underLoad.medianMs),
      ratioText(underLoad.medianMs / atRest.medianMs),
      milliseconds(underLoad.p99Ms),
    ]),
  );
  const lines = [
    `${report.eventCount} events; under load: ${Math.round(report.mixedEventsPerSecond)} events/s come in`,
    `memory idle, empty store: ${megabytes(report.idleBytes)} MB the service, ` +
      `${megabytes(report.idleTreeBytes)} MB with the engine host`,
    `memory under load, with the engine host: ${megabytes(report.mixedPeakBytes)} MB`,
  ];
  const redaction = formatTable(
    ["redaction, ms", "rows", "redacted places", "plain", "redacted", "ratio, target"],
    report.redaction.map(({ key, rowCount, redactedCount, plainMs, redactedMs, ratio }) => [
      key,
      String(rowCount),
      String(redactedCount),
      milliseconds(plainMs),
      milliseconds(redactedMs),
      `${ratioText(ratio)} ${ratio <= maxRedactionRatio ? "<=" : "OVER"} ${maxRedactionRatio}`,
    ]),
  );
  return [...lines, "", table, "", redaction].join("\n");
}

/** The table of an event's steps. */
export function formatSteps(costs: StepCosts): string {
  return formatTable(
    ["step", "us of processor time an event"],
    [...costs].map(([step, us]) => [step, us.toFixed(1)]),
  );
}
