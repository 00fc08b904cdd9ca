import { randomBytes } from "node:crypto";
import { Kysely, PostgresDialect, sql } from "kysely";
import { ServiceError } from "../../shared/errors.ts";
import { UserError } from "../../shared/user-error.ts";
import type { JoinOptions, MetadataDatabase } from "../database.ts";
import { migrate } from "../migrations.ts";
import { postgresColumns } from "./columns.ts";
import { createPool, openSession } from "./connections.ts";
import { describeStartFailure } from "./database-error.ts";
import { type DatabasePlace, readDatabaseUrl } from "./database-url.ts";
import { createKeyStore } from "./drain-keys.ts";
import { lockOf } from "./locks.ts";
import { Member } from "./member.ts";
import type { PostgresSchema } from "./schema.ts";
import { createAnswerStore } from "./warm-answers.ts";

const keyName = "service";
const keyBytes = 32;
/** 13: every release that PostgreSQL's makers still care for when this was written. */
const oldestServer = 130_000;

/**
 * Opens the metadata in a PostgreSQL database, and brings its tables up to date; of several that do so at once, one
 * does, and the others wait. Throws `UserError` where the database cannot be used.
 */
export async function openPostgres(url: string): Promise<MetadataDatabase> {
  const place = readDatabaseUrl(url);
  await withTables(place, (queries) => prepare(queries, place));
  let member: Member | undefined;
  const reach = { isAway: () => member?.isAway ?? false, epoch: () => member?.sessionCount ?? 0 };
  const pool = createPool(place, reach);
  const queries = new Kysely<PostgresSchema>({ dialect: new PostgresDialect({ pool }) });
  return {
    queries,
    versionOf: (topic) => member?.versionOf(topic) ?? 0,
    confirm: async () => member?.confirm(),
    inTurn: (name, work) =>
      queries.transaction().execute(async (transaction) => {
        const [space, number] = lockOf(name);
        await sql`SELECT pg_advisory_xact_lock(${space}, ${number})`.execute(transaction);
        return work(transaction);
      }),
    drainKeys: createKeyStore(queries),
    warmAnswers: createAnswerStore(queries, Date.now),
    readKey: () => readKey(queries, place),
    async replaceKey(key) {
      const value = Buffer.from(key).toString("base64");
      await queries.updateTable("service_keys").set({ value }).where("name", "=", keyName).execute();
    },
    async join(options: JoinOptions) {
      const joining = new Member(queries, (queryTimeoutMs, events) => openSession(place, queryTimeoutMs, events), {
        ...options,
        shown: place.shown,
      });
      await joining.start().catch((error: unknown) => {
        throw describeStartFailure(error, place);
      });
      member = joining;
      return joining;
    },
    async close() {
      await member?.close();
      await queries.destroy();
    },
  };
}

/** Whether the database has the metadata's tables. Throws `UserError` where it cannot be used. */
export async function hasTables(url: string): Promise<boolean> {
  return withTables(readDatabaseUrl(url), async (queries) => {
    const { rows } = await sql<{ readonly found: boolean }>`
      SELECT to_regclass('service_keys') IS NOT NULL AS found`.execute(queries);
    return rows[0]?.found === true;
  });
}

/** Works on the tables over connections of its own. Throws `UserError` where the database cannot be used. */
async function withTables<T>(place: DatabasePlace, work: (queries: Kysely<PostgresSchema>) => Promise<T>): Promise<T> {
  const queries = new Kysely<PostgresSchema>({ dialect: new PostgresDialect({ pool: createPool(place) }) });
  try {
    return await work(queries);
  } catch (error) {
    throw describeStartFailure(error instanceof ServiceError ? error.cause : error, place);
  } finally {
    await queries.destroy();
  }
}

/** Makes tables and key, or brings them up to date. */
async function prepare(queries: Kysely<PostgresSchema>, { shown }: DatabasePlace): Promise<void> {
  await queries.transaction().execute(async (transaction) => {
    const [space, number] = lockOf("migrations");
    await sql`SELECT pg_advisory_xact_lock(${space}, ${number})`.execute(transaction);
    await checkServer(transaction);
    // Over connections of their own.
    await migrate(queries, postgresColumns, shown);
    await makeKey(queries);
  });
}

async function checkServer(queries: Kysely<PostgresSchema>): Promise<void> {
  const { rows } = await sql<{ readonly version: number; readonly name: string; readonly encoding: string }>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
      current_setting('server_encoding') AS encoding`.execute(queries);
  const [server] = rows;
  if (server === undefined) throw new Error("The server does not report its version");
  if (server.version < oldestServer) throw new UserError(`PostgreSQL ${server.name} is too old: 13 or later is needed`);
  if (server.encoding !== "UTF8") {
    throw new UserError(`The database of LOGWEIR_METADATA_URL is in ${server.encoding}; make one in UTF8`);
  }
}

async function makeKey(queries: Kysely<PostgresSchema>): Promise<void> {
  const known = await queries.selectFrom("service_keys").select("name").where("name", "=", keyName).executeTakeFirst();
  if (known !== undefined) return;
  const value = randomBytes(keyBytes).toString("base64");
  await queries.insertInto("service_keys").values({ name: keyName, value }).execute();
}

async function readKey(queries: Kysely<PostgresSchema>, { shown }: DatabasePlace): Promise<Uint8Array> {
  const row = await queries.selectFrom("service_keys").select("value").where("name", "=", keyName).executeTakeFirst();
  const key = Buffer.from(row?.value ?? "", "base64");
  if (key.length === keyBytes) return key;
  throw new UserError(
    `The key in ${shown} is damaged; nothing was changed. Delete the row of service_keys, and the next start makes a ` +
      "new one: cursors given out so far end, and backends of drains have to be made again",
  );
}
