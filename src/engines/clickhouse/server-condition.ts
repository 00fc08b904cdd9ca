/** The condition of a server and of the tables on it: what an operator has to know and no grant shows. */
import { EngineError } from "../contract/query-engine.ts";
import { BATCH_COLUMN } from "./blocks/native-rows.ts";
import type { ServerClient } from "./driver/client.ts";
import { fixedColumns } from "./layout.ts";
import { SchemaKeeper } from "./store/schema-keeper.ts";
import { columnsOf, SCHEMA_TABLE, type TablePlace, TENANTS_TABLE } from "./store/statements.ts";

/** Something that is not as it should be. */
export interface ServerFinding {
  readonly code:
    | "old_server"
    | "missing_database"
    | "missing_table"
    | "missing_column"
    | "unknown_table"
    | "missing_grant"
    | "excessive_grant"
    | "low_limit"
    | "log_without_ttl"
    | "mutations_behind"
    | "read_only_replica"
    | "replica_behind"
    | "replica_away"
    | "keeper_away";
  /** The problem, and what to do about it. */
  readonly message: string;
}

export interface ServerCondition {
  readonly findings: readonly ServerFinding[];
  /** Tables of the server that the user may not read, so that what they show is not known. */
  readonly unread: readonly string[];
}

type Client = Pick<ServerClient, "rows">;

/** The server's own logs, which grow for good unless they have a TTL. */
const SERVER_LOGS = ["query_log", "query_thread_log", "part_log", "text_log", "trace_log", "metric_log"];

/** Unfinished mutations from which on deletions and fills are behind: each waits for those before it. */
const MAX_MUTATIONS = 20;
/** Seconds by which a replica may be behind. */
const MAX_REPLICA_DELAY = 300;

async function findUnboundedLogs(client: Client): Promise<readonly ServerFinding[]> {
  const names = SERVER_LOGS.map((name) => `'${name}'`).join(", ");
  const rows = await client.rows(
    `SELECT name, engine_full FROM system.tables WHERE database = 'system' AND name IN (${names})`,
  );
  return rows
    .filter(([, engine]) => !/\bTTL\b/.test(String(engine)))
    .map(([name]) => ({
      code: "log_without_ttl",
      message: `system.${String(name)} has no TTL and fills the disk: give it one in the server's configuration`,
    }));
}

async function findMutations(client: Client, { database }: TablePlace): Promise<readonly ServerFinding[]> {
  const rows = await client.rows(
    "SELECT table, count(), anyLast(latest_fail_reason) FROM system.mutations " +
      "WHERE database = {database:String} AND NOT is_done GROUP BY table ORDER BY table",
    { database },
  );
  return rows
    .filter(([, count, reason]) => Number(count) > MAX_MUTATIONS || String(reason) !== "")
    .map(([table, count, reason]) => ({
      code: "mutations_behind",
      message:
        `${String(table)} has ${String(count)} unfinished mutations` +
        (String(reason) === "" ? "" : `, which fail: ${String(reason).slice(0, 200)}`) +
        ": deletions of single days and ids wait for them",
    }));
}

async function findReplicas(client: Client, { database }: TablePlace): Promise<readonly ServerFinding[]> {
  const rows = await client.rows(
    "SELECT table, is_readonly, is_session_expired, absolute_delay, active_replicas, total_replicas " +
      "FROM system.replicas WHERE database = {database:String} ORDER BY table",
    { database },
  );
  return rows.flatMap(([table, isReadOnly, isExpired, delay, active, total]) => {
    const findings: ServerFinding[] = [];
    const add = (code: ServerFinding["code"], message: string) =>
      void findings.push({ code, message: `${String(table)}: ${message}` });
    if (Number(isExpired) === 1) add("keeper_away", "the replica has lost its session with Keeper");
    if (Number(isReadOnly) === 1) {
      add("read_only_replica", "the replica is read-only and refuses events: see Keeper, then SYSTEM RESTART REPLICA");
    }
    if (Number(delay) > MAX_REPLICA_DELAY) add("replica_behind", `the replica is ${String(delay)} seconds behind`);
    if (Number(active) < Number(total)) add("replica_away", describeQuorum(Number(active), Number(total)));
    return findings;
  });
}

/** Inserts wait for a majority of the replicas (`insert_quorum`). */
function describeQuorum(active: number, total: number): string {
  const needed = Math.floor(total / 2) + 1;
  const left = active - needed;
  const what =
    left < 0
      ? `insert_quorum needs ${needed}, so that events are refused until one is back`
      : `insert_quorum needs ${needed}: ${left === 0 ? "none more may go away" : `${left} more may go away`}`;
  return `${active} of ${total} replicas are active, and ${what}`;
}

async function findKeeper(client: Client, { cluster }: TablePlace): Promise<readonly ServerFinding[]> {
  if (cluster === undefined) return [];
  try {
    await client.rows("SELECT count() FROM system.zookeeper WHERE path = '/'");
    return [];
  } catch (error) {
    if (error instanceof EngineError && error.code === "refused") throw error;
    const message = "Keeper does not answer the server: replicas are read-only, and events are refused, until it does";
    return [{ code: "keeper_away", message }];
  }
}

/** Tables and columns that are not as the decisions of `logweir_schema` have them. */
async function findDrift(client: Client, place: TablePlace): Promise<readonly ServerFinding[]> {
  const { database } = place;
  const { sources } = await new SchemaKeeper(client as ServerClient, place).read();
  const found = await client.rows(
    "SELECT table, groupArray(name) FROM system.columns WHERE database = {database:String} GROUP BY table",
    { database },
  );
  const tables = new Map(found.map(([table, names]) => [String(table), new Set(names as readonly string[])]));
  const findings: ServerFinding[] = [];
  const known = new Set([SCHEMA_TABLE, TENANTS_TABLE]);
  for (const { name, table, entries } of sources.values()) {
    known.add(table).add(`${table}_rows`);
    const columns = tables.get(table);
    if (columns === undefined) {
      const message = `The table ${table} of the source ${name} is missing: a service makes it anew, and empty, at its start`;
      findings.push({ code: "missing_table", message });
      continue;
    }
    const all = [...fixedColumns, ...columnsOf(entries, undefined)].map((column) => column.name);
    const missing = [...all, BATCH_COLUMN].filter((column) => !columns.has(column));
    if (missing.length > 0) {
      const message = `The table ${table} of the source ${name} lacks the columns ${missing.join(", ")}: restart a service`;
      findings.push({ code: "missing_column", message });
    }
  }
  for (const table of tables.keys()) {
    if (!table.startsWith("events_") || known.has(table)) continue;
    const message = `No source has the table ${table}: drop it, unless a service is just dropping its source`;
    findings.push({ code: "unknown_table", message });
  }
  return findings;
}

/** Looks at everything that the user may read. `readsSchema`: the store's own tables are there. */
export async function findCondition(
  client: Client,
  place: TablePlace,
  { readsSchema }: { readonly readsSchema: boolean },
): Promise<ServerCondition> {
  const findings: ServerFinding[] = [];
  const unread: string[] = [];
  const look = async (table: string, find: () => Promise<readonly ServerFinding[]>) => {
    try {
      findings.push(...(await find()));
    } catch (error) {
      if (!(error instanceof EngineError && error.code === "refused")) throw error;
      unread.push(table);
    }
  };
  await look("system.tables", () => findUnboundedLogs(client));
  await look("system.mutations", () => findMutations(client, place));
  await look("system.replicas", () => findReplicas(client, place));
  await look("system.zookeeper", () => findKeeper(client, place));
  if (readsSchema) await look(`${place.database}.*`, () => findDrift(client, place));
  return { findings, unread };
}
