import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";
import { fromDriver, isConnectionLost, metadataUnavailable } from "./database-error.ts";
import type { DatabasePlace } from "./database-url.ts";

/** Connections of one service for statements; one more is its session. */
const poolSize = 5;

const connectTimeoutMs = 2_000;
/** The deadline of a statement, and the time that the client waits for its answer beyond that. */
const statementTimeoutMs = 8_000;
const answerTimeoutMs = 10_000;
const lockTimeoutMs = 5_000;
/** For a change whose transaction blocks those of others while it is being checked. */
const idleTransactionTimeoutMs = 20_000;
/** The time until the server drops a client that answers no probe: this and five probes, two seconds apart. */
const keepAliveSeconds = 2;

/** Counts and times are read as numbers: none is beyond 2^53 unless something is wrong. */
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid !== pg.types.builtins.INT8 || format === "binary") return pg.types.getTypeParser(oid, format as "text");
    return (text: string) => {
      const value = Number(text);
      if (!Number.isSafeInteger(value))
        throw new RangeError(`The number ${text} of the metadata cannot be read exactly`);
      return value;
    };
  },
} as pg.CustomTypesConfig;

function configOf({ host, port, database, user, password, tls }: DatabasePlace): pg.ClientConfig {
  const serverSettings = {
    tcp_keepalives_idle: keepAliveSeconds,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 5,
    tcp_user_timeout: 12_000,
  };
  const options = Object.entries(serverSettings).map(([name, value]) => `-c ${name}=${value}`);
  return {
    host,
    port,
    database,
    user,
    ...(password === undefined ? {} : { password }),
    ssl: tls,
    options: options.join(" "),
    application_name: "logweir",
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveSeconds * 1_000,
    types,
  };
}

const statementLimits = {
  query_timeout: answerTimeoutMs,
  statement_timeout: statementTimeoutMs,
  lock_timeout: lockTimeoutMs,
  idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
};

/** Migrations have no timeout. */
const migrationLimits = { lock_timeout: 120_000 };

/** The state of the connection to the database of a running service. */
export interface Reach {
  /** True when an attempt would be futile. */
  isAway(): boolean;
  /** Incremented when the database was reached again: older connections may be dead without notice. */
  epoch(): number;
}

/** Connections for statements, whose errors are the service's. Without `reach` they are for migrations. */
export function createPool(place: DatabasePlace, reach?: Reach): PostgresPool {
  const limits = reach === undefined ? migrationLimits : statementLimits;
  const pool = new pg.Pool({ ...configOf(place), max: poolSize, idleTimeoutMillis: 30_000, ...limits });
  const madeIn = new WeakMap<pg.PoolClient, number>();
  pool.on("connect", (client) => void madeIn.set(client, reach?.epoch() ?? 0));
  // An idle connection failed: the next statement uses another.
  pool.on("error", () => undefined);
  const take = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const client = await pool.connect();
      if (reach === undefined || madeIn.get(client) === reach.epoch()) return client;
      client.release(true);
    }
  };
  return {
    async connect() {
      if (reach?.isAway() === true) throw metadataUnavailable("The metadata database is unreachable");
      return take().then(guardClient, (error: unknown) => {
        throw fromDriver(error);
      });
    },
    end: () => pool.end(),
  } as PostgresPool;
}

/** A connection that refuses statements after a failure. */
function guardClient(client: pg.PoolClient): PostgresPoolClient {
  let lost: unknown;
  const noteError = (error: unknown) => {
    lost = error;
  };
  client.on("error", noteError);
  return {
    async query(text: string, values: readonly unknown[] = []) {
      if (lost !== undefined) throw metadataUnavailable("The database of the metadata went away", lost);
      try {
        return await client.query(text, [...values]);
      } catch (error) {
        if (isConnectionLost(error)) lost = error;
        if (lost === undefined || text !== "commit") throw fromDriver(error);
        throw metadataUnavailable(
          "The database of the metadata went away in the middle of a change, which may or may not have been saved",
          error,
        );
      }
    },
    release() {
      client.off("error", noteError);
      client.release(lost !== undefined);
    },
    // Without cursors, which nothing reads the metadata by.
  } as Pick<PostgresPoolClient, "release"> as PostgresPoolClient;
}

/** A connection of its own, for what lasts as long as it does: locks, and listening. */
export interface Session {
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

export interface SessionEvents {
  readonly onNotice: (payload: string) => void;
  readonly onEnd: () => void;
}

/** Opens a session. Rejects with the driver's error where that fails, or takes over two seconds. */
export async function openSession(
  place: DatabasePlace,
  queryTimeoutMs: number,
  { onNotice, onEnd }: SessionEvents,
): Promise<Session> {
  const client = new pg.Client({
    ...configOf(place),
    query_timeout: queryTimeoutMs,
    statement_timeout: queryTimeoutMs,
  });
  client.on("error", () => undefined);
  client.on("end", onEnd);
  client.on("notification", ({ payload }) => onNotice(payload ?? ""));
  await client.connect();
  return {
    query: async (text, values = []) => (await client.query(text, [...values])).rows,
    async close() {
      client.off("end", onEnd);
      // One that does not answer is closed without a farewell message.
      const cut = setTimeout(() => client.connection.stream.destroy(), 1_000);
      await client.end().catch(() => undefined);
      clearTimeout(cut);
    },
  };
}
