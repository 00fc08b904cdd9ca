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
  /** Events that were deleted, tenant by tenant. */
  readonly deleted: number;
  /** Rows of the store at the end. */
  readonly rows: number;
  /** The length of the file at the end, and the part of it that is free. */
  readonly fileBytes: number;
  readonly freeBytes: number;
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
/** Events of a client that are sent while one tenant is being filled; every second event is that tenant's. */
const waveSize = 2_000;
/** Free bytes that a file may keep: those of the longest run, since it is written anew before the old one is free. */
const keptBytes = 8 * 1024 ** 2;

interface Run {
  service: ServiceProcess;
  isEnding: boolean;
  /** Tenants whose deletion was acknowledged: `gone 0` to `gone n - 1`. */
  deletedWaves: number;
  /** Events of which each client knows that they are stored; numbers 0 to n - 1. */
  readonly acknowledged: number[];
}

/**
 * Kills the engine host or the whole service at random moments while clients send events that make it change tables,
 * make checkpoints and compact; each client sends a batch again until it is acknowledged, as senders do. Another
 * deletes half of them, a tenant at a time once it is filled, so that the store gives the disk back meanwhile.
 */
export async function runCrashSuite({ kills, seed, log }: CrashOptions): Promise<CrashReport> {
  const random = createRandom(seed);
  const folder = await mkdtemp(join(tmpdir(), "logweir-crash-"));
  const problems: string[] = [];
  const run: Run = {
    service: await startServiceProcess(folder, "small"),
    isEnding: false,
    deletedWaves: 0,
    acknowledged: Array.from({ length: clientCount }, () => 0),
  };
  const counts = { host: 0, service: 0 };
  let slowestRestartMs = 0;
  const clients = [
    ...run.acknowledged.map((_, client) => sendEvents(run, client, problems)),
    deleteWaves(run, problems),
  ];
  for (let kill = 1; kill <= kills; kill++) {
    await sleep(random.next() * maxLifeMs);
    const killedAt = performance.now();
    await killOne(run, random, folder, counts);
    const [before, deleted] = [countKept(run), run.deletedWaves];
    const found = await persist(() => readCounts(run.service));
    slowestRestartMs = Math.max(slowestRestartMs, performance.now() - killedAt);
    const back = await persist(() => findDeleted(run.service, deleted));
    problems.push(
      ...[...compare(found, before, Number.POSITIVE_INFINITY), ...back].map((text) => `after kill ${kill}: ${text}`),
    );
    if (kill % 10 === 0)
      log(`${kill} kills, ${sum(run.acknowledged)} events acknowledged, ${problems.length} problems`);
  }
  run.isEnding = true;
  await Promise.all(clients);
  const total = countKept(run);
  const atEnd = [
    ...compare(await readCounts(run.service), total, total),
    ...(await findDeleted(run.service, run.deletedWaves)),
    ...(await findIncomplete(run)),
  ];
  problems.push(...atEnd.map((text) => `at the end: ${text}`));
  const state = await readShortened(run.service, problems);
  // Told for a week: after any of the kills.
  const shortened = state.problems.filter(({ code }) => code === "log_shortened");
  problems.push(...shortened.map(({ message }) => `no log was cut: ${message}`));
  const edge = state.sources.find(({ name }) => name === "edge");
  await run.service.stop();
  if (problems.length === 0) await rm(folder, { recursive: true, force: true });
  else log(`the store is kept in ${folder}`);
  return {
    kills: counts,
    acknowledged: sum(run.acknowledged),
    deleted: (run.deletedWaves * clientCount * waveSize) / 2,
    rows: state.rows,
    fileBytes: state.file_bytes,
    freeBytes: state.reusable_bytes,
    runs: edge?.runs ?? 0,
    fields: edge?.fields ?? 0,
    slowestRestartMs: Math.round(slowestRestartMs),
    problems,
  };
}

/** The state once the disk is given back. */
async function readShortened(service: ServiceProcess, problems: string[]): ReturnType<ServiceProcess["state"]> {
  const isShort = async () => {
    const { file_bytes: fileBytes, reusable_bytes: freeBytes } = await service.state();
    return freeBytes <= (fileBytes - freeBytes) * 0.1 + keptBytes;
  };
  await waitUntil(isShort).catch(() => problems.push("the disk of deleted events is not given back"));
  return service.state();
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

/** Deletes each tenant of a wave once all of its events are acknowledged, again until that is. */
async function deleteWaves(run: Run, problems: string[]): Promise<void> {
  while (!run.isEnding) {
    const filled = Math.floor(Math.min(...run.acknowledged) / waveSize);
    if (run.deletedWaves >= filled) {
      await sleep(20);
      continue;
    }
    const response = await run.service.deleteTenant(`gone ${run.deletedWaves}`).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response?.status === 200 && text !== undefined) run.deletedWaves++;
    else if (response !== undefined && ![200, 429, 503].includes(response.status)) {
      problems.push(`a deletion was answered ${response.status} ${text}`);
      return;
    } else await sleep(20);
  }
}

/** Events that are acknowledged and of no tenant that is deleted at some time. */
function countKept({ acknowledged }: Run): number {
  return sum(acknowledged) / 2;
}

/** Tells of tenants that have events after their deletion was acknowledged. */
async function findDeleted(service: ServiceProcess, deletedWaves: number): Promise<readonly string[]> {
  const waves = await readWaves(service);
  return [...waves].flatMap(([wave, rows]) => (wave < deletedWaves ? [`${rows} deleted events of wave ${wave}`] : []));
}

/** Tells of tenants that are not deleted and have other events than those that were acknowledged. */
async function findIncomplete({ service, acknowledged, deletedWaves }: Run): Promise<readonly string[]> {
  const waves = await readWaves(service);
  const last = Math.floor(Math.max(...acknowledged) / waveSize);
  const problems: string[] = [];
  // The first of them may have lost events to a deletion that was not answered.
  for (let wave = deletedWaves + 1; wave <= last; wave++) {
    const inWave = acknowledged.map((count) => Math.min(Math.max(count - wave * waveSize, 0), waveSize) / 2);
    const rows = waves.get(wave) ?? 0;
    if (rows !== sum(inWave)) problems.push(`${rows} events of wave ${wave} instead of ${sum(inWave)}`);
  }
  return problems;
}

async function readWaves(service: ServiceProcess): Promise<ReadonlyMap<number, number>> {
  const rows = await service.query("crash.waves");
  return new Map(
    rows.flatMap(({ project, row_count: count }) => {
      const [, wave] = /^gone (\d+)$/.exec(String(project)) ?? [];
      return wave === undefined ? [] : [[Number(wave), Number(count)] as const];
    }),
  );
}

/** A text that hardly compresses, the same for the same number. */
function makeText(n: number): string {
  const random = createRandom(n);
  return Array.from({ length: 30 }, () => random.next().toString(36).slice(2, 12)).join("");
}

function makeEvent(client: number, n: number): string {
  const name = `client ${client} event ${n}`;
  const field = `field_${Math.floor(n / eventsPerField) % fieldCount}`;
  return JSON.stringify({
    id: name,
    event_message: name,
    project: n % 2 === 0 ? `project ${(n * 7) % 13}` : `gone ${Math.floor(n / waveSize)}`,
    metadata: { client, request: { path: `/rest/v1/${n % 100}`, [field]: n }, text: makeText(n) },
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
