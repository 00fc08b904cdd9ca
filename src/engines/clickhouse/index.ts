/** ClickHouse as an engine: a server or a cluster that exists already, on which any number of services work. */
import { type Engine, EngineError } from "../contract/query-engine.ts";
import { BodyReaders } from "../encoder/body-readers.ts";
import { createStoredEvents } from "../schema/decode/stored-events.ts";
import { schemaLimitsFor, type TenantColumns } from "../schema/grant-entries.ts";
import { defaultStoreLimits } from "../schema/source/store-limits.ts";
import { askOn } from "./asked-constants.ts";
import type { EncodedRows } from "./blocks/encoded-rows.ts";
import { clickHouseCapabilities } from "./capabilities.ts";
import type { ServerTables } from "./compile/scan/server-table.ts";
import { sourceTable } from "./compile/scan/tables.ts";
import { compileQuery } from "./compile-query.ts";
import { openServerClient } from "./driver/client.ts";
import { askLimits } from "./driver/limits.ts";
import { explainQuery } from "./explain-query.ts";
import { migrate, planMigration, type ServerAccess } from "./migrate.ts";
import { runQuery } from "./run-query.ts";
import { SchemaKeeper } from "./store/schema-keeper.ts";
import { ClickHouseStore } from "./store/store.ts";
import { createStoredTables } from "./store/stored-tables.ts";

export { checkServer, type ServerCheck } from "./check-server.ts";
export { migrate, planMigration } from "./migrate.ts";
export { isRetryTaken, listRefused, type RefusedGroup, retryRefused } from "./spool/refused-events.ts";
export { openSpooledStore, type SpooledStore, type SpooledStoreOptions } from "./spool/spooled-store.ts";

/** A server that keeps the events. */
export interface ClickHouseServer extends ServerAccess {
  /** Makes what is missing on it; otherwise that is refused, with what to do. */
  readonly migrates?: boolean;
}

export interface ClickHouseEngineOptions extends ClickHouseServer {
  /** How often it is asked what other services decided, in milliseconds; 1000 by default. */
  readonly watchMs?: number;
  /** Runs what the server cannot; closed with the engine. */
  readonly residual: Pick<Engine, "compile" | "run" | "close">;
  readonly tenantColumns?: TenantColumns;
  /** How long an event is recognised by its id alone, from its arrival; 48 hours by default. */
  readonly repeatWindowMs?: number | undefined;
  readonly log?: (level: "info" | "warn" | "error", message: string) => void;
}

const WATCH_MS = 1000;

/** How long constants may take that decide what is explained. */
const EXPLAIN_TIMEOUT_MS = 10_000;

/** Columns of a table are cheap for the server, and each costs every block some bytes. */
const SCHEMA_MEMORY_BYTES = 1024 ** 3;

async function prepare(options: ClickHouseEngineOptions): Promise<void> {
  if (options.migrates === true) {
    await migrate(options);
    return;
  }
  const missing = await planMigration(options);
  if (missing.length === 0) return;
  throw new EngineError(
    "unavailable",
    `The ClickHouse server lacks the database ${options.database} or tables in it: \`logweir engine migrate\` makes them`,
  );
}

/**
 * Opens the engine over a server. Rejects with `EngineError` `unavailable` where it does not answer, refuses the user,
 * or lacks what `migrate` makes.
 */
export async function openClickHouseEngine(options: ClickHouseEngineOptions): Promise<Engine> {
  await prepare(options);
  const { database, cluster, reader } = options;
  const writer = openServerClient(options);
  const queries = openServerClient({ ...options, ...reader });
  const keeper = new SchemaKeeper(writer, { database, cluster });
  const log = options.log ?? (() => undefined);
  const encoder = new BodyReaders<EncodedRows>({ engine: "clickhouse", log });
  const store = new ClickHouseStore({
    ...{ client: writer, place: { database, cluster }, keeper, encoder },
    limits: { ...defaultStoreLimits, schema: schemaLimitsFor(SCHEMA_MEMORY_BYTES, options.tenantColumns) },
    watchMs: options.watchMs ?? WATCH_MS,
    repeatWindowMs: options.repeatWindowMs,
    log,
  });
  const { residual } = options;
  const release = async () => {
    await store.close();
    await Promise.all([encoder.close(), writer.close(), queries.close(), residual.close()]);
  };
  try {
    await Promise.all([askLimits(writer), askLimits(queries)]);
    await keeper.open();
    await store.open();
  } catch (error) {
    await release();
    throw error;
  }
  const tables: ServerTables = (table) => {
    const layout = store.layoutOf(table);
    return layout === undefined ? undefined : sourceTable(layout);
  };
  return {
    name: "clickhouse",
    capabilities: clickHouseCapabilities(cluster),
    store,
    ...createStoredEvents({
      ...createStoredTables(writer, { database, cluster }),
      stateOf: store.stateOf,
      refresh: store.refresh,
    }),
    compile: (query, compiling) => compileQuery(query, { tables, residual }, compiling),
    explain: (query, values) => {
      const limits = { timeoutMs: EXPLAIN_TIMEOUT_MS, maxRows: 1, maxResultBytes: 1_000_000 };
      return explainQuery(askOn(residual, { limits, signal: AbortSignal.timeout(EXPLAIN_TIMEOUT_MS) }), query, values);
    },
    run: (request) => runQuery({ client: queries, residual }, request),
    ping: (signal) => queries.ping(signal),
    close: release,
  };
}
