/**
 * Measures a rate that is held, `npm run bench:sustained`: events in batches of 1,000 over four connections at a fixed
 * pace, and beside them the benchmark's eight queries in turn, for many minutes. Printed for each minute are the events
 * that were due and not yet acknowledged, the tail that is not compacted, times, processor time and memory. The rate is
 * held where neither what is due nor the tail grows from the middle third of the minutes to the last.
 */
import { rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Command } from "commander";
import { createBodies } from "./event-supply.ts";
import { defaultEndMs, type EventPlan, eventsPerBatch } from "./events.ts";
import { type LogweirPeer, startLogweir } from "./peers/logweir.ts";
import { treeCpuSeconds, treeMemoryBytes } from "./processes.ts";
import { benchQueries, contextOf } from "./queries.ts";
import { formatTable } from "./report.ts";
import { quantileOf } from "./statistics.ts";

interface Flags {
  readonly rate: string;
  readonly minutes: string;
  readonly queries: string;
  readonly dir: string;
}

/** The figures of a minute. */
interface Minute {
  readonly eventsPerSecond: number;
  /** At its end: due, and not yet acknowledged. */
  readonly overdue: number;
  readonly tailRows: number;
  readonly insertMs: readonly number[];
  readonly queryMs: readonly number[];
  /** Busy with the service and its engine, queries included. */
  readonly cores: number;
  readonly memoryBytes: number;
}

const clients = 4;
const minuteMs = 60_000;
/** Growth of the tail that is no noise: more than a tenth, and more than compaction leaves for later. */
const [maxGrowth, maxGrowthRows] = [1.1, 100_000];

const flags = new Command("bench:sustained")
  .option("--rate <number>", "events a second", "10000")
  .option("--minutes <number>", "how long", "15")
  .option("--queries <number>", "queries a second beside them", "14")
  .option("--dir <folder>", "where the store is made", join(tmpdir(), "logweir-bench-sustained"))
  .parse()
  .opts<Flags>();

const [rate, minutes, queryRate] = [Number(flags.rate), Number(flags.minutes), Number(flags.queries)];
if (!(rate > 0 && queryRate > 0 && minutes >= 3)) throw new Error("Thirds of minutes are compared: three at least");
const plan: EventPlan = { seed: 20_260_820, eventCount: eventsPerBatch, endMs: defaultEndMs };
const takeBody = createBodies(plan);
rmSync(flags.dir, { recursive: true, force: true });
const service: LogweirPeer = await startLogweir(flags.dir, defaultEndMs);
const startedAt = performance.now();
const isOver = () => performance.now() - startedAt >= minutes * minuteMs;
let [taken, stored, asked] = [0, 0, 0];
let insertMs: number[] = [];
let queryMs: number[] = [];

/** Waits until the next of a pace is due, counted from the start. */
async function waitForTurn(turn: number, perSecond: number): Promise<void> {
  await pause(Math.max(0, startedAt + (turn * 1_000) / perSecond - performance.now()));
}

async function send(): Promise<void> {
  while (!isOver()) {
    const turn = taken++;
    await waitForTurn(turn, rate / eventsPerBatch);
    const body = takeBody();
    const sentAt = performance.now();
    await service.insertBody(body);
    insertMs.push(performance.now() - sentAt);
    stored += eventsPerBatch;
  }
}

/** Queries begin at their pace, whether earlier ones have ended or not. */
async function query(): Promise<void> {
  const running: Promise<void>[] = [];
  for (; !isOver(); asked++) {
    await waitForTurn(asked, queryRate);
    const chosen = benchQueries[asked % benchQueries.length];
    if (chosen === undefined) throw new Error("There is no query");
    // An event is a millisecond newer than the one before.
    const context = { ...contextOf(plan, asked), endMs: defaultEndMs + stored };
    running.push(service.run(chosen, context).then(({ elapsedMs }) => void queryMs.push(elapsedMs)));
  }
  await Promise.all(running);
}

async function tailRows(): Promise<number> {
  const { body } = await service.client.send({ method: "GET", path: "/api/store" });
  const { sources } = JSON.parse(body.toString()) as { readonly sources: readonly { readonly tail_rows: number }[] };
  return sources.reduce((sum, { tail_rows }) => sum + tail_rows, 0);
}

async function watch(): Promise<readonly Minute[]> {
  const found: Minute[] = [];
  for (let minute = 1; minute <= minutes; minute++) {
    const [storedBefore, cpuBefore] = [stored, treeCpuSeconds(service.pid)];
    insertMs = [];
    queryMs = [];
    await pause(startedAt + minute * minuteMs - performance.now());
    found.push({
      eventsPerSecond: ((stored - storedBefore) * 1_000) / minuteMs,
      overdue: Math.max(0, (rate * minute * minuteMs) / 1_000 - stored),
      tailRows: await tailRows(),
      ...{ insertMs, queryMs },
      cores: ((treeCpuSeconds(service.pid) - cpuBefore) * 1_000) / minuteMs,
      memoryBytes: treeMemoryBytes(service.pid),
    });
    console.error(`minute ${minute}: ${describe(found.at(-1) as Minute).join(", ")}`);
  }
  return found;
}

const columns = ["events/s", "overdue", "tail", "insert ms", "p99", "query ms", "p99", "cores", "us/event", "MB"];

function describe({
  eventsPerSecond,
  overdue,
  tailRows: tail,
  insertMs: ins,
  queryMs: que,
  ...rest
}: Minute): string[] {
  const times = [quantileOf(ins, 0.5), quantileOf(ins, 0.99), quantileOf(que, 0.5), quantileOf(que, 0.99)];
  return [
    ...[eventsPerSecond, overdue, tail, ...times].map((figure) => figure.toFixed(0)),
    rest.cores.toFixed(2),
    ((rest.cores * 1e6) / eventsPerSecond).toFixed(0),
    (rest.memoryBytes / 2 ** 20).toFixed(0),
  ];
}

/** The middle value of a third of the minutes. */
function medianOf(found: readonly Minute[], third: number, of: (minute: Minute) => number): number {
  const size = Math.floor(found.length / 3);
  return quantileOf(found.slice(third * size, third === 2 ? undefined : (third + 1) * size).map(of), 0.5);
}

try {
  const [found] = await Promise.all([watch(), query(), ...Array.from({ length: clients }, send)]);
  console.log(`${rate} events/s and ${queryRate} queries/s for ${minutes} minutes, ${availableParallelism()} cores\n`);
  console.log(
    formatTable(
      ["minute", ...columns],
      found.map((minute, index) => [`${index + 1}`, ...describe(minute)]),
    ),
  );
  const grows = (of: (minute: Minute) => number, from = medianOf(found, 1, of), to = medianOf(found, 2, of)) =>
    to > from * maxGrowth && to > from + maxGrowthRows;
  const isHeld = !grows(({ tailRows: tail }) => tail) && !grows(({ overdue }) => overdue);
  console.log(`\n${stored} events, ${asked} queries. The rate was ${isHeld ? "" : "not "}held.`);
  process.exitCode = isHeld ? 0 : 1;
} finally {
  await service.stop();
  rmSync(flags.dir, { recursive: true, force: true });
}
