/** Hand-written SQL on a ClickHouse server, by the driver and to its rows, as a program of one's own would ask it. */
import { createClient } from "@clickhouse/client";
import type { BenchEvent } from "../events.ts";
import { openHttpClient } from "../http-client.ts";
import type { Answer, Row } from "../peers/peer.ts";
import type { BenchQuery, QueryContext } from "../queries.ts";

export interface ServerPeer {
  readonly version: string;
  insert(events: readonly BenchEvent[]): Promise<void>;
  run(query: BenchQuery, context: QueryContext): Promise<Answer>;
  /** Merges the parts of every table of the databases. */
  merge(databases: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const DATABASE = "bench";

const statements: readonly string[] = [
  `CREATE DATABASE IF NOT EXISTS ${DATABASE}`,
  `CREATE TABLE IF NOT EXISTS ${DATABASE}.events (id String, timestamp DateTime64(6, 'UTC'),
    project LowCardinality(String), event_message String, metadata JSON) ENGINE = MergeTree
    PARTITION BY toDate(timestamp) ORDER BY (project, timestamp)`,
];

/** Makes the table of the hand-written queries on the server. */
export async function openServerPeer(url: string): Promise<ServerPeer> {
  const client = openHttpClient(url, "", 8);
  const driver = createClient({ url, database: DATABASE });
  const send = async (sql: string, database = "default") => {
    const answer = await client.send({ method: "POST", path: `/?database=${database}`, body: Buffer.from(sql) });
    if (answer.status !== 200) throw new Error(`ClickHouse: ${answer.body.toString().slice(0, 500)}`);
    return answer;
  };
  const rowsOf = (body: Buffer): readonly Row[] => {
    const lines = body.toString().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
  };
  for (const statement of statements) await send(statement);
  const [version] = rowsOf((await send("SELECT version() FORMAT JSONCompactEachRow")).body);
  return {
    version: String(version?.[0] ?? ""),
    async insert(events) {
      const lines = events.map(({ json }) => json).join("\n");
      const settings = "SETTINGS date_time_input_format = 'best_effort', input_format_skip_unknown_fields = 1";
      await send(`INSERT INTO ${DATABASE}.events ${settings} FORMAT JSONEachRow\n${lines}\n`);
    },
    async run(query, context) {
      const startedAt = performance.now();
      const result = await driver.query({ query: query.clickhouse(context), format: "JSONCompactEachRow" });
      const rows = await result.json<Row>();
      return { elapsedMs: performance.now() - startedAt, rows: () => rows };
    },
    async merge(databases) {
      for (const database of databases) {
        const sql = `SELECT name FROM system.tables WHERE database = '${database}' AND engine LIKE '%MergeTree'`;
        const names = rowsOf((await send(`${sql} FORMAT JSONCompactEachRow`)).body).map(([name]) => String(name));
        for (const name of names) await send(`OPTIMIZE TABLE ${database}.\`${name}\` FINAL`);
      }
    },
    close() {
      client.close();
      return driver.close();
    },
  };
}
