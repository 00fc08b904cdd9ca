import { Counter, Gauge, type MetricType, Registry } from "prom-client";
import type { Alerts } from "../../alerts/alerts.ts";
import type { Drains, RuleStatus } from "../../drains/drains.ts";
import { drainOutcomes } from "../../drains/position.ts";
import { groupBy } from "../../shared/group-by.ts";
import type { Forgetting } from "../../sources/forgetting.ts";
import type { AppDependencies } from "../app-context.ts";
import type { LogNotes } from "../plugins/access-log.ts";
import { createLatencies, type Latencies } from "./latencies.ts";

/**
 * The metrics for Prometheus. Labels are names of endpoints and sources that exist, and words of this file: never a
 * value of a caller.
 */
export interface Metrics {
  /** Counts a request whose answer is sent, or whose caller is gone. */
  observe(notes: LogNotes, status: number, seconds: number): void;
  /** Notes how long a cached answer took that is counted by `countHits`. */
  observeHit(endpoint: string, seconds: number): void;
  /** Counts cached answers of one endpoint and status. */
  countHits(endpoint: string, status: number, count: number): void;
  /** Everything in the text format of Prometheus, and its media type. */
  read(): Promise<{ readonly text: string; readonly mediaType: string }>;
}

/** For the size of the store, which waits for a compaction. */
const spaceTimeoutMs = 2_000;
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Watched = Pick<
  AppDependencies,
  "runner" | "cache" | "sources" | "dataThrough" | "audit" | "syslogCounts" | "drains" | "alerts" | "forgetting"
>;

export function createMetrics(watched: Watched): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const { requests, lookups, stored } = createCounters(registers);
  const latencies = createLatencies(latencyBuckets);
  addDurations(registers, latencies);
  addLosses(registers, watched);
  addLoad(registers, watched);
  addNewestEvents(registers, watched.sources, watched.dataThrough);
  if (watched.drains !== undefined) addDrains(registers, watched.drains);
  if (watched.alerts !== undefined) addAlerts(registers, watched.alerts);
  if (watched.forgetting !== undefined) addDeletions(registers, watched.forgetting);
  return {
    observe({ endpoint, cache: result, source, events, rejected, untimed, tenantless }, status, seconds) {
      requests.inc({ endpoint: endpoint ?? "", status: String(status) });
      if (endpoint !== undefined) latencies.observe(endpoint, result ?? "none", seconds);
      if (result !== undefined) lookups.inc({ result });
      if (source !== undefined && events !== undefined) stored.inc({ source, outcome: "stored" }, events);
      if (source !== undefined && rejected !== undefined) stored.inc({ source, outcome: "rejected" }, rejected);
      if (source !== undefined && untimed !== undefined) stored.inc({ source, outcome: "untimed" }, untimed);
      if (source !== undefined && tenantless !== undefined) stored.inc({ source, outcome: "tenantless" }, tenantless);
    },
    observeHit: (endpoint, seconds) => latencies.observe(endpoint, "hit", seconds),
    countHits(endpoint, status, count) {
      requests.inc({ endpoint, status: String(status) }, count);
      lookups.inc({ result: "hit" }, count);
    },
    read: async () => ({ text: await registry.metrics(), mediaType: registry.contentType }),
  };
}

/** Creates the metrics that are counted as events happen. */
function createCounters(registers: Registry[]) {
  const requests = new Counter({
    name: "logweir_requests_total",
    help: "Requests by endpoint (empty for other routes) and status.",
    labelNames: ["endpoint", "status"],
    registers,
  });
  const lookups = new Counter({
    name: "logweir_cache_lookups_total",
    help: "Calls of endpoints whose answers are cached: hit or miss.",
    labelNames: ["result"],
    registers,
  });
  const stored = new Counter({
    name: "logweir_ingest_events_total",
    help:
      "Events by source: stored, rejected, and those of the stored whose timestamp could not be read (untimed) " +
      "or that name no tenant (tenantless).",
    labelNames: ["source", "outcome"],
    registers,
  });
  return { requests, lookups, stored };
}

/** A histogram that is kept by ourselves, since the library's own takes as long as a cached answer. */
function addDurations(registers: Registry[], latencies: Latencies): void {
  const name = "logweir_request_duration_seconds";
  const durations = new Gauge({
    name,
    help: "Time to answer calls of endpoints, by how the cache took part: hit, miss, or none.",
    registers,
  });
  const described = durations.get.bind(durations);
  durations.get = async () => ({
    ...(await described()),
    // An enum that the library declares and does not export.
    type: "histogram" as unknown as MetricType,
    values: latencies.samples(name),
  });
}

type Values = Iterable<readonly [labels: Readonly<Record<string, string>>, value: number]>;

interface ReadMetric {
  /** Without `logweir_`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: string[];
  read(): Values | Promise<Values>;
}

/** A kind of metric of the library, with one number for each set of labels. */
type MetricKind = new (
  configuration: Omit<ReadMetric, "read"> & { readonly registers: Registry[]; collect(): Promise<void> },
) => Pick<Gauge, "reset" | "inc">;

/** Adds a metric whose values another component has: they are read whenever the metrics are. */
function addRead(Kind: MetricKind, registers: Registry[], { name, read, ...described }: ReadMetric): void {
  const metric = new Kind({
    name: `logweir_${name}`,
    ...described,
    registers,
    async collect() {
      const values = await read();
      metric.reset();
      for (const [labels, value] of values) metric.inc(labels, value);
    },
  });
}

/** Counts by the values of one label. */
function labelled(label: string, counts: Readonly<Record<string, number>>): Values {
  return Object.entries(counts).map(([value, count]) => [{ [label]: value }, count]);
}

/** Adds counters of losses that other components count. */
function addLosses(registers: Registry[], { audit, syslogCounts }: Pick<Watched, "audit" | "syslogCounts">): void {
  addRead(Counter, registers, {
    name: "audit_dropped_total",
    help: "Events of the audit that were lost, since too many waited to be written.",
    read: () => [[{}, audit.droppedCount]],
  });
  addRead(Counter, registers, {
    name: "syslog_messages_total",
    help: "Messages that came over syslog: stored, or dropped since too many waited or a tenant sent too many.",
    labelNames: ["outcome"],
    read: () => labelled("outcome", syslogCounts?.() ?? {}),
  });
}

/** How busy the service is, and what it holds. */
function addLoad(registers: Registry[], { runner, cache }: Pick<Watched, "runner" | "cache">): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    addRead(Gauge, registers, { name, help, read: async () => [[{}, await read()]] });
  gauge("queries_running", "Queries that run now.", () => runner.admission.load.running);
  gauge("queries_waiting", "Queries that wait for their turn.", () => runner.admission.load.waiting);
  gauge("cache_entries", "Cached answers.", () => cache.size.entries);
  gauge("cache_bytes", "Memory of the cached answers.", () => cache.size.bytes);
  gauge("service_memory_bytes", "Resident memory of the service.", () => process.memoryUsage.rss());
  gauge("engine_memory_bytes", "Resident memory of the engine's process; 0 where unknown.", async () => {
    return (await runner.engine.memoryBytes?.()) ?? 0;
  });
  const { store } = runner.engine;
  if (store.space !== undefined) {
    // A deletion makes it unknown for moments, in which it is not 0.
    let usedBytes = 0;
    gauge(
      "store_used_bytes",
      "What stored events take, without what is free to be used again, as it was last known; 0 before that.",
      async () => {
        const space = await store.space?.(AbortSignal.timeout(spaceTimeoutMs)).catch(() => undefined);
        usedBytes = space?.usedBytes ?? usedBytes;
        return usedBytes;
      },
    );
  }
  if (store.spool === undefined) return;
  gauge("spooled_bytes", "Acknowledged events on this node's disk, until ClickHouse answers.", () => {
    return store.spool?.().waitingBytes ?? 0;
  });
  gauge("spool_refused_events", "Acknowledged events on this node's disk that ClickHouse refuses.", () => {
    return store.spool?.().refusedEvents ?? 0;
  });
}

function addNewestEvents(
  registers: Registry[],
  registry: AppDependencies["sources"],
  dataThrough: AppDependencies["dataThrough"],
): void {
  const newest = new Gauge({
    name: "logweir_source_newest_event_timestamp_seconds",
    help:
      "When the newest event of a source happened, in seconds since 1970: what the clock shows beyond it is the " +
      "lag.",
    labelNames: ["source"],
    registers,
    collect() {
      for (const { name } of registry.sources) {
        const us = dataThrough.newestOf(name);
        if (us !== undefined) newest.set({ source: name }, Number(us) / 1e6);
      }
    },
  });
}

function addDeletions(registers: Registry[], forgetting: Forgetting): void {
  addRead(Counter, registers, {
    name: "deleted_events_total",
    help: "Events that this service deleted, by source and by what asked for it: request, retention, or size.",
    labelNames: ["source", "reason"],
    read: () => forgetting.deletedCounts.map(({ count, ...labels }) => [labels, count]),
  });
}

function addDrains(registers: Registry[], drains: Drains): void {
  const labelNames = ["backend", "source"];
  // Thousands of rules may have the same labels, and each value that is added to a metric costs microseconds.
  const groups = () =>
    [
      ...groupBy(drains.status(), ({ backend, rule }) =>
        JSON.stringify({ backend: backend.name, source: rule.source }),
      ),
    ].map(([labels, rules]) => {
      const sum = (countOf: (rule: RuleStatus) => number) => rules.reduce((total, rule) => total + countOf(rule), 0);
      return { labels: JSON.parse(labels) as Readonly<Record<string, string>>, sum };
    });
  addRead(Counter, registers, {
    name: "drain_events_total",
    help: "Events of drains by what became of them: delivered, refused, dropped, removed, excluded or looped.",
    labelNames: [...labelNames, "outcome"],
    read: () =>
      groups().flatMap(({ labels, sum }) => {
        return drainOutcomes.map((outcome) => [{ ...labels, outcome }, sum((rule) => rule[outcome])] as const);
      }),
  });
  addRead(Counter, registers, {
    name: "drain_failures_total",
    help: "Requests to destinations that failed and were repeated.",
    labelNames,
    read: () => groups().map(({ labels, sum }) => [labels, sum(({ failures }) => failures)]),
  });
  addRead(Gauge, registers, {
    name: "drain_waiting_events",
    help: "Events that are not drained yet, those among them that a rule's query may leave out.",
    labelNames,
    read: () => groups().map(({ labels, sum }) => [labels, sum(({ waiting }) => waiting)]),
  });
  addRead(Gauge, registers, {
    name: "drain_waiting_bytes",
    help: "Disk that the keys of events take which wait to be drained.",
    read: () => [[{}, drains.waitingBytes]],
  });
}

function addAlerts(registers: Registry[], alerts: Pick<Alerts, "figures">): void {
  addRead(Counter, registers, {
    name: "alert_runs_total",
    help: "Runs of alerts: whose rows met the condition, met it not (quiet), or failed.",
    labelNames: ["outcome"],
    read: () => labelled("outcome", alerts.figures().runs),
  });
  addRead(Counter, registers, {
    name: "alert_run_seconds_total",
    help: "Time that runs of alerts took, without waiting for a turn.",
    read: () => [[{}, alerts.figures().runSeconds]],
  });
  addRead(Counter, registers, {
    name: "alert_notices_total",
    help: "Notices by what became of them at a destination: delivered, refused, or dropped since too many waited.",
    labelNames: ["outcome"],
    read: () => labelled("outcome", alerts.figures().notices),
  });
  addRead(Counter, registers, {
    name: "alert_failures_total",
    help: "Notices that a destination did not take, and that are sent again.",
    read: () => [[{}, alerts.figures().failures]],
  });
  addRead(Gauge, registers, {
    name: "alert_waiting_notices",
    help: "Notices that some destination has yet to take.",
    read: () => [[{}, alerts.figures().waiting]],
  });
  addRead(Gauge, registers, {
    name: "alert_late_seconds",
    help: "For how long the run of an alert that has waited longest for its turn has been due.",
    read: () => [[{}, alerts.figures().lateSeconds]],
  });
  addRead(Gauge, registers, {
    name: "alerts",
    help: "Alerts by status: ok, pending, firing, resolved, failing, or off. On several nodes, the leader counts them.",
    labelNames: ["status"],
    read: () => labelled("status", alerts.figures().alerts),
  });
}
