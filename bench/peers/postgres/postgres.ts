/** PostgreSQL with events as jsonb: id, body, event_message and timestamp, and an index on (project, timestamp). */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchEvent } from "../../events.ts";
import { folderBytes } from "../../processes.ts";
import type { MissingPeer, Peer } from "../peer.ts";
import { findPostgres, startServer } from "./server.ts";
import { connectWire, readRow, type WireClient } from "./wire.ts";

const connections = 4;

const schema = `CREATE TABLE IF NOT EXISTS events (
    id text PRIMARY KEY, body jsonb NOT NULL, event_message text, timestamp timestamptz NOT NULL);
  CREATE INDEX IF NOT EXISTS events_timestamp ON events (timestamp);
  CREATE INDEX IF NOT EXISTS events_project_timestamp ON events ((body->>'project'), timestamp)`;

async function connectWhenReady(socketPath: string, user: string, isRunning: () => boolean): Promise<WireClient> {
  for (;;) {
    try {
      return await connectWire(socketPath, user, "postgres");
    } catch (error) {
      if (!isRunning()) throw new Error("PostgreSQL did not start", { cause: error });
      await sleep(100);
    }
  }
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

function insertStatement(events: readonly BenchEvent[]): string {
  const rows = events.map(
    ({ id, json, message, timestamp }) => `(${literal(id)},${literal(json)},${literal(message)},${literal(timestamp)})`,
  );
  return `INSERT INTO events (id, body, event_message, timestamp) VALUES ${rows.join(",")} ON CONFLICT DO NOTHING`;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const copyText = (text: string) => text.replaceAll(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);

function* copyLines(batches: Iterable<readonly BenchEvent[]>): Generator<string> {
  for (const batch of batches) {
    yield batch
      .map(({ id, json, message, timestamp }) => `${id}\t${copyText(json)}\t${copyText(message)}\t${timestamp}\n`)
      .join("");
  }
}

/** Starts PostgreSQL on its folder below `folder`. */
export async function startPostgres(folder: string): Promise<Peer | MissingPeer> {
  const binaries = findPostgres();
  if (binaries === undefined) {
    return {
      missing: "PostgreSQL is left out: no initdb and postgres on the path (apt-get install postgresql, for one)",
    };
  }
  const home = join(folder, "postgres");
  const { child, socketPath, user } = startServer(binaries, home);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const first = await connectWhenReady(socketPath, user, () => child.exitCode === null);
  await first.query(schema);
  const others = Array.from({ length: connections - 1 }, () => connectWire(socketPath, user, "postgres"));
  const clients = [first, ...(await Promise.all(others))];
  const version = await first.query("SHOW server_version");
  let turn = 0;

  return {
    name: "postgres",
    version: version.rows.map((row) => readRow(row)[0] ?? "").join(),
    pid: child.pid ?? 0,
    insert: async (events) => {
      await clients[turn++ % connections]?.query(insertStatement(events));
    },
    load: (batches) => first.copy("COPY events (id, body, event_message, timestamp) FROM STDIN", copyLines(batches)),
    waitForCompaction: async () => {
      await first.query("VACUUM ANALYZE events");
      await first.query("CHECKPOINT");
    },
    async run(query, context) {
      const { elapsedMs, rows } = await first.query(query.postgres(context));
      return { elapsedMs, rows: () => rows.map(readRow) };
    },
    diskBytes: async () => folderBytes(join(home, "cluster")) - folderBytes(join(home, "cluster", "pg_wal")),
    async stop() {
      for (const client of clients) client.close();
      child.kill("SIGINT");
      await ended;
    },
  };
}
