/**
 * `npm run bench:clickhouse -- [--seconds 20] [--json]`: a node over a ClickHouse of its own: what it stores over HTTP
 * beside what the driver inserts by itself, its memory meanwhile, its start, and how soon a query ends that nobody waits
 * for any more.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startClickHouseNode } from "../../test/clickhouse/clickhouse-nodes.ts";
import { type ServerProcess, startServer } from "../../test/clickhouse/start.ts";
import type { NodeProcess } from "../../test/nodes/start-node.ts";
import { createSupply } from "../event-supply.ts";
import { defaultEndMs } from "../events.ts";
import { machine } from "../options.ts";
import { watchMemory } from "../processes.ts";
import { quantileOf } from "../statistics.ts";
import { measureCancels, slowEndpoint } from "./cancel.ts";
import { openNodeIngest, openRawIngest, type Turn, takeTurn } from "./ingest.ts";

/** Starts of a node, and queries that are left. */
const RUNS = 5;
/** Turns of each way to insert, one after the other, so that a busy machine troubles both alike. */
const TURNS = 4;

export interface ClickHouseFigures {
  /** In batches of 1,000 over 4 connections. */
  readonly raw: readonly Turn[];
  readonly node: readonly Turn[];
  /** Median of the turns' ratios. */
  readonly ingestRatio: number;
  /** Peak memory of the node and its child processes while it stored and answered. */
  readonly peakMemoryMb: number;
  readonly startMs: readonly number[];
  readonly cancelMs: readonly number[];
}

async function measureStarts(start: () => Promise<NodeProcess>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const started = performance.now();
    const node = await start();
    times.push(performance.now() - started);
    await node.stop();
  }
  return times;
}

async function measure(seconds: number, say: (line: string) => void): Promise<ClickHouseFigures> {
  const folder = mkdtempSync(join(tmpdir(), "logweir-bench-"));
  for (const name of ["server", "endpoints"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "endpoints", "slow.sql"), slowEndpoint);
  const server = await startServer({ folder: join(folder, "server") });
  const environment = { LOGWEIR_ENDPOINTS_DIR: join(folder, "endpoints"), LOGWEIR_MAX_BODY_BYTES: "50000000" };
  const start = () => startClickHouseNode({ serverUrl: server.url, folder, environment });
  try {
    // The first start makes the tables.
    await (await start()).stop();
    say("starts");
    const startMs = await measureStarts(start);
    const node = await start();
    try {
      return { ...(await measureNode(node, server, seconds / TURNS, say)), startMs };
    } finally {
      await node.kill();
    }
  } finally {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureNode(node: NodeProcess, server: ServerProcess, seconds: number, say: (line: string) => void) {
  const raw = await openRawIngest(server.url);
  const spenders = { nodePid: node.process.pid ?? 0, serverPid: server.pid };
  const ours = openNodeIngest(node.url);
  const supply = createSupply({ seed: 20_260_820, eventCount: 100_000, endMs: defaultEndMs });
  const turns = { raw: [] as Turn[], node: [] as Turn[] };
  // Not counted: the fields become columns, and connections are opened.
  for (const way of [ours, raw]) await takeTurn(way, supply, 2, spenders);
  const watch = watchMemory(node.process.pid ?? 0);
  for (let turn = 0; turn < TURNS; turn++) {
    say(`inserts, turn ${turn + 1} of ${TURNS}`);
    turns.raw.push(await takeTurn(raw, supply, seconds, spenders));
    turns.node.push(await takeTurn(ours, supply, seconds, spenders));
  }
  say("queries that are left");
  const cancelMs = await measureCancels(node, server.url, RUNS);
  watch.stop();
  await raw.close();
  const ratios = turns.node.map(
    ({ eventsPerSecond }, turn) => eventsPerSecond / (turns.raw[turn]?.eventsPerSecond ?? Number.NaN),
  );
  return { ...turns, ingestRatio: quantileOf(ratios, 0.5), peakMemoryMb: watch.peakBytes() / 1e6, cancelMs };
}

function describe({ raw, node, ingestRatio, peakMemoryMb, startMs, cancelMs }: ClickHouseFigures): string {
  const list = (values: readonly number[]) => values.map((value) => Math.round(value).toLocaleString("en")).join(", ");
  const rates = (turns: readonly Turn[]) => list(turns.map(({ eventsPerSecond }) => eventsPerSecond));
  const median = (turns: readonly Turn[], of: "senderUs" | "nodeUs" | "serverUs") =>
    Math.round(
      quantileOf(
        turns.map((turn) => turn[of]),
        0.5,
      ),
    );
  const split = (turns: readonly Turn[]) =>
    `sender ${median(turns, "senderUs")}, node ${median(turns, "nodeUs")}, server ${median(turns, "serverUs")}`;
  const verdict = (isReached: boolean) => (isReached ? "reached" : "missed");
  return [
    `${new Date().toISOString()}; ${machine}`,
    `driver alone, events/s   ${rates(raw)}`,
    `over HTTP, events/s      ${rates(node)}`,
    `driver alone, CPU us an event   ${split(raw)}`,
    `over HTTP, CPU us an event      ${split(node)}`,
    `ratio                    ${ingestRatio.toFixed(2)} (at least 0.7: ${verdict(ingestRatio >= 0.7)})`,
    `memory of the node       ${Math.round(peakMemoryMb)} MB (at most 400: ${verdict(peakMemoryMb <= 400)})`,
    `start, ms                ${list(startMs)} (at most 1,000: ${verdict(quantileOf(startMs, 0.5) <= 1_000)})`,
    `a query that is left, ms ${list(cancelMs)} (at most 1,000: ${verdict(Math.max(...cancelMs) <= 1_000)})`,
  ].join("\n");
}

const { values } = parseArgs({ options: { seconds: { type: "string" }, json: { type: "boolean" } } });
const figures = await measure(Number(values.seconds ?? 20), (line) => process.stderr.write(`${line}\n`));
process.stdout.write(`${values.json === true ? JSON.stringify(figures) : describe(figures)}\n`);
process.exit();
