/** Two nodes over one ClickHouse and one PostgreSQL, under traffic, with one fault after another. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../../../src/demo/random.ts";
import type { NodeProcess } from "../../nodes/start-node.ts";
import { type PostgresCluster, startPostgres } from "../../support/postgres-cluster.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { startClickHouseNode } from "../clickhouse-nodes.ts";
import { type ServerProcess, startServer } from "../start.ts";
import { countsEndpoint, Traffic } from "./traffic.ts";
import { type LineState, TroubledLine } from "./troubled-line.ts";

export interface FaultsOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly log: (message: string) => void;
}

export interface FaultsReport {
  /** The number of times that each fault was made. */
  readonly faults: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly rows: number;
  /** Answers by method and status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Reads that saw an event twice while a node was correcting it, before it was acknowledged there. */
  readonly doubledReads: number;
  /** The time from the end of a fault until both nodes stored and counted again. */
  readonly slowestRecoveryMs: number;
  /** Empty when every acknowledged event was found once, and every answer was as expected. */
  readonly problems: readonly string[];
}

/**
 * How long after a fault both nodes may take to answer: calls on a dead connection are given up after 30 seconds, and
 * senders wait longer than that before they ask the other node.
 */
const RECOVERY_LIMIT_MS = 180_000;

interface Scene {
  readonly folder: string;
  readonly postgres: PostgresCluster;
  readonly metadataUrl: string;
  readonly line: TroubledLine;
  readonly random: Random;
  readonly nodes: NodeProcess[];
  server: ServerProcess;
}

type Fault = (scene: Scene) => Promise<void>;

const pauseOf = ({ random }: Scene) => sleep(random.integer(200, 2_500));

function lineFault(state: LineState): Fault {
  return async (scene) => {
    scene.line.set(state);
    await pauseOf(scene);
    scene.line.set("open");
  };
}

const faults: Readonly<Record<string, Fault>> = {
  "kill a node": async (scene) => {
    const at = scene.random.integer(0, scene.nodes.length - 1);
    await scene.nodes[at]?.kill();
    await pauseOf(scene);
    scene.nodes[at] = await startOne(scene);
  },
  "kill ClickHouse": async (scene) => {
    await scene.server.kill();
    await pauseOf(scene);
    scene.server = await startServer({ folder: join(scene.folder, "server"), port: portOf(scene.server.url) });
  },
  "kill PostgreSQL": async (scene) => {
    await scene.postgres.kill();
    await pauseOf(scene);
    await scene.postgres.restart();
  },
  "slow connections": lineFault("slow"),
  "half-open connections": lineFault("silent"),
  "cut connections": lineFault("cut"),
};

const portOf = (url: string) => Number(new URL(url).port);

function startOne({ line, folder, metadataUrl }: Pick<Scene, "line" | "folder" | "metadataUrl">) {
  return startClickHouseNode({
    ...{ serverUrl: line.url, folder: join(folder, "none"), metadataUrl },
    environment: { LOGWEIR_ENDPOINTS_DIR: join(folder, "endpoints"), LOGWEIR_LOG_LEVEL: "error" },
  });
}

async function openScene(random: Random): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "logweir-faults-"));
  for (const name of ["server", "endpoints"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "endpoints", "counts.sql"), countsEndpoint);
  const server = await startServer({ folder: join(folder, "server") });
  const line = await TroubledLine.open(portOf(server.url));
  const postgres = await startPostgres();
  const parts = { folder, line, metadataUrl: postgres.createDatabase() };
  const nodes = [await startOne(parts), await startOne(parts)];
  return { ...parts, postgres, random, nodes, server };
}

async function closeScene({ nodes, server, line, postgres, folder }: Scene): Promise<void> {
  await Promise.all(nodes.map((node) => node.kill()));
  await line.close();
  await server.kill();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Waits until each node has stored something new and counted it; returns how long that took, in milliseconds. */
async function recovered(scene: Scene, traffic: Traffic): Promise<number> {
  const before = traffic.acknowledged;
  const areBack = async () => {
    const counts = await Promise.all(scene.nodes.map((node) => traffic.count(node)));
    return counts.every((each) => each !== undefined) && traffic.acknowledged > before;
  };
  return waitUntil(areBack, RECOVERY_LIMIT_MS, "the nodes are back");
}

/** The events of idle nodes, compared to the acknowledged ones. */
async function judge(scene: Scene, traffic: Traffic): Promise<{ readonly rows: number; readonly problems: string[] }> {
  const problems: string[] = [];
  let rows = 0;
  for (const [index, node] of scene.nodes.entries()) {
    const counts = await traffic.count(node);
    rows = counts?.rows ?? 0;
    const told = `node ${index + 1} holds ${counts?.rows} events with ${counts?.ids} ids`;
    if (counts?.rows !== traffic.acknowledged || counts.ids !== traffic.acknowledged) {
      problems.push(`${told} of ${traffic.acknowledged} acknowledged`);
    }
  }
  return { rows, problems };
}

/** Makes the faults in turn, in an order by chance. Rejects where nodes do not recover. */
export async function runFaults({ rounds, seed, log }: FaultsOptions): Promise<FaultsReport> {
  const scene = await openScene(createRandom(seed));
  try {
    return await runRounds(scene, rounds, log);
  } finally {
    await closeScene(scene);
  }
}

async function runRounds(scene: Scene, rounds: number, log: FaultsOptions["log"]): Promise<FaultsReport> {
  const traffic = new Traffic(() => scene.nodes);
  const made: Record<string, number> = {};
  let slowestRecoveryMs = 0;
  let left: string[] = [];
  traffic.start();
  await recovered(scene, traffic);
  for (let round = 1; round <= rounds; round++) {
    if (left.length === 0) left = Object.keys(faults);
    const name = scene.random.pick(left);
    left = left.filter((each) => each !== name);
    made[name] = (made[name] ?? 0) + 1;
    await sleep(scene.random.integer(200, 1_000));
    await faults[name]?.(scene);
    const tookMs = await recovered(scene, traffic);
    slowestRecoveryMs = Math.max(slowestRecoveryMs, tookMs);
    const state = `${traffic.acknowledged} acknowledged, ${traffic.problems.length} problems`;
    log(`${round}/${rounds} ${name}: back after ${Math.round(tookMs)} ms; ${state}`);
  }
  await traffic.end();
  const { rows, problems } = await judge(scene, traffic);
  return {
    faults: made,
    acknowledged: traffic.acknowledged,
    rows,
    answers: Object.fromEntries([...traffic.answers].sort()),
    doubledReads: traffic.doubledReads,
    slowestRecoveryMs: Math.round(slowestRecoveryMs),
    problems: [...traffic.problems, ...problems],
  };
}
