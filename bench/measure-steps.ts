/**
 * Measures what an event costs at each step of its way into the embedded engine, and what the step would cost at least,
 * in turns of the same batches, in processor time of this process.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { EncodedBatch } from "../src/engines/duckdb/batch/batch.ts";
import { viewBatch } from "../src/engines/duckdb/batch/batch-reader.ts";
import { BatchEncoder } from "../src/engines/duckdb/batch/event-encoder.ts";
import type { Connection } from "../src/engines/duckdb/driver/connection.ts";
import { encodeFrame, FrameReader } from "../src/engines/duckdb/host/frames.ts";
import { makeCheckpoint } from "../src/engines/duckdb/host/maintenance/checkpoints.ts";
import {
  beginCompaction,
  finishCompaction,
  planCompaction,
  writeRun,
} from "../src/engines/duckdb/host/maintenance/compaction.ts";
import { commitGroup } from "../src/engines/duckdb/host/store/group-commit.ts";
import { buildChunks } from "../src/engines/duckdb/host/store/row-chunks.ts";
import { createSourceTables } from "../src/engines/duckdb/host/store/source-tables.ts";
import { openStoreFile } from "../src/engines/duckdb/host/store/store-file.ts";
import type { StoredSource } from "../src/engines/duckdb/host/store/stored-source.ts";
import type { EncodingSchema } from "../src/engines/encoder/protocol.ts";
import { createDeclaration } from "../src/engines/schema/declaration.ts";
import { applyEntries, createFieldTree } from "../src/engines/schema/field-tree.ts";
import { defaultSchemaLimits, grantEntries } from "../src/engines/schema/grant-entries.ts";
import { TenantSets } from "../src/engines/schema/source/tenant-sets.ts";
import { parseEvents } from "../src/ingest/parse-events.ts";
import { readPlainBody } from "../src/ingest/plain-body.ts";
import { createSupply, type EventSupply } from "./event-supply.ts";
import type { BenchOptions } from "./options.ts";
import { quantileOf } from "./statistics.ts";

const batchEvents = 1_000;
const batchesPerRound = 15;
const rounds = 7;
const memoryLimitBytes = 512 * 1024 ** 2;
const pieceBytes = 65_536;

/** Microseconds of processor time an event, by step, the median of all rounds. */
export type StepCosts = ReadonlyMap<string, number>;

const bodyOf = (bytes: Uint8Array) => {
  return {
    bytes,
    contentType: undefined,
    contentEncoding: undefined,
    id: randomUUID(),
    nowUs: 0n,
    maxBytes: 1e9,
    wantsKeys: false,
  };
};

/** Gathers costs; a step's first round warms up. */
class Costs {
  readonly #costs = new Map<string, number[]>();

  async measure<Result>(step: string, events: number, work: () => Result | Promise<Result>): Promise<Result> {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    this.#costs.set(step, [...(this.#costs.get(step) ?? []), (user + system) / events]);
    return result;
  }

  medians(): StepCosts {
    return new Map(
      [...this.#costs].map(([step, [first = 0, ...later]]) => [
        step,
        quantileOf(later.length > 0 ? later : [first], 0.5),
      ]),
    );
  }
}

async function learnSchema(bytes: Uint8Array) {
  const declaration = createDeclaration({ name: "edge", knownFields: [], tenantField: "project" });
  const tree = createFieldTree([], declaration);
  const { events } = await parseEvents(bodyOf(bytes));
  const { missing = [] } = new BatchEncoder().encode({ tree, full: new Set() }, events);
  const { entries } = grantEntries(
    { tree, entries: [], tenants: new TenantSets(), limits: defaultSchemaLimits },
    missing,
  );
  applyEntries(tree, entries);
  return { schema: { tree, full: new Set(), tenantField: "project" } satisfies EncodingSchema, entries };
}

/** From a body's bytes to the engine host. */
async function measureService(costs: Costs, bodies: readonly Buffer[], schema: EncodingSchema, encoder: BatchEncoder) {
  const events = bodies.length * batchEvents;
  await costs.measure("JSON.parse alone", events, () =>
    bodies.map((body) => JSON.parse(body.toString("latin1")) !== 0),
  );
  await costs.measure("read and encode, parsed", events, async () => {
    for (const body of bodies) encoder.encode(schema, (await parseEvents(bodyOf(body))).events);
  });
  const batches = await costs.measure("read and encode, from bytes", events, async () => {
    const encoded: EncodedBatch[] = [];
    for (const body of bodies) {
      const plain = await readPlainBody(bodyOf(body));
      const outcome = plain === undefined ? undefined : encoder.encodePlain(schema, plain)?.outcome;
      if (outcome?.batch === undefined) throw new Error("The events are not plain");
      encoded.push(outcome.batch);
    }
    return encoded;
  });
  await costs.measure("copy of the columns alone", events, () => batches.map(({ payload }) => Buffer.from(payload)));
  await costs.measure("frame, taken apart from pieces of 64 KB", events, () => {
    const reader = new FrameReader();
    for (const { header, payload } of batches) {
      for (const part of encodeFrame({ header }, payload)) {
        for (let at = 0; at < part.length; at += pieceBytes) {
          for (const { body } of reader.push(part.subarray(at, at + pieceBytes))) Buffer.concat(body);
        }
      }
    }
  });
  return batches;
}

/** From the engine host into the log. */
async function measureAppend(
  costs: Costs,
  connection: Connection,
  source: StoredSource,
  batches: readonly EncodedBatch[],
) {
  const events = batches.length * batchEvents;
  const rows = Array.from({ length: batchEvents }, (_, row) => row);
  const chunks = await costs.measure("vectors of the columns", events, () =>
    batches.flatMap((batch) =>
      buildChunks(source.columns, [{ columns: viewBatch(batch), rows, rowCount: batchEvents }]),
    ),
  );
  await costs.measure("append of ready vectors alone, dropped", events, async () => {
    await connection.all("BEGIN");
    for (const chunk of chunks) await connection.append(source.table, [chunk]);
    await connection.all("ROLLBACK");
  });
  await costs.measure("vectors, ids, append, log and fsync", events, async () => {
    for (const batch of batches) await commitGroup(connection, [{ source, batch, context: { tenants: [] } }]);
  });
  await costs.measure("checkpoint", events, () => makeCheckpoint(connection, 0, true));
}

/** DuckDB's reader of JSON over the same bytes, into one column a leaf's parent and without names to clean. */
async function measureOwnReader(costs: Costs, folder: string, bodies: readonly Buffer[]) {
  const file = join(folder, "events.json");
  writeFileSync(file, `[${bodies.map((body) => body.subarray(1, -1).toString()).join(",")}]`);
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE shape AS SELECT * FROM read_json('${file}', format = 'array') LIMIT 0`);
  const shape = await connection.runAndReadAll("SELECT column_name, column_type FROM (DESCRIBE shape)");
  const columns = shape.getRows().map(([name, type]) => `'${String(name)}': '${String(type)}'`);
  const read = `SELECT * FROM read_json('${file}', format = 'array', columns = {${columns.join(", ")}})`;
  await costs.measure("DuckDB's JSON reader, one thread", bodies.length * batchEvents, () =>
    connection.run(`CREATE OR REPLACE TABLE events AS ${read}`),
  );
  connection.closeSync();
  instance.closeSync();
}

async function measureCompaction(costs: Costs, connection: Connection, aside: Connection, source: StoredSource) {
  const size = { minRows: 1, maxRows: rounds * batchesPerRound * batchEvents };
  const compaction = await planCompaction(connection, source, size, 0);
  if (compaction === undefined) throw new Error("There is nothing to compact");
  // As a statement that the calling thread takes part in; then as it is.
  const joined = { runAside: async (sql: string) => void (await aside.all(sql)) };
  await beginCompaction(aside, compaction);
  await costs.measure("a sorted run, with two threads", compaction.rowCount, () => writeRun(joined, compaction));
  await aside.all("ROLLBACK");
  await beginCompaction(aside, compaction);
  await costs.measure("a sorted run", compaction.rowCount, () => writeRun(aside, compaction));
  await finishCompaction(aside, compaction);
}

/** Measures all steps in turns. */
export async function measureSteps(options: BenchOptions, say: (line: string) => void): Promise<StepCosts> {
  const folder = join(options.folder, "steps");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const supply: EventSupply = createSupply(options.plan);
  const takeBodies = () =>
    Array.from({ length: batchesPerRound }, () =>
      Buffer.from(
        `[${supply
          .take(batchEvents)
          .map(({ json }) => json)
          .join(",")}]`,
      ),
    );
  const { schema, entries } = await learnSchema(takeBodies()[0] ?? Buffer.alloc(0));
  const store = {
    directory: join(folder, "store"),
    threads: 2,
    memoryLimitBytes,
    checkpointBytes: 1,
    compaction: { minRows: 1, maxRows: 1 },
  };
  const { database, position } = await openStoreFile(store);
  const [connection, aside] = [await database.connect(), await database.connect()];
  const costs = new Costs();
  try {
    const rules = { tenantField: "project", fields: [] };
    const [source] = await createSourceTables(connection, [{ name: "edge", entries, rules }]);
    if (source === undefined) throw new Error("No table was made");
    const encoder = new BatchEncoder();
    for (let round = 0; round < rounds; round++) {
      say(`Steps of ingest, round ${round + 1} of ${rounds}`);
      const bodies = takeBodies();
      const batches = await measureService(costs, bodies, schema, encoder);
      await measureAppend(costs, connection, source, batches);
      await measureOwnReader(costs, folder, bodies);
    }
    await measureCompaction(costs, connection, aside, source);
    return costs.medians();
  } finally {
    database.close();
    position?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
