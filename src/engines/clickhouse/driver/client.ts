/** The connection to the server or servers: the one file that imports the driver. */
import { Readable } from "node:stream";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { openDeadline } from "../../../shared/concurrency/deadline.ts";
import { EngineError } from "../../contract/query-engine.ts";
import { unlessAborted } from "../../contract/unless-aborted.ts";
import { begun, ROWS, readBody, readRow, readRows, tagOf, withoutPauses } from "./answer-body.ts";
import { MAX_STATEMENT_BYTES, ServerLimits } from "./limits.ts";
import type { ServerValue } from "./parameter-form.ts";
import { QueryConnection, readTls, type Tls, type TlsFiles } from "./query-connection.ts";
import { quoteText } from "./quote.ts";
import { isConnectionError, toEngineError, unanswered } from "./server-error.ts";
import { SilenceDetector, type SilenceWatch, SilentServer } from "./silence.ts";

export type ServerSettings = Readonly<Record<string, string>>;

export interface ServerQuery {
  /** Without FORMAT. */
  readonly sql: string;
  /** By the names of `{name:Type}`. */
  readonly params: Readonly<Record<string, ServerValue>>;
  readonly settings: ServerSettings;
  /** Unique; `kill` takes it. */
  readonly queryId: string;
  readonly signal: AbortSignal;
}

export interface ServerInsert {
  readonly table: string;
  readonly columns: readonly string[];
  readonly format: string;
  /** In pieces, in order. */
  readonly body: readonly Uint8Array[];
  readonly settings: ServerSettings;
  readonly signal: AbortSignal;
}

/**
 * All calls throw `EngineError`; what does not reach one server is tried on the next. A silent one counts as not
 * reached: it answers neither the call nor a question after some seconds.
 */
export interface ServerClient {
  /**
   * Resolves with the first bytes of the rows, which are JSON arrays, one a line; throws what the server says also
   * while they are read. Leaving the iteration releases the connection, and the server then ends the query.
   */
  stream(query: ServerQuery): Promise<AsyncIterable<Uint8Array>>;
  /** Rows of a small answer; integers of 64 bits are texts. */
  rows(
    sql: string,
    params?: ServerQuery["params"],
    settings?: ServerSettings,
  ): Promise<readonly (readonly unknown[])[]>;
  /** A statement without an answer. It may take as long as any call unless `timeoutMs` says otherwise. */
  command(sql: string, settings?: ServerSettings, timeoutMs?: number): Promise<void>;
  /** Resolves when the server has the rows. */
  insert(insert: ServerInsert): Promise<void>;
  /** By which the queries of `stream` and `rows` are checked; those of an unchanged server if absent. */
  readonly limits?: ServerLimits;
  /** Ends a query of `stream`; does nothing where it has ended. */
  kill(queryId: string): Promise<void>;
  ping(signal: AbortSignal): Promise<void>;
  /** Asks the server that answered last for any sign of life. */
  isSilent(): Promise<boolean>;
  close(): Promise<void>;
}

export interface ServerOptions {
  /** `http://` or `https://`, with a port; the first that answers is used. */
  readonly urls: readonly string[];
  readonly user: string;
  readonly password: string;
  /** Not set for statements that make it. */
  readonly database?: string;
  /** Files in PEM. */
  readonly tls?: TlsFiles;
  /** How long a call waits for a server but for `stream`, in milliseconds; 30,000 by default. */
  readonly callTimeoutMs?: number;
  readonly maxConnections?: number;
  /** How long a call waits before its server is asked for a sign of life, and this for an answer, in milliseconds. */
  readonly silenceMs?: number;
}

const CALL_TIMEOUT_MS = 30_000;
const KILL_TIMEOUT_MS = 5_000;
/** The signal of calls that are never aborted. */
const NOBODY = new AbortController().signal;
/** Silence after which the driver gives a connection up by itself. All calls have clocks of their own. */
const CONNECTION_SILENCE_MS = 3_600_000;
const MAX_CONNECTIONS = 64;
/** For signs of life: no query may stand in their way. */
const ASKING_CONNECTIONS = 2;

function connect(url: string, options: ServerOptions, { ca, cert, key }: Tls): ClickHouseClient {
  const tls =
    ca === undefined ? undefined : { ca_cert: ca, ...(cert === undefined || key === undefined ? {} : { cert, key }) };
  return createClient({
    url,
    username: options.user,
    password: options.password,
    ...(options.database === undefined ? {} : { database: options.database }),
    ...(tls === undefined ? {} : { tls }),
    application: "logweir",
    request_timeout: CONNECTION_SILENCE_MS,
    max_open_connections: options.maxConnections ?? MAX_CONNECTIONS,
    // It would write statements and addresses to the console.
    log: { level: ClickHouseLogLevel.OFF },
  });
}

interface ServerConnection {
  readonly client: ClickHouseClient;
  readonly queries: QueryConnection;
  readonly asking: ClickHouseClient;
  readonly silence: SilenceDetector;
}

function openConnection(url: string, options: ServerOptions, limits: ServerLimits): ServerConnection {
  const tls = readTls(options.tls);
  const asking = connect(url, { ...options, maxConnections: ASKING_CONNECTIONS }, tls);
  const ask = (signal: AbortSignal) => asking.ping({ select: false, abort_signal: signal });
  const silence = new SilenceDetector(ask, options.silenceMs);
  const { user, password, database, maxConnections = MAX_CONNECTIONS } = options;
  const queries = new QueryConnection({ url, user, password, database, maxConnections, tls, limits });
  return { client: connect(url, options, tls), queries, asking, silence };
}

/** The head of an answer, and its body. */
interface Answer {
  readonly stream: Readable;
  readonly response_headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Throws for what something else answers at the server's address, such as the page of a proxy: it has status 200, and
 * would be taken for an insert that was stored, or for no rows. A server names the query in each of its answers.
 */
function checkOrigin({ stream, response_headers: headers }: Answer): void {
  if (headers["x-clickhouse-query-id"] !== undefined) return;
  stream.destroy();
  throw new Error("an answer without X-ClickHouse-Query-Id, so not of ClickHouse");
}

/** A statement without an answer. */
interface ServerStatement {
  readonly sql: string;
  readonly body?: ServerInsert["body"];
  readonly settings?: ServerSettings;
  readonly signal: AbortSignal;
  /** Those that are tried; all unless set. */
  readonly servers?: readonly ServerConnection[] | undefined;
}

class FailOverClient implements ServerClient {
  readonly limits = new ServerLimits();
  readonly #servers: readonly ServerConnection[];
  readonly #callTimeoutMs: number;
  readonly #password: string;
  #current = 0;
  /** The servers of the running queries. */
  readonly #running = new Map<string, ServerConnection>();

  constructor(options: ServerOptions) {
    this.#servers = options.urls.map((url) => openConnection(url, options, this.limits));
    this.#callTimeoutMs = options.callTimeoutMs ?? CALL_TIMEOUT_MS;
    this.#password = options.password;
  }

  async stream({ sql, params, settings, queryId, signal }: ServerQuery): Promise<AsyncIterable<Uint8Array>> {
    const statement = `${sql}\nFORMAT ${ROWS.format}`;
    const all = { cancel_http_readonly_queries_on_client_close: "1", ...ROWS.settings, ...settings };
    const { answer, watch } = await this.#attempt(signal, (server, watched) => {
      this.#running.set(queryId, server);
      return server.queries.post({ statement, params, settings: all, queryId, signal: watched });
    }).catch((error: unknown) => {
      this.#running.delete(queryId);
      throw error;
    });
    return begun(this.#rowsOf(answer, queryId, watch));
  }

  async *#rowsOf(answer: Answer, queryId: string, watch: SilenceWatch): AsyncGenerator<Uint8Array, void> {
    try {
      yield* readRows(this.#read(answer, watch));
    } finally {
      this.#running.delete(queryId);
    }
  }

  /** The body of an answer, which ends at once where the watch says so. Releases the watch. */
  async *#read({ stream, ...head }: Answer, watch: SilenceWatch): AsyncGenerator<Uint8Array, void> {
    const { signal } = watch;
    const stop = () => void stream.destroy();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    // What has a length is there already.
    const pieces = head.response_headers["content-length"] === undefined ? stream : withoutPauses(stream, watch.ms);
    try {
      yield* readBody(pieces, tagOf(head), signal);
    } catch (error) {
      throw watch.isSilent ? unanswered(new SilentServer()) : error;
    } finally {
      watch.release();
      signal.removeEventListener("abort", stop);
      stream.destroy();
    }
  }

  rows(sql: string, params: ServerQuery["params"] = {}, settings: ServerSettings = {}) {
    return this.#within(NOBODY, this.#callTimeoutMs, async (signal) => {
      const parts: Uint8Array[] = [];
      const text = { output_format_json_quote_64bit_integers: "1", ...settings };
      const query = { sql, params, settings: text, queryId: crypto.randomUUID(), signal };
      for await (const part of await this.stream(query)) parts.push(part);
      const lines = Buffer.concat(parts).toString().split("\n");
      return lines.filter((line) => line !== "").map(readRow);
    });
  }

  command(sql: string, settings: ServerSettings = {}, timeoutMs = this.#callTimeoutMs): Promise<void> {
    return this.#within(NOBODY, timeoutMs, (signal) => this.#run({ sql, settings, signal }));
  }

  insert({ table, columns, format, body, settings, signal }: ServerInsert): Promise<void> {
    const sql = `INSERT INTO ${table} (${columns.join(", ")}) FORMAT ${format}`;
    return this.#within(signal, this.#callTimeoutMs, (within) => this.#run({ sql, body, settings, signal: within }));
  }

  async kill(queryId: string): Promise<void> {
    const sql = `KILL QUERY WHERE query_id = ${quoteText(queryId)} ASYNC`;
    const server = this.#running.get(queryId) ?? this.#servers[this.#current];
    const servers = server === undefined ? [] : [server];
    const timeoutMs = Math.min(this.#callTimeoutMs, KILL_TIMEOUT_MS);
    await this.#within(NOBODY, timeoutMs, (signal) => this.#run({ sql, signal, servers }));
  }

  async ping(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new EngineError("unavailable", "The caller is gone");
    // With a SELECT, so that the user and the database are checked too.
    const query = { sql: "SELECT 1", params: {}, settings: {}, queryId: crypto.randomUUID(), signal };
    try {
      for await (const _ of await this.stream(query));
    } catch (error) {
      throw new EngineError("unavailable", toEngineError(error).message, { cause: error });
    }
  }

  async isSilent(): Promise<boolean> {
    return (await this.#servers[this.#current]?.silence.isSilent()) ?? false;
  }

  async close(): Promise<void> {
    for (const { queries } of this.#servers) queries.close();
    await Promise.all(this.#servers.flatMap(({ client, asking }) => [client.close(), asking.close()]));
  }

  async #run({ sql, body, settings, signal, servers }: ServerStatement): Promise<void> {
    const exec = ({ client }: ServerConnection, watched: AbortSignal) =>
      client.exec({
        query: sql,
        ...(body === undefined ? {} : { values: Readable.from(body, { objectMode: false }) }),
        clickhouse_settings: { wait_end_of_query: 1, max_query_size: MAX_STATEMENT_BYTES, ...settings },
        abort_signal: watched,
      });
    const { answer, watch } = await this.#attempt(signal, exec, servers);
    const parts: Uint8Array[] = [];
    for await (const part of this.#read(answer, watch)) parts.push(part);
    // Of an insert, a server says nothing but why it failed: with status 200 where it has sent its progress before.
    if (body !== undefined && parts.length > 0) throw toEngineError(new Error(Buffer.concat(parts).toString()));
  }

  /** Ends a call that takes longer than so many milliseconds: a silent server counts as one that does not answer. */
  async #within<T>(given: AbortSignal, ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = openDeadline(given, ms);
    try {
      return await call(deadline.signal);
    } catch (error) {
      throw deadline.isOver ? toEngineError((error as Error).cause ?? new Error("silent")) : error;
    } finally {
      deadline.release();
    }
  }

  /** The servers, beginning with the one that answered last. */
  get #byTurn(): readonly ServerConnection[] {
    return [...this.#servers.slice(this.#current), ...this.#servers.slice(0, this.#current)];
  }

  /** Tries the servers one after the other. That which answers is watched on until the caller releases it. */
  async #attempt<T extends Answer>(
    signal: AbortSignal,
    call: (server: ServerConnection, watched: AbortSignal) => Promise<T>,
    servers = this.#byTurn,
  ): Promise<{ readonly answer: T; readonly watch: SilenceWatch }> {
    let failure: unknown = new Error("no address");
    for (const server of servers) {
      const watch = server.silence.watch(signal);
      try {
        signal.throwIfAborted();
        // The driver waits for ever where a connection becomes another protocol's.
        const answer = await unlessAborted(call(server, watch.signal), watch.signal);
        checkOrigin(answer);
        this.#current = this.#servers.indexOf(server);
        return { answer, watch };
      } catch (error) {
        watch.release();
        failure = watch.isSilent ? new SilentServer() : error;
        if (signal.aborted || !isConnectionError(failure)) break;
      }
    }
    throw toEngineError(failure, signal);
  }
}

/** Opens no connection yet. */
export function openServerClient(options: ServerOptions): ServerClient {
  return new FailOverClient(options);
}
