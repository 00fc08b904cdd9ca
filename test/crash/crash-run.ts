import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../../src/demo/random.ts";
import { waitUntil } from "../support/wait-until.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";

/** The findings of a run of the crash suite. */
export interface CrashReport {
  readonly kills: { readonly host: number; readonly service: number };
  readonly acknowledged: number;
  /** Rows of the store at the end. */
  readonly rows: number;
  readonly runs: number;
  readonly fields: number;
  readonly slowestRestartMs: number;
  /** Empty when every acknowledged event was found once. */
  readonly problems: readonly string[];
}

export interface CrashOptions {
  readonly kills: number;
  readonly seed: number;
  readonly log: (message: string) => void;
}

const clientCount = 4;
const eventsPerBatch = 200;
const hostShare = 0.7;
/** Fields that arrive one after the other, each a change of the table. */
const fieldCount = 400;
const eventsPerField = 400;
const maxLifeMs = 1_500;

interface Run {
  service: ServiceProcess;
  isEnding: boolean;
  /** Events of which each client knows that they are stored; numbers 0 to n - 1. */
  readonly acknowledged: number[];
}

/**
 * Kills the engine host or the whole service at random moments while clients send events that make it change tables,
 * make checkpoints and compact; each client sends a batch again until it is acknowledged, as senders do.
 */
export async function runCrashSuite({ kills, seed, log }: CrashOptions): Promise<CrashReport> {
  const random = createRandom(seed);
  const folder = await mkdtemp(join(tmpdir(), "logweir-crash-"));
  const problems: string[] = [];
  const run: Run = {
    service: await startServiceProcess(folder, "small"),
    isEnding: false,
    acknowledged: Array.from({ length: clientCount }, () => 0),
  };
  const counts = { host: 0, service: 0 };
  let slowestRestartMs = 0;
  const clients = run.acknowledged.map((_, client) => sendEvents(run, client, problems));
  for (let kill = 1; kill <= kills; kill++) {
    await sleep(random.next() * maxLifeMs);
    const killedAt = performance.now();
    await killOne(run, random, folder, counts);
    const before = sum(run.acknowledged);
    const found = await persist(() => readCounts(run.service));
    slowestRestartMs = Math.max(slowestRestartMs, performance.now() - killedAt);
    problems.push(...compare(found, before, Number.POSITIVE_INFINITY).map((text) => `after kill ${kill}: ${text}`));
    if (kill % 10 === 0)
      log(`${kill} kills, ${sum(run.acknowledged)} events acknowledged, ${problems.length} problems`);
  }
  run.isEnding = true;
  await Promise.all(clients);
  const total = sum(run.acknowledged);
  problems.push(...compare(await readCounts(run.service), total, total).map((text) => `at the end: ${text}`));
  const state = await run.service.state();
  // Told for a week: after any of the kills.
  const shortened = state.problems.filter(({ code }) => code === "log_shortened");
  problems.push(...shortened.map(({ message }) => `no log was cut: ${message}`));
  const edge = state.sources.find(({ name }) => name === "edge");
  await run.service.stop();
  if (problems.length === 0) await rm(folder, { recursive: true, force: true });
  else log(`the store is kept in ${folder}`);
  return {
    kills: counts,
    acknowledged: total,
    rows: state.rows,
    runs: edge?.runs ?? 0,
    fields: edge?.fields ?? 0,
    slowestRestartMs: Math.round(slowestRestartMs),
    problems,
  };
}

async function killOne(
  run: Run,
  random: Random,
  folder: string,
  counts: { host: number; service: number },
): Promise<void> {
  if (random.next() < hostShare) {
    counts.host++;
    run.service.killHost();
    return;
  }
  counts.service++;
  await run.service.killAll();
  run.service = await startServiceProcess(folder, "small");
}

async function sendEvents(run: Run, client: number, problems: string[]): Promise<void> {
  while (!run.isEnding) {
    const first = run.acknowledged[client] ?? 0;
    const lines = Array.from({ length: eventsPerBatch }, (_, index) => makeEvent(client, first + index));
    const body = lines.join("\n");
    for (let isStored = false; !isStored; ) {
      const response = await run.service.post(body).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      isStored = response?.status === 200 && text !== undefined;
      if (response !== undefined && ![200, 429, 503].includes(response.status)) {
        problems.push(`a batch was answered ${response.status} ${text}`);
        return;
      }
      if (!isStored) await sleep(20);
    }
    run.acknowledged[client] = first + eventsPerBatch;
  }
}

function makeEvent(client: number, n: number): string {
  const name = `client ${client} event ${n}`;
  const field = `field_${Math.floor(n / eventsPerField) % fieldCount}`;
  return JSON.stringify({
    id: name,
    event_message: name,
    project: `project ${(n * 7) % 13}`,
    metadata: { client, request: { path: `/rest/v1/${n % 100}`, [field]: n }, text: "x".repeat(300) },
  });
}

interface Counts {
  readonly rows: number;
  readonly ids: number;
  readonly messages: number;
}

async function readCounts(service: ServiceProcess): Promise<Counts> {
  const [row] = await service.query("crash.counts");
  return { rows: Number(row?.row_count), ids: Number(row?.id_count), messages: Number(row?.message_count) };
}

function compare({ rows, ids, messages }: Counts, atLeast: number, atMost: number): string[] {
  const problems: string[] = [];
  if (rows !== ids || rows !== messages) problems.push(`${rows} rows, ${ids} ids and ${messages} messages`);
  if (rows < atLeast) problems.push(`${atLeast - rows} acknowledged events are lost`);
  if (rows > atMost) problems.push(`${rows - atMost} events too many`);
  return problems;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** The result of the first call that succeeds: a client repeats what failed while the service was away. */
async function persist<T>(work: () => Promise<T>): Promise<T> {
  const results: T[] = [];
  await waitUntil(() =>
    work().then(
      (result) => results.push(result) > 0,
      () => false,
    ),
  );
  return results[0] as T;
}
