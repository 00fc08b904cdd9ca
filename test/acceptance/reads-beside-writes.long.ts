import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfiguration } from "../../src/config/config.ts";
import { type RunningService, startService } from "../../src/service/service.ts";

const token = "reads-beside-writes-token-0123456789";
const headers = { "x-api-key": token, "content-type": "application/json" };
const projects = 20;
const readCount = 3_000;
/** Each answers the three events of a project, in rows or as a count. */
const queries = [
  "select id from edge_logs",
  "select id from edge_logs order by id",
  "select * from edge_logs order by id desc",
  "select id, event_message, timestamp from edge_logs order by timestamp",
  "select id, m.a from edge_logs cross join unnest(metadata) m order by id limit 500",
  "select id from edge_logs limit 5000",
  "select m.a, count(*) as n from edge_logs cross join unnest(metadata) m group by 1 order by 1 limit 10",
];

let directory: string;
let service: RunningService;
let made = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "logweir-reads-"));
  const configuration = readConfiguration(
    { workingDir: directory, packageDir: process.cwd() },
    {
      LOGWEIR_HOST: "127.0.0.1",
      LOGWEIR_PORT: "0",
      LOGWEIR_DATA_DIR: join(directory, "data"),
      LOGWEIR_PRIVATE_TOKEN: token,
      LOGWEIR_LOG_LEVEL: "silent",
      LOGWEIR_MAX_REQUESTS_PER_MINUTE: "1000000",
    },
  );
  // Sizes that cause constant checkpoints and compactions.
  const sizes = { checkpointBytes: 200_000, compaction: { minRows: 300, maxRows: 900 } };
  service = await startService(configuration, { engineSizes: sizes });
  for (let project = 0; project < projects; project++) await ingest(`fixed${project}`, 3);
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

async function ingest(project: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => {
    const index = made++;
    const timestamp = new Date(Date.parse("2026-08-20T09:00:00Z") + ((index * 7919) % 86_400_000)).toISOString();
    const metadata = { a: index, b: `x${index % 50}` };
    return { id: `e${index}`, timestamp, project, event_message: `m ${index % 7}`, metadata };
  });
  const url = `${service.url}/api/logs?source_name=edge`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(events) });
  expect(response.status).toBe(200);
}

async function readRows(project: string, sql: string): Promise<number> {
  const url = `${service.url}/api/endpoints/query/logs.all`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ project, sql }) });
  expect(response.status).toBe(200);
  return ((await response.json()) as { readonly result: readonly unknown[] }).result.length;
}

it("a query returns every row of its project while other events are stored, sorted and checkpointed", async () => {
  let reads = 0;
  const missing: string[] = [];
  const read = async () => {
    while (reads < readCount) {
      const at = reads++;
      const sql = queries[at % queries.length] ?? "";
      const rows = await readRows(`fixed${at % projects}`, sql);
      if (rows !== 3) missing.push(`${rows} rows of ${sql}`);
    }
  };
  const write = async (writer: number) => {
    for (let batch = 0; reads < readCount; batch++) await ingest(`w${writer}-${(batch * 7) % 50}`, 40);
  };
  await Promise.all([read(), read(), read(), write(0), write(1)]);
  expect(missing).toEqual([]);
}, 300_000);
