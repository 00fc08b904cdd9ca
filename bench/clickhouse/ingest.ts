/** Two ways for the same events into one server: over a node, and by the driver alone. */
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createClient } from "@clickhouse/client";
import { privateToken } from "../../test/nodes/start-node.ts";
import type { EventSupply } from "../event-supply.ts";
import type { BenchEvent } from "../events.ts";

const BATCH = 1_000;
const CONNECTIONS = 4;

export interface Ingest {
  /** Resolves when the events are synced to the server's disk. */
  insert(events: readonly BenchEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** Events a second. */
export async function rateOf(way: Ingest, supply: EventSupply, seconds: number): Promise<number> {
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1_000;
  let count = 0;
  const send = async () => {
    while (elapsed() < seconds) {
      await way.insert(supply.take(BATCH));
      count += BATCH;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  return count / elapsed();
}

/** As senders do. */
export function openNodeIngest(url: string): Ingest {
  const headers = { "content-type": "application/x-ndjson", "x-api-key": privateToken };
  return {
    async insert(events) {
      const body = events.map(({ json }) => json).join("\n");
      const response = await fetch(`${url}/api/logs?source_name=edge`, { method: "POST", headers, body });
      const answer = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${answer}`);
    },
    close: async () => undefined,
  };
}

/** A table as one would make it by hand, as durable as the node's. */
export async function openRawIngest(url: string): Promise<Ingest> {
  const client = createClient({ url, max_open_connections: CONNECTIONS });
  await client.command({
    query: `CREATE TABLE raw (
      id String, timestamp DateTime64(6, 'UTC'), project LowCardinality(String), event_message String, metadata JSON
    ) ENGINE = MergeTree PARTITION BY toDate(timestamp) ORDER BY (project, timestamp, id)
    SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  });
  return {
    async insert(events) {
      // As text, as it goes over HTTP: neither side is measured at making it.
      const { stream } = await client.exec({
        query: "INSERT INTO raw FORMAT JSONEachRow",
        values: Readable.from([events.map(({ json }) => json).join("\n")], { objectMode: false }),
        clickhouse_settings: { date_time_input_format: "best_effort", input_format_skip_unknown_fields: 1 },
      });
      await text(stream);
    },
    close: () => client.close(),
  };
}
