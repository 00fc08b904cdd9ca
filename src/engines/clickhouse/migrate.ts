/** What has to be on the server before an engine works with it, and what its users must be able to do. */
import { openServerClient, type ServerClient, type ServerOptions } from "./driver/client.ts";
import { createDatabase, createOwnTables, SCHEMA_TABLE, type TablePlace, TENANTS_TABLE } from "./store/statements.ts";

/** Older servers lack what the compiler prints, or print it otherwise. */
const OLDEST = [26, 3] as const;

export interface ServerAccess extends Omit<ServerOptions, "database"> {
  readonly database: string;
  readonly cluster?: string;
  /** Runs queries; the other user unless set. */
  readonly reader?: { readonly user: string; readonly password: string };
}

/** Something that is not as it should be. */
export interface ServerFinding {
  readonly code: "old_server" | "missing_database" | "missing_table" | "missing_grant" | "excessive_grant";
  /** What is wrong and what to do. */
  readonly message: string;
}

function placeOf({ database, cluster }: ServerAccess): TablePlace {
  return { database, cluster };
}

async function withClient<T>(access: ServerAccess, work: (client: ServerClient) => Promise<T>): Promise<T> {
  // Of no database: it may not be there yet.
  const { database: _, ...options } = access;
  const client = openServerClient(options);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function readTables(client: ServerClient, database: string): Promise<ReadonlySet<string>> {
  const rows = await client.rows("SELECT name FROM system.tables WHERE database = {database:String}", { database });
  return new Set(rows.map(([name]) => String(name)));
}

async function hasDatabase(client: ServerClient, database: string): Promise<boolean> {
  const rows = await client.rows("SELECT name FROM system.databases WHERE name = {database:String}", { database });
  return rows.length > 0;
}

/** The statements that create what is missing; empty if nothing is. Throws `EngineError`. */
export function planMigration(access: ServerAccess): Promise<readonly string[]> {
  return withClient(access, async (client) => {
    const place = placeOf(access);
    const [hasIt, tables] = await Promise.all([
      hasDatabase(client, access.database),
      readTables(client, access.database),
    ]);
    const [schema = "", tenants = ""] = createOwnTables(place);
    return [
      ...(hasIt ? [] : [createDatabase(place)]),
      ...(tables.has(SCHEMA_TABLE) ? [] : [schema]),
      ...(tables.has(TENANTS_TABLE) ? [] : [tenants]),
    ];
  });
}

/** Makes what is missing, and answers the statements. Throws `EngineError`. */
export async function migrate(access: ServerAccess): Promise<readonly string[]> {
  const statements = await planMigration(access);
  await withClient(access, async (client) => {
    for (const statement of statements) await client.command(statement);
  });
  return statements;
}

/** What the user of the service does, by the grant that it needs. */
const WRITER_GRANTS = "SELECT, INSERT, CREATE TABLE, ALTER ADD COLUMN, ALTER UPDATE, ALTER DELETE, DROP TABLE".split(
  ", ",
);

/** What the user who runs consumers' queries must not be able to do, whatever the query is. */
const READER_MUST_LACK = ["INSERT", "CREATE TABLE", "ALTER TABLE", "DROP TABLE", "TRUNCATE"];
const READER_SOURCES = ["READ ON URL", "READ ON S3", "READ ON REMOTE", "READ ON FILE"];

async function isGranted(client: ServerClient, grant: string): Promise<boolean> {
  const [[answer] = []] = await client.rows(`CHECK GRANT ${grant}`);
  return Number(answer) === 1;
}

async function checkWriter(client: ServerClient, { database, user }: ServerAccess): Promise<readonly ServerFinding[]> {
  const missing: string[] = [];
  for (const grant of WRITER_GRANTS) if (!(await isGranted(client, `${grant} ON ${database}.*`))) missing.push(grant);
  if (missing.length === 0) return [];
  const message = `The user ${user} lacks rights: GRANT ${missing.join(", ")} ON ${database}.* TO ${user}`;
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

/** The problems of the server and its users; empty if there are none. Throws `EngineError`. */
export async function checkServer(access: ServerAccess): Promise<readonly ServerFinding[]> {
  const findings = await withClient(access, async (client): Promise<readonly ServerFinding[]> => {
    const { database } = access;
    const [[version] = []] = await client.rows("SELECT version()");
    const [major = 0, minor = 0] = String(version).split(".").map(Number);
    const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
    const old: ServerFinding = {
      code: "old_server",
      message: `The server is ${String(version)}; ${OLDEST.join(".")} is the oldest that the engine works with`,
    };
    if (!(await hasDatabase(client, database))) {
      const message = `The server has no database ${database}: \`logweir engine migrate\` makes it`;
      return [...(isOld ? [old] : []), { code: "missing_database", message }];
    }
    const tables = await readTables(client, database);
    const missing = [SCHEMA_TABLE, TENANTS_TABLE].filter((table) => !tables.has(table));
    const lacking = missing.map((table): ServerFinding => {
      const message = `The database ${database} has no table ${table}: \`logweir engine migrate\` makes it`;
      return { code: "missing_table", message };
    });
    return [...(isOld ? [old] : []), ...lacking, ...(await checkWriter(client, access))];
  });
  const reader = { ...access, ...(access.reader ?? {}) };
  return [...findings, ...(await withClient(reader, (client) => checkReader(client, access)))];
}
