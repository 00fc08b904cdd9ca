/** Two ways for the same events into one server: over a node, and by the driver alone. */
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createClient } from "@clickhouse/client";
import { privateToken } from "../../test/nodes/start-node.ts";
import type { EventSupply } from "../event-supply.ts";
import type { BenchEvent } from "../events.ts";
import { cpuSeconds, treeCpuSeconds, waitForRest } from "../processes.ts";

const BATCH = 1_000;
const CONNECTIONS = 4;

export interface Ingest {
  /** Resolves when the events are synced to the server's disk. */
  insert(events: readonly BenchEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** Who spends processor time while events come in. */
export interface Spenders {
  readonly nodePid: number;
  readonly serverPid: number;
}

/** Figures of one way to insert during one turn. */
export interface Turn {
  readonly eventsPerSecond: number;
  /** Processor time in microseconds an event, until the server is at rest again. */
  readonly senderUs: number;
  readonly nodeUs: number;
  readonly serverUs: number;
}

/** Sends for so long, and waits until the server has merged what came: none of it is left to the next turn. */
export async function takeTurn(
  way: Ingest,
  supply: EventSupply,
  seconds: number,
  { nodePid, serverPid }: Spenders,
): Promise<Turn> {
  const spent = () => [cpuSeconds(process.pid), treeCpuSeconds(nodePid), treeCpuSeconds(serverPid)] as const;
  const before = spent();
  const { count, elapsedSeconds } = await send(way, supply, seconds);
  await waitForRest([serverPid]);
  const [senderUs = 0, nodeUs = 0, serverUs = 0] = spent().map((now, at) => ((now - (before[at] ?? 0)) * 1e6) / count);
  return { eventsPerSecond: count / elapsedSeconds, senderUs, nodeUs, serverUs };
}

async function send(way: Ingest, supply: EventSupply, seconds: number) {
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1_000;
  let count = 0;
  const sendOn = async () => {
    while (elapsed() < seconds) {
      await way.insert(supply.take(BATCH));
      count += BATCH;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendOn));
  return { count, elapsedSeconds: elapsed() };
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
