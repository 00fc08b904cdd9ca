/** `npm run soak -- --minutes 10`: steady mixed load; fails when memory grows or a call fails. Linux only. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { residentBytes } from "../../bench/processes.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";
import { runWorker } from "./worker.ts";

const eventsPerBatch = 500;
const batchesPerSecond = 3;
const readerCount = 2;
const readerPauseMs = 100;
const sampleMs = 2_000;
/** More than so much growth from the middle third of the time to the last is no noise. */
const maxGrowth = 1.15;
const maxGrowthBytes = 32 * 1024 * 1024;

interface Sample {
  readonly service: number;
  readonly host: number;
}

interface Tally {
  events: number;
  queries: number;
  failures: string[];
}

const [first, mode] = process.argv.slice(2);
if (first === "worker") await runWorker(mode === "small");
else await main();

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: "string" } } });
  const endsAt = performance.now() + Number(values.minutes ?? 10) * 60_000;
  const folder = await mkdtemp(join(tmpdir(), "logweir-soak-"));
  const service = await startServiceProcess(folder, "usual");
  const tally: Tally = { events: 0, queries: 0, failures: [] };
  const isOver = () => performance.now() >= endsAt;
  const [samples] = await Promise.all([
    sampleMemory(service, tally, isOver),
    write(service, tally, isOver),
    ...Array.from({ length: readerCount }, () => read(service, tally, isOver)),
  ]);
  await service.stop();
  await rm(folder, { recursive: true, force: true });
  report(samples, tally);
}

async function write(service: ServiceProcess, tally: Tally, isOver: () => boolean): Promise<void> {
  for (let next = performance.now(); !isOver(); next += 1_000 / batchesPerSecond) {
    const lines = Array.from({ length: eventsPerBatch }, () => makeEvent(tally.events++));
    const response = await service.post(lines.join("\n"));
    if (response.status !== 200) tally.failures.push(`ingest: ${response.status} ${await response.text()}`);
    else await response.arrayBuffer();
    await sleep(Math.max(0, next + 1_000 / batchesPerSecond - performance.now()));
  }
}

async function read(service: ServiceProcess, tally: Tally, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const project = `project ${n % 13}`;
    // Nothing whose own need grows with the store, as counting different ids does.
    const sql = "SELECT COUNT(*) AS n FROM edge_logs";
    await service
      .query("logs.all", n % 20 === 0 ? { project, sql } : { project })
      .catch((error: unknown) => tally.failures.push(`query: ${error}`));
    tally.queries++;
    await sleep(readerPauseMs);
  }
}

function makeEvent(n: number): string {
  return JSON.stringify({
    id: `soak ${n}`,
    event_message: `GET | 200 | /rest/v1/items/${n}`,
    project: `project ${(n * 7) % 13}`,
    metadata: {
      request: { path: `/rest/v1/items/${n % 1_000}`, method: "GET", headers: { user_agent: `agent ${n % 50}` } },
      response: { status_code: n % 17 === 0 ? 500 : 200, origin_time: n % 400 },
      text: `${n} `.repeat(60),
    },
  });
}

async function sampleMemory(service: ServiceProcess, tally: Tally, isOver: () => boolean): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (!isOver()) {
    await sleep(sampleMs);
    const sample = { service: residentBytes(service.pid), host: residentBytes(service.hostPid() ?? 0) };
    samples.push(sample);
    if (samples.length % 15 === 0) {
      process.stderr.write(`${tally.events} events, ${tally.queries} queries, ${show(sample)}\n`);
    }
  }
  return samples;
}

function show({ service, host }: Sample): string {
  return `service ${Math.round(service / 2 ** 20)} MB, engine host ${Math.round(host / 2 ** 20)} MB`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function report(samples: readonly Sample[], { events, queries, failures }: Tally): void {
  const third = Math.floor(samples.length / 3);
  const middleOf = (part: readonly Sample[]): Sample => ({
    service: median(part.map((sample) => sample.service)),
    host: median(part.map((sample) => sample.host)),
  });
  const [before, after] = [middleOf(samples.slice(third, -third)), middleOf(samples.slice(-third))];
  const hasGrown = (from: number, to: number) => to > from * maxGrowth && to > from + maxGrowthBytes;
  const isFlat = !hasGrown(before.service, after.service) && !hasGrown(before.host, after.host);
  process.stdout.write(`${events} events, ${queries} queries, ${failures.length} failed calls\n`);
  process.stdout.write(`middle third: ${show(before)}\nlast third: ${show(after)}\n`);
  process.stdout.write(`${isFlat ? "Memory is flat." : "Memory grows."}\n${failures.slice(0, 10).join("\n")}\n`);
  process.exitCode = isFlat && failures.length === 0 ? 0 : 1;
}
