/** Creates the tables that an engine needs on the server. */
import { openServerClient, type ServerClient, type ServerOptions } from "./driver/client.ts";
import { createDatabase, createOwnTables, SCHEMA_TABLE, type TablePlace, TENANTS_TABLE } from "./store/statements.ts";

export interface ServerAccess extends Omit<ServerOptions, "database"> {
  readonly database: string;
  readonly cluster?: string;
  /** Runs queries; the other user unless set. */
  readonly reader?: { readonly user: string; readonly password: string };
}

/** Where the access's tables are. */
export function placeOf({ database, cluster }: ServerAccess): TablePlace {
  return { database, cluster };
}

/** Works with a connection of no database, which may not be there yet. */
export async function withClient<T>(access: ServerAccess, work: (client: ServerClient) => Promise<T>): Promise<T> {
  const { database: _, ...options } = access;
  const client = openServerClient(options);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Names of the database's tables. */
export async function readTables(client: ServerClient, database: string): Promise<ReadonlySet<string>> {
  const rows = await client.rows("SELECT name FROM system.tables WHERE database = {database:String}", { database });
  return new Set(rows.map(([name]) => String(name)));
}

/** Is there such a database? */
export async function hasDatabase(client: ServerClient, database: string): Promise<boolean> {
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
