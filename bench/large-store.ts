/**
 * Measures a service over a store of many events: `node bin/tool.mjs bench/large-store.ts make FOLDER [EVENTS]` writes
 * events of about 200 bytes, of the last thirty days, straight into a store's tables; `measure FOLDER [ROOT]` starts the
 * service of a checkout on it, twice, and prints the seconds to its start and the memory of the service with its engine,
 * at rest and while events come in and queries run; `newest FOLDER OTHER [ROOT]` asks for newest rows by calls that all
 * differ, of both stores, and prints their times and the ratio of the second to the first.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Connection, openDatabase } from "../src/engines/duckdb/driver/connection.ts";
import { type HttpClient, openHttpClient } from "./http-client.ts";
import { startProcess, token } from "./peers/logweir.ts";
import { folderBytes, residentBytes, treeCpuSeconds, treePids, waitForRest } from "./processes.ts";
import { rootFolder } from "./root.ts";
import { quantileOf } from "./statistics.ts";

const runRows = 92_160;
const dayMs = 24 * 3600 * 1000;
const storedDays = 30;
const projects = 50;
const sampleRows = 1000;
const loadSeconds = 60;
const eventsPerSecond = 1000;

const source = `name: small
kind: application
tenant: project
fields: { project: STRING, level: STRING, status: INT64 }
`;

interface Running {
  readonly client: HttpClient;
  readonly pid: number;
  readonly startSeconds: number;
  stop(): Promise<void>;
}

async function start(folder: string, root: string): Promise<Running> {
  const begun = performance.now();
  const { child, url } = startProcess(folder, {}, root);
  const client = openHttpClient(await url, token, 64);
  for (;;) {
    const { status } = await client.send({ method: "GET", path: "/health" });
    if (status === 200) break;
    await new Promise((done) => setTimeout(done, 50));
  }
  const startSeconds = (performance.now() - begun) / 1000;
  const stop = async () => {
    client.close();
    const ended = new Promise<void>((done) => child.once("exit", () => done()));
    child.kill("SIGTERM");
    await ended;
  };
  return { client, pid: child.pid ?? 0, startSeconds, stop };
}

function makeEvents(first: number, count: number): Buffer {
  const events = Array.from({ length: count }, (_, index) => {
    // One in twenty of each project.
    const isError = (index + Math.floor(index / projects)) % 20 === 0;
    return {
      id: crypto.randomUUID(),
      timestamp: new Date().toISOString(),
      event_message: `request ${first + index} of the load was answered in ${index % 97} ms`,
      project: `project-${index % projects}`,
      level: isError ? "error" : "info",
      status: isError ? 500 : 200,
    };
  });
  return Buffer.from(JSON.stringify(events));
}

async function send(client: HttpClient, body: Buffer): Promise<void> {
  const { status, body: answer } = await client.send({ method: "POST", path: "/api/logs?source_name=small", body });
  if (status !== 200) throw new Error(`The service refused events: ${status} ${answer.toString()}`);
}

/** Writes a run in its order: the sample's rows are sorted by project. */
interface Span {
  readonly firstMs: number;
  readonly lengthMs: number;
}

/** Rows in the order of a sorted run: by project, and the events of each over the whole span of time. */
async function writeRun(connection: Connection, table: string, run: number, rowCount: number, span: Span) {
  const projectRows = Math.ceil(rowCount / projects);
  const samples = sampleRows / projects;
  const [firstUs, stepUs] = [Math.floor(span.firstMs * 1000), (span.lengthMs * 1000) / projectRows];
  await connection.transaction(async () => {
    await connection.all(
      `INSERT INTO "${table}" SELECT sample.* EXCLUDE (k) REPLACE (
        uuid()::VARCHAR AS id, make_timestamp(${firstUs} + ((i % ${projectRows}) * ${stepUs})::BIGINT) AS timestamp,
        'request ' || (${run} * ${runRows} + i) || ' was answered in ' || (i % 97) || ' ms by worker ' || (i % 13)
          AS event_message, ${run} AS lw_run)
      FROM range(${rowCount}) AS numbers(i) JOIN sample
        ON sample.k = i // ${projectRows} * ${samples} + i % ${samples}`,
    );
    await connection.all(`INSERT INTO lw_runs VALUES ('${table}', ${run}, ${rowCount})`);
  });
}

async function make(folder: string, eventCount: number): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "sources"), { recursive: true });
  mkdirSync(join(folder, "endpoints"), { recursive: true });
  writeFileSync(join(folder, "sources", "small.yaml"), source);
  const service = await start(folder, rootFolder);
  await send(service.client, makeEvents(0, sampleRows));
  await service.stop();
  const path = join(folder, "data", "store", "events.duckdb");
  const database = await openDatabase({ path, threads: 1, memoryLimitBytes: 1024 ** 3 });
  const connection = await database.connect();
  const [row = []] = await connection.all(
    `SELECT table_name, column_name FROM lw_sources JOIN lw_fields ON lw_fields.source = lw_sources.name
    WHERE name = 'small' AND path = 'project' AND column_name IS NOT NULL`,
  );
  const [table, tenant] = row.map(String);
  if (table === undefined) throw new Error("The store has no table");
  const numbered = `SELECT *, row_number() OVER (ORDER BY "${tenant}") - 1 AS k FROM "${table}"`;
  await connection.all(`CREATE TEMP TABLE sample AS ${numbered}`);
  await connection.all(`DELETE FROM "${table}"`);
  const runs = Math.ceil(eventCount / runRows);
  const beginMs = Date.now() - storedDays * dayMs;
  for (let run = 1; run <= runs; run++) {
    const rowCount = Math.min(runRows, eventCount - (run - 1) * runRows);
    const lengthMs = (storedDays * dayMs) / runs;
    await writeRun(connection, table, run, rowCount, { firstMs: beginMs + (run - 1) * lengthMs, lengthMs });
    if (run % 10 === 0 || run === runs) await connection.all("CHECKPOINT store");
    if (run % 100 === 0) console.log(`${run} of ${runs} runs`);
  }
  connection.close();
  database.close();
  console.log(`${eventCount} events, ${(folderBytes(folder) / eventCount).toFixed(0)} bytes each on disk`);
}

const query =
  "select timestamp, id, event_message from small where project = 'project-7' order by timestamp desc limit 100";
const counts =
  "select timestamp_trunc(timestamp, hour) as hour, count(*) as n from small " +
  "where timestamp > timestamp_sub(current_timestamp(), interval 1 day) group by hour order by hour";

function memoryOf(pid: number): number {
  return treePids(pid).reduce((sum, each) => sum + residentBytes(each), 0) / 1e6;
}

async function load(service: Running): Promise<number> {
  let peak = 0;
  const { client, pid } = service;
  const begun = performance.now();
  for (let second = 0; second < loadSeconds; second++) {
    await send(client, makeEvents(second * eventsPerSecond, eventsPerSecond));
    for (const sql of [query, counts]) {
      const path = `/api/query?${new URLSearchParams({ sql }).toString()}`;
      const { status, body } = await client.send({ method: "GET", path });
      if (status !== 200) throw new Error(`${status} ${body.toString()}`);
    }
    peak = Math.max(peak, memoryOf(pid));
    const left = begun + (second + 1) * 1000 - performance.now();
    if (left > 0) await new Promise((done) => setTimeout(done, left));
  }
  return peak;
}

async function measure(folder: string, root: string): Promise<void> {
  for (const name of ["first start", "second start"]) {
    const service = await start(folder, root);
    const begunCpu = treeCpuSeconds(service.pid);
    console.log(`${name}: ${service.startSeconds.toFixed(2)} s, ${memoryOf(service.pid).toFixed(0)} MB`);
    let peak = 0;
    for (let rest = 0; rest < 600; ) {
      const before = treeCpuSeconds(service.pid);
      await waitForRest([service.pid]);
      peak = Math.max(peak, memoryOf(service.pid));
      rest = treeCpuSeconds(service.pid) - before < 0.3 ? 600 : rest + 1;
    }
    const spent = treeCpuSeconds(service.pid) - begunCpu;
    console.log(
      `  at rest: ${memoryOf(service.pid).toFixed(0)} MB, at most ${peak.toFixed(0)} MB after ${spent.toFixed(1)} s of work`,
    );
    const before = treeCpuSeconds(service.pid);
    const loadPeak = await load(service);
    const perSecond = (treeCpuSeconds(service.pid) - before) / loadSeconds;
    console.log(`  under load: at most ${loadPeak.toFixed(0)} MB, ${perSecond.toFixed(3)} processors`);
    await service.stop();
  }
  console.log(`disk: ${(folderBytes(join(folder, "data")) / 1e6).toFixed(0)} MB`);
}

const newestCalls = 60;

/** Calls that have nothing in common but their form. */
function newestQuery(call: number): string {
  const until = new Date(Date.now() - call * 97 * 60_000).toISOString();
  const filters = ["", "and level = 'error'", "and status >= 500", "and event_message like '%of the load%'"];
  return (
    `select timestamp, id, event_message from small where project = 'project-${call % projects}' ` +
    `${call % 3 === 0 ? "" : `and timestamp < '${until}' `}${filters[call % 3 === 0 ? call % 4 : call % 2]} ` +
    `order by timestamp desc limit ${100 + call}`
  );
}

async function measureNewest(folder: string, root: string): Promise<number> {
  const service = await start(folder, root);
  await waitForRest([service.pid]);
  const times: number[] = [];
  for (let call = 0; call < 2 * newestCalls; call++) {
    const path = `/api/query?${new URLSearchParams({ sql: newestQuery(call) }).toString()}`;
    const { status, body, elapsedMs } = await service.client.send({ method: "GET", path });
    if (status !== 200) throw new Error(`The service refused a query: ${status} ${body.toString()}`);
    if (call >= newestCalls) times.push(elapsedMs);
  }
  await service.stop();
  const median = quantileOf(times, 0.5);
  console.log(`${folder}: ${median.toFixed(1)} ms, 90 % within ${quantileOf(times, 0.9).toFixed(1)} ms`);
  return median;
}

const [command, folder = "", argument, last] = process.argv.slice(2);
if (command === "make" && folder !== "") await make(resolve(folder), Number(argument ?? 100_000_000));
else if (command === "measure" && folder !== "") await measure(resolve(folder), resolve(argument ?? rootFolder));
else if (command === "newest" && folder !== "" && argument !== undefined) {
  const root = resolve(last ?? rootFolder);
  const [small, large] = [await measureNewest(resolve(folder), root), await measureNewest(resolve(argument), root)];
  console.log(`ratio: ${(large / small).toFixed(2)}`);
} else {
  const usage = ["make FOLDER [EVENTS]", "measure FOLDER [ROOT]", "newest FOLDER OTHER [ROOT]"];
  throw new Error(`Usage: node bin/tool.mjs bench/large-store.ts ${usage.join(" | ")}`);
}
