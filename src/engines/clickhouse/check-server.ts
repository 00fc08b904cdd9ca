/** Whether a server, its users and its tables are as the engine needs them. */
import type { ServerClient } from "./driver/client.ts";
import { LEAST_LIMITS, type LimitName, type LimitValues, readLimits } from "./driver/limits.ts";
import { hasDatabase, placeOf, readTables, type ServerAccess, withClient } from "./migrate.ts";
import { findCondition, type ServerFinding } from "./server-condition.ts";
import { SCHEMA_TABLE, TENANTS_TABLE } from "./store/statements.ts";

/** Older servers lack what the compiler prints, or print it otherwise. */
const OLDEST = [26, 3] as const;

/** The result of `engine check`. */
export interface ServerCheck {
  /** Problems found; empty if there are none. */
  readonly findings: readonly ServerFinding[];
  /** By which requests are cut, as the writer and the reader have them. */
  readonly limits: { readonly writer: LimitValues; readonly reader: LimitValues };
}

/** The grants of the service's user. */
const WRITER_GRANTS = "SELECT, INSERT, CREATE TABLE, ALTER ADD COLUMN, ALTER UPDATE, ALTER DELETE, DROP TABLE".split(
  ", ",
);
/** Tables that show its state. */
const WRITER_TABLES = ["system.parts"];
/** The grants that statements ON CLUSTER and distributed tables need. */
const CLUSTER_GRANTS = ["CLUSTER", "REMOTE"];

/** Grants that the user of consumers' queries must not have, whatever the query is. */
const READER_MUST_LACK = ["INSERT", "CREATE TABLE", "ALTER TABLE", "DROP TABLE", "TRUNCATE"];
const READER_SOURCES = ["READ ON URL", "READ ON S3", "READ ON REMOTE", "READ ON FILE"];

async function isGranted(client: ServerClient, grant: string): Promise<boolean> {
  const [[answer] = []] = await client.rows(`CHECK GRANT ${grant}`);
  return Number(answer) === 1;
}

async function lackingOf(client: ServerClient, grants: readonly string[], on: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const grant of grants) if (!(await isGranted(client, `${grant} ON ${on}`))) missing.push(grant);
  return missing.length === 0 ? [] : [`${missing.join(", ")} ON ${on}`];
}

async function checkWriter(
  client: ServerClient,
  { database, user, cluster }: ServerAccess,
  unread: readonly string[],
): Promise<readonly ServerFinding[]> {
  const tables = await Promise.all(WRITER_TABLES.map((table) => lackingOf(client, ["SELECT"], table)));
  const lacking = [
    ...(await lackingOf(client, WRITER_GRANTS, `${database}.*`)),
    ...tables.flat(),
    ...(cluster === undefined ? [] : await lackingOf(client, CLUSTER_GRANTS, "*.*")),
    ...unread.map((table) => `SELECT ON ${table}`),
  ];
  if (lacking.length === 0) return [];
  const message = `The user ${user} lacks rights: ${lacking.map((each) => `GRANT ${each} TO ${user}`).join("; ")}`;
  return [{ code: "missing_grant", message }];
}

async function checkReader(client: ServerClient, { database, reader, user }: ServerAccess): Promise<ServerFinding[]> {
  const name = reader?.user ?? user;
  const excessive: string[] = [];
  for (const grant of READER_MUST_LACK) if (await isGranted(client, `${grant} ON ${database}.*`)) excessive.push(grant);
  for (const grant of READER_SOURCES) if (await isGranted(client, grant)) excessive.push(grant);
  const findings: ServerFinding[] = [];
  if (!(await isGranted(client, `SELECT ON ${database}.events_*`))) {
    const message = `The user ${name} lacks a right: GRANT SELECT ON ${database}.events_* TO ${name}`;
    findings.push({ code: "missing_grant", message });
  }
  if (excessive.length > 0) {
    const what = excessive.join(", ");
    const message = `The user ${name} runs queries and has the rights ${what}: give queries a user that only reads`;
    findings.push({ code: "excessive_grant", message });
  }
  return findings;
}

function checkLimits(limits: LimitValues): readonly ServerFinding[] {
  return (Object.keys(LEAST_LIMITS) as LimitName[]).flatMap((name) => {
    if (limits[name] >= LEAST_LIMITS[name]) return [];
    const message = `${name} is ${limits[name]}: set it to ${LEAST_LIMITS[name]} at least, in the default profile`;
    return [{ code: "low_limit" as const, message }];
  });
}

async function findOldServer(client: ServerClient): Promise<readonly ServerFinding[]> {
  const [[version] = []] = await client.rows("SELECT version()");
  const [major = 0, minor = 0] = String(version).split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return [];
  const message = `The server is ${String(version)}; ${OLDEST.join(".")} is the oldest that the engine works with`;
  return [{ code: "old_server", message }];
}

async function checkAsWriter(client: ServerClient, access: ServerAccess): Promise<readonly ServerFinding[]> {
  const { database } = access;
  const old = await findOldServer(client);
  if (!(await hasDatabase(client, database))) {
    const message = `The server has no database ${database}: \`logweir engine migrate\` makes it`;
    return [...old, { code: "missing_database", message }];
  }
  const tables = await readTables(client, database);
  const missing = [SCHEMA_TABLE, TENANTS_TABLE].filter((table) => !tables.has(table));
  const lacking = missing.map((table): ServerFinding => {
    const message = `The database ${database} has no table ${table}: \`logweir engine migrate\` makes it`;
    return { code: "missing_table", message };
  });
  const condition = await findCondition(client, placeOf(access), { readsSchema: missing.length === 0 });
  return [...old, ...lacking, ...(await checkWriter(client, access, condition.unread)), ...condition.findings];
}

/** The problems and the limits of the server and its users. Throws `EngineError`. */
export async function checkServer(access: ServerAccess): Promise<ServerCheck> {
  const [found, writer] = await withClient(access, async (client) => {
    return [await checkAsWriter(client, access), await readLimits((sql) => client.rows(sql))] as const;
  });
  const asReader = { ...access, ...(access.reader ?? {}) };
  const [ofReader, reader] = await withClient(asReader, async (client) => {
    return [await checkReader(client, access), await readLimits((sql) => client.rows(sql))] as const;
  });
  return { findings: [...found, ...ofReader, ...checkLimits(writer)], limits: { writer, reader } };
}
