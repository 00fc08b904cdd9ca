/**
 * Compares the cost of this build with another checkout of the project, `npm run bench:beside -- FOLDER`. Both services
 * store the same events, and are queried and sent events in turns of a few calls, so that other load on the machine
 * affects both alike. Prints medians, the least times (5 % are shorter), processor time, and the ratio of own to other.
 */

import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { createSupply } from "./event-supply.ts";
import { batchCount, defaultEndMs, type EventPlan, makeBatch } from "./events.ts";
import { parseCount } from "./options.ts";
import { type LogweirPeer, startLogweir } from "./peers/logweir.ts";
import { treeCpuSeconds, waitForRest } from "./processes.ts";
import { type BenchQuery, benchQueries, contextOf, variedQueries } from "./queries.ts";
import { rootFolder } from "./root.ts";
import { runLanes } from "./run-lanes.ts";
import { quantileOf } from "./statistics.ts";

const callsPerTurn = 5;

/** Times of one build for the same work, one value a turn or call. */
interface Taken {
  readonly times: number[];
  cpuSeconds: number;
}

type Builds = readonly [other: LogweirPeer, own: LogweirPeer];

const nothing = (): Taken => ({ times: [], cpuSeconds: 0 });

/** Lets both take turns; each goes first in every other round. */
async function takeTurns(
  builds: Builds,
  rounds: number,
  turn: (build: LogweirPeer, round: number) => Promise<readonly number[]>,
): Promise<readonly [Taken, Taken]> {
  const taken = [nothing(), nothing()] as const;
  const pids = builds.map(({ pid }) => pid);
  const comeToRest = async () => {
    for (const build of builds) await build.waitForCompaction();
    await waitForRest(pids);
  };
  await comeToRest();
  const before = pids.map(treeCpuSeconds);
  for (let round = 0; round < rounds; round++) {
    for (const place of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      taken[place].times.push(...(await turn(builds[place], round)));
    }
  }
  // What a build puts off until the other's turn, or until nobody asks, counts too.
  await comeToRest();
  for (const [place, pid] of pids.entries()) {
    const one = taken[place];
    if (one !== undefined) one.cpuSeconds = treeCpuSeconds(pid) - (before[place] ?? 0);
  }
  return taken;
}

function printRow(what: string, [other, own]: readonly [Taken, Taken], unitsPerTime: number): number {
  const numbers = [other, own].map(({ times, cpuSeconds }) => {
    const cpuMicros = (cpuSeconds * 1e6) / (times.length * unitsPerTime);
    return { median: quantileOf(times, 0.5), least: quantileOf(times, 0.05), cpuMicros };
  });
  const [a, b] = numbers;
  if (a === undefined || b === undefined) return Number.NaN;
  const cell = (name: "median" | "least" | "cpuMicros", digits: number) =>
    `${a[name].toFixed(digits)} | ${b[name].toFixed(digits)} | ${(b[name] / a[name]).toFixed(3)}`;
  console.log(`| ${what} | ${cell("median", 2)} | ${cell("least", 2)} | ${cell("cpuMicros", 0)} |`);
  return b.cpuMicros / a.cpuMicros;
}

async function compareQueries(builds: Builds, plan: EventPlan, rounds: number): Promise<void> {
  const ratios: number[] = [];
  const calls = new Map(builds.map((build) => [build, 0]));
  const ask = (query: BenchQuery) => async (build: LogweirPeer) => {
    const times: number[] = [];
    for (let left = callsPerTurn; left > 0; left--) {
      const call = (calls.get(build) ?? 0) + 1;
      calls.set(build, call);
      const context = contextOf(plan, query.isVaried === true ? call : 0);
      times.push((await build.run(query, context)).elapsedMs);
    }
    return times;
  };
  for (const query of [...benchQueries, ...variedQueries]) {
    await takeTurns(builds, 4, ask(query));
    ratios.push(printRow(query.key, await takeTurns(builds, rounds, ask(query)), 1));
  }
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  console.log(`| queries, geometric mean | | | | | | | | | ${mean.toFixed(3)} |`);
}

async function compareIngest(builds: Builds, plan: EventPlan, rounds: number): Promise<void> {
  const supplies = builds.map(() => createSupply(plan));
  for (const [clients, size, inserts] of [
    [4, 1_000, 8],
    [64, 1, 512],
  ] as const) {
    const send = async (build: LogweirPeer) => {
      const supply = supplies[builds.indexOf(build)];
      const bodies = Array.from({ length: inserts }, () => supply?.take(size) ?? []);
      const startedAt = performance.now();
      await runLanes(bodies, clients, build.insert);
      return [performance.now() - startedAt];
    };
    await takeTurns(builds, 2, send);
    printRow(`${inserts} bodies of ${size}, ${clients} clients`, await takeTurns(builds, rounds, send), inserts * size);
  }
}

interface Flags {
  readonly events: number;
  readonly rounds: number;
  readonly only?: "queries" | "ingest";
  readonly dir: string;
  readonly keep: boolean;
}

/** Starts a build on a store of its own, loaded unless it was kept. */
async function openBuild(folder: string, plan: EventPlan, root: string): Promise<LogweirPeer> {
  const isKept = existsSync(folder);
  const build = await startLogweir(folder, plan.endMs, root);
  if (!isKept) await build.load(Array.from({ length: batchCount(plan) }, (_, index) => makeBatch(plan, index)));
  await build.waitForCompaction();
  return build;
}

async function compareBuilds(other: string, { events, rounds, only, dir, keep }: Flags): Promise<void> {
  const plan: EventPlan = { seed: 20_260_820, eventCount: events, endMs: defaultEndMs };
  const loaded = [join(dir, "other"), join(dir, "own")] as const;
  if (!keep) rmSync(dir, { recursive: true, force: true });
  const open: LogweirPeer[] = [];
  try {
    open.push(await openBuild(loaded[0], plan, resolve(other)), await openBuild(loaded[1], plan, rootFolder));
    const builds = open as unknown as Builds;
    console.log(
      `| what | ${["median ms", "least ms", "CPU us"].map((each) => `${each}: other | own | ratio`).join(" | ")} |`,
    );
    console.log(`|---|${"---:|".repeat(9)}`);
    if (only !== "ingest") await compareQueries(builds, plan, rounds);
    if (only !== "queries") await compareIngest(builds, plan, rounds);
  } finally {
    for (const build of open) await build.stop();
    if (!keep) rmSync(dir, { recursive: true, force: true });
  }
}

await new Command("npm run bench:beside --")
  .description("Measures this build beside another checkout of the project, which must be built.")
  .argument("<folder>", "the other checkout")
  .option("--events <n>", "events that both hold", parseCount, 200_000)
  .option("--rounds <n>", "turns that each takes", parseCount, 12)
  .option("--only <part>", "queries or ingest")
  .option("--dir <folder>", "folder of the stores", join(tmpdir(), "logweir-beside"))
  .option("--keep", "leave the stores, and use those that are there", false)
  .action(compareBuilds)
  .parseAsync();
