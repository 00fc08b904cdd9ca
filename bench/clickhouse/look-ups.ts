/**
 * Measures what looking ids up costs a server of ClickHouse: `npm run bench:look-ups -- [ROWS]` fills tables with parts
 * of so many rows, asks each for ids that none of them has, and prints the server's processor time for an id: in one
 * part more, and in the rest of the statement. It does so for random ids, for ids that begin with the time, and for an
 * index of whole ids.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openServerClient,
  type ServerClient,
  type ServerSettings,
} from "../../src/engines/clickhouse/driver/client.ts";
import { migrate } from "../../src/engines/clickhouse/migrate.ts";
import { createSourceTable, ID_TERM } from "../../src/engines/clickhouse/store/statements.ts";
import { startServer } from "../../test/clickhouse/start.ts";
import { assumed, lookUpCpuUs } from "../../test/docs/scale-plan.ts";
import { quantileOf } from "../statistics.ts";

const place = { database: "logs", cluster: undefined };
/** As many as fit into one value of a statement. */
const idsAtOnce = 2_500;
const rounds = 9;
const onePart: ServerSettings = {
  ...{ max_insert_block_size: "100000000", min_insert_block_size_rows: "100000000", min_insert_block_size_bytes: "0" },
  ...{ max_threads: "1", max_insert_threads: "1" },
};

interface Ids {
  readonly name: string;
  /** The server's expression of one that is stored, and one that is not. */
  readonly stored: string;
  next(): string;
}

const random: Ids = {
  name: "random ids",
  stored: "toString(generateUUIDv4(number))",
  next: () => crypto.randomUUID(),
};
const timed: Ids = {
  name: "ids that begin with the time",
  stored: "toString(generateUUIDv7(number))",
  next: () => {
    const time = Date.now().toString(16).padStart(12, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
  },
};

/** Processor time in microseconds an id. */
interface Cost {
  readonly part: number;
  readonly statement: number;
}

interface Shape {
  readonly name: string;
  readonly ids: Ids;
  readonly edit: (statement: string) => string;
}

const same = (statement: string) => statement;
const shapes: readonly Shape[] = [
  { name: "hashes of", ids: random, edit: same },
  { name: "hashes of", ids: timed, edit: same },
  { name: "whole", ids: random, edit: (statement) => statement.replace(ID_TERM, "dictionary_block_size = 128") },
];

async function fill(client: ServerClient, table: string, shape: Shape, rows: number, parts: number): Promise<void> {
  const [create = ""] = createSourceTable(place, table, [], undefined);
  await client.command(shape.edit(create));
  await client.command(`SYSTEM STOP MERGES logs.${table}`);
  for (let part = 0; part < parts; part++) {
    const select = `SELECT ${shape.ids.stored}, ${part} * 1000000000 + number, ${part} FROM numbers(${rows})`;
    await client.command(`INSERT INTO logs.${table} (id, timestamp, lw_batch) ${select}`, onePart);
  }
}

async function numberOf(client: ServerClient, sql: string): Promise<number> {
  const [[value] = []] = await client.rows(sql);
  return Number(value);
}

/** Median processor time in microseconds of a statement for each of its ids, by the server's own account. */
async function askFor(client: ServerClient, table: string, { ids }: Shape): Promise<number> {
  const spent = () => numberOf(client, "SELECT value FROM system.events WHERE event = 'OSCPUVirtualTimeMicroseconds'");
  const sql = `SELECT id, timestamp, lw_batch FROM logs.${table} WHERE id IN {ids:Array(String)}`;
  const figures: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const asked = Array.from({ length: idsAtOnce }, () => ids.next());
    const before = await spent();
    await client.rows(sql, { ids: asked });
    // The first reads the index's header.
    if (round > 0) figures.push(((await spent()) - before) / idsAtOnce);
  }
  return quantileOf(figures, 0.5);
}

async function measure(client: ServerClient, shape: Shape, rows: number, parts: number): Promise<Cost> {
  const us: number[] = [];
  const tables = [1, parts].map((count) => ({ count, table: `t${crypto.randomUUID().replaceAll("-", "")}` }));
  for (const { count, table } of tables) {
    await fill(client, table, shape, rows, count);
    us.push(await askFor(client, table, shape));
  }
  const bytes = await numberOf(
    client,
    "SELECT sum(secondary_indices_compressed_bytes) / sum(rows) FROM system.parts " +
      `WHERE active AND table = '${tables[0]?.table}'`,
  );
  for (const { table } of tables) await client.command(`DROP TABLE logs.${table} SYNC`);
  const [one = 0, all = 0] = us;
  const part = (all - one) / (parts - 1);
  const statement = one - part;
  process.stdout.write(
    `${shape.name} ${shape.ids.name}, ${rows.toLocaleString("en")} rows a part: ${part.toFixed(1)} us a part, ` +
      `${statement.toFixed(1)} us the statement, ${bytes.toFixed(1)} bytes an id\n`,
  );
  return { part, statement };
}

const largeRows = Number(process.argv[2] ?? 4_000_000);
const folder = mkdtempSync(join(tmpdir(), "logweir-look-ups-"));
const server = await startServer({ folder });
const access = { urls: [server.url], user: "default", password: "", database: "logs" };
const client = openServerClient({ ...access, callTimeoutMs: 300_000 });
try {
  await migrate(access);
  for (const shape of shapes) {
    const small = await measure(client, shape, 71_429, 15);
    const large = await measure(client, shape, largeRows, 4);
    const us = lookUpCpuUs(large.part, small.part, large.statement);
    const servers = (250_000 * us) / 1e6 / assumed.serverCores;
    process.stdout.write(`  servers busy with look-ups at 250,000 events/s: ${servers.toFixed(2)}\n`);
  }
} finally {
  await client.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
}
