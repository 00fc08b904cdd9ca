/** ClickHouse, embedded by the npm package chdb: a MergeTree ordered by (project, timestamp) with a JSON column. */
import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { BenchEvent } from "../../events.ts";
import { runLanes } from "../../run-lanes.ts";
import type { MissingPeer, Peer, Row } from "../peer.ts";
import type { WorkerAnswer, WorkerRequest } from "./worker.ts";

type Question = { readonly kind: "query"; readonly sql: string } | { readonly kind: "insert"; readonly lines: Buffer };

/** Where chdb is looked for unless `--chdb` says otherwise. */
export const defaultChdbFolder: string = join(homedir(), ".cache", "logweir-bench");

// An insert is acknowledged once its part is on disk, as the other peers do.
const schema: readonly string[] = [
  "CREATE DATABASE IF NOT EXISTS bench",
  `CREATE TABLE IF NOT EXISTS bench.events (
    id String, timestamp DateTime64(6, 'UTC'), project LowCardinality(String), event_message String, metadata JSON
  ) ENGINE = MergeTree ORDER BY (project, timestamp)
  SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  "USE bench",
];

const batchesPerLoad = 20;

function toLines(batches: readonly (readonly BenchEvent[])[]): Buffer {
  return Buffer.from(batches.map((events) => events.map(({ json }) => `${json}\n`).join("")).join(""));
}

function* grouped<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Asks the worker, and waits for the answer of each question. */
function createAsker(child: ChildProcess): (question: Question) => Promise<WorkerAnswer> {
  const waiting = new Map<number, { resolve: (answer: WorkerAnswer) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  child.on("message", (answer: WorkerAnswer) => {
    const waiter = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error === undefined) waiter?.resolve(answer);
    else waiter?.reject(new Error(`ClickHouse: ${answer.error}`));
  });
  child.on("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`ClickHouse ended with ${code}`));
  });
  return (question) =>
    new Promise((resolve, reject) => {
      const request: WorkerRequest = { id: ++lastId, ...question };
      waiting.set(request.id, { resolve, reject });
      child.send(request);
    });
}

/** Starts ClickHouse on its folder below `folder`. The process runs this program again as its worker. */
export async function startClickhouse(folder: string, packages: string): Promise<Peer | MissingPeer> {
  if (!existsSync(join(packages, "node_modules", "chdb"))) {
    const install = `npm install --prefix ${packages} chdb@3.4`;
    return { missing: `ClickHouse is left out: it takes 550 MB and is optional; install it with: ${install}` };
  }
  const child = fork(process.argv[1] ?? "", ["clickhouse-worker", packages, join(folder, "clickhouse")], {
    serialization: "advanced",
  });
  const ask = createAsker(child);
  const query = (sql: string) => ask({ kind: "query", sql });
  for (const statement of schema) await query(statement);

  return {
    name: "clickhouse",
    version: (JSON.parse((await query("SELECT version()")).text ?? "[]") as unknown[]).join(),
    pid: child.pid ?? 0,
    insert: async (events) => {
      await ask({ kind: "insert", lines: toLines([events]) });
    },
    load: (batches) =>
      runLanes(grouped(batches, batchesPerLoad), 2, async (group) => {
        await ask({ kind: "insert", lines: toLines(group) });
      }),
    waitForCompaction: async () => {
      await query("OPTIMIZE TABLE bench.events FINAL");
    },
    async run(benchQuery, context) {
      const { elapsedMs, text = "" } = await query(benchQuery.clickhouse(context));
      return {
        elapsedMs,
        rows: () =>
          text
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => JSON.parse(line) as Row),
      };
    },
    diskBytes: async () => {
      // Parts that were merged away stay for some minutes; they are not counted.
      const { text = "[0]" } = await query("SELECT sum(bytes_on_disk)::Float64 FROM system.parts WHERE active");
      return Number((JSON.parse(text) as unknown[])[0]);
    },
    async stop() {
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.disconnect();
      await ended;
    },
  };
}
