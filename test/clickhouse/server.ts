/**
 * ClickHouse's HTTP interface over the engine as a library, as much of it as `@clickhouse/client` and this project use.
 * Every request has a connection of its own, so that settings, parameters and roles are its own too.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createGzip, type Gzip, gunzipSync } from "node:zlib";
import type { Connection, Library } from "./chdb.ts";
import { quote, type RequestParts, readRequest } from "./statement.ts";
import { Users } from "./users.ts";

/** An error of the library in the form of the server. */
interface Failure {
  readonly code: number;
  readonly message: string;
}

/** Error codes of the server with a status other than 500. */
const STATUS_BY_CODE: ReadonlyMap<number, number> = new Map([
  ...[62, 36, 43, 46, 47, 115, 452, 456, 457].map((code) => [code, 400] as const),
  ...[497, 516, 164].map((code) => [code, 403] as const),
  ...[60, 81].map((code) => [code, 404] as const),
  [159, 408],
]);

function readFailure(error: unknown): Failure {
  const text = error instanceof Error ? error.message : String(error);
  const [, code = "1002"] = /Code: (\d+)\. DB::/.exec(text) ?? [];
  return { code: Number(code), message: `${text.replace(/^Query failed: /, "").trim()} (version 26.7 (test server))` };
}

const HTTP_LIMITS = { http_max_field_value_size: 131_072, http_max_fields: 1_000, http_max_uri_size: 1_048_576 };

/** Finds parts of a request that exceed the server's HTTP limits, before it reads the statement. */
function findExcess(
  url: string,
  search: URLSearchParams,
  limits: Readonly<Record<string, number>>,
): string | undefined {
  const {
    http_max_field_value_size: maxValue = 0,
    http_max_fields: maxFields = 0,
    http_max_uri_size: maxUri = 0,
  } = limits;
  if (url.length > maxUri) return "URI is too long";
  if (search.size > maxFields) return "HTML Form Exception: Too many form fields";
  const isLong = [...search.values()].some((value) => Buffer.byteLength(value) > maxValue);
  return isLong ? "HTML Form Exception: Field value too long" : undefined;
}

export interface TestServerOptions {
  readonly folder: string;
  readonly port?: number;
  /** Limits of the HTTP interface, by the names of the server's settings; those of a new server by default. */
  readonly limits?: Readonly<Record<string, number>>;
  /** CREATE USER and GRANT statements: what later ones say holds after the next start. */
  readonly users?: readonly string[];
}

export class TestServer {
  readonly #library: Library;
  readonly #folder: string;
  readonly #data: string;
  readonly #users: Users;
  readonly #limits: Readonly<Record<string, number>>;
  readonly #server: Server;
  /** Keeps the data open between requests. */
  readonly #anchor: Connection;

  private constructor(library: Library, options: TestServerOptions) {
    this.#library = library;
    this.#folder = options.folder;
    this.#data = join(options.folder, "data");
    mkdirSync(this.#data, { recursive: true });
    this.#limits = { ...HTTP_LIMITS, ...options.limits };
    this.#users = new Users(options.folder, this.#limits);
    for (const statement of options.users ?? []) this.#users.take(statement);
    this.#anchor = this.#connect();
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => this.#fail(response, readFailure(error)));
    });
    this.#server.keepAliveTimeout = 30_000;
  }

  static async start(library: Library, options: TestServerOptions): Promise<TestServer> {
    const server = new TestServer(library, options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", reject);
      server.#server.listen(options.port ?? 0, "127.0.0.1", resolve);
    });
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #connect(): Connection {
    return this.#library.CreateConnection(this.#data, [`--config-file=${this.#users.configFile}`]);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    if (url.pathname === "/ping") {
      response.end("Ok.\n");
      return;
    }
    const role = this.#roleOf(request, url.searchParams);
    if (role === undefined) {
      const message = "Code: 516. DB::Exception: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)";
      this.#fail(response, { code: 516, message });
      return;
    }
    const { search, body } = await readBody(request, url.searchParams);
    const excess = findExcess(request.url ?? "", search, this.#limits);
    if (excess !== undefined) {
      this.#fail(response, { code: 1000, message: `Poco::Exception. Code: 1000, e.code() = 0, ${excess}` });
      return;
    }
    const parts = readRequest(search, body);
    response.setHeader("X-ClickHouse-Query-Id", parts.queryId ?? randomUUID());
    response.setHeader("X-ClickHouse-Format", parts.statement.format);
    if (this.#users.mayManage(role) && this.#users.take(parts.statement.sql)) {
      response.end();
      return;
    }
    const connection = this.#connect();
    try {
      for (const statement of preparations(role, parts)) {
        this.#library.QueryWithConnection(connection, statement, "TSV");
      }
      await this.#run(connection, parts, response);
    } finally {
      this.#library.CloseConnection(connection);
    }
  }

  #roleOf({ headers }: IncomingMessage, search: URLSearchParams): string | undefined {
    const [kind, credentials = ""] = (headers.authorization ?? "").split(" ");
    const [name = "", ...password] = kind === "Basic" ? Buffer.from(credentials, "base64").toString().split(":") : [];
    const user = name || String(headers["x-clickhouse-user"] ?? search.get("user") ?? "default");
    const secret = password.join(":") || String(headers["x-clickhouse-key"] ?? search.get("password") ?? "");
    return this.#users.roleOf(user, secret);
  }

  async #run(connection: Connection, parts: RequestParts, response: ServerResponse): Promise<void> {
    const { statement, data, queryId } = parts;
    const mark = queryId === undefined ? "" : markOf(queryId);
    let hasEnded = false;
    response.once("close", () => {
      if (!hasEnded && parts.cancelsWhenLeft && mark !== "") void this.#kill(mark);
    });
    try {
      if (data !== undefined) {
        await this.#insert(connection, mark, statement.sql, data);
        response.setHeader("X-ClickHouse-Summary", summaryOf());
        response.end();
      } else if (statement.canBeCut) {
        await this.#stream(connection, `${mark}${statement.sql}`, parts, response);
      } else {
        const sql = toKillByMark(statement.sql);
        const answer = await this.#library.QueryAsyncConnection(connection, `${mark}${sql}`, statement.format);
        response.setHeader("X-ClickHouse-Summary", summaryOf());
        const body = openBody(response, parts);
        body.end(Buffer.from(answer.bytes));
      }
    } finally {
      hasEnded = true;
    }
  }

  /** From a file: what stands behind a statement the library reads to the first empty line. */
  async #insert(connection: Connection, mark: string, sql: string, data: Buffer): Promise<void> {
    const file = join(this.#folder, `insert-${randomUUID()}`);
    await writeFile(file, data);
    try {
      const from = `FROM INFILE ${quote(file)} COMPRESSION 'none'`;
      const statement = sql.replace(/(\s+SETTINGS\s[^)]*?)?\s+FORMAT\s+(\w+)\s*$/i, ` ${from}$1 FORMAT $2`);
      await this.#library.QueryAsyncConnection(connection, `${mark}${statement}`, "TSV");
    } finally {
      await rm(file, { force: true });
    }
  }

  async #stream(connection: Connection, sql: string, parts: RequestParts, response: ServerResponse): Promise<void> {
    const stream = this.#library.StreamQuery(connection, sql, parts.statement.format);
    const tag = randomBytes(12).toString("base64url");
    let body: ServerResponse | Gzip | undefined;
    try {
      for (;;) {
        const { done, bytes } = await this.#library.StreamFetch(stream);
        if (body === undefined) {
          response.setHeader("X-ClickHouse-Exception-Tag", tag);
          body = openBody(response, parts);
        }
        if (done || response.destroyed) break;
        // Behind each block there is the end of an answer.
        const rows = Buffer.from(bytes).subarray(0, bytes.length - parts.end.length);
        if (!body.write(rows)) await drained(body, response);
      }
      body.end(parts.end);
    } catch (error) {
      if (body === undefined) throw error;
      this.#break(response, body, tag, readFailure(error));
    } finally {
      this.#library.StreamCancel(stream);
    }
  }

  /** The server's behaviour for an error after the first rows: it reports it in the body and closes the connection. */
  #break(response: ServerResponse, body: ServerResponse | Gzip, tag: string, { message }: Failure): void {
    const length = Buffer.byteLength(message) + 1;
    body.write(`\r\n__exception__\r\n${tag}\r\n${message}\n${length} ${tag}\r\n__exception__\r\n`);
    if (body !== response) {
      body.end();
      return;
    }
    response.write("", () => response.socket?.end());
  }

  #fail(response: ServerResponse, { code, message }: Failure): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.statusCode = STATUS_BY_CODE.get(code) ?? 500;
    response.removeHeader("Content-Encoding");
    response.setHeader("X-ClickHouse-Exception-Code", String(code));
    response.end(`${message}\n`);
  }

  async #kill(mark: string): Promise<void> {
    const connection = this.#connect();
    try {
      await this.#library.QueryAsyncConnection(connection, `KILL QUERY WHERE ${markedBy(mark)} ASYNC`, "TSV");
    } finally {
      this.#library.CloseConnection(connection);
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#library.CloseConnection(this.#anchor);
  }
}

/** The library makes ids of queries itself, so that a query is found by a comment before it. */
function markOf(queryId: string): string {
  return `/*${queryId.replace(/[^\w.-]/g, "_")}*/ `;
}

function markedBy(mark: string): string {
  return `startsWith(query, ${quote(mark)})`;
}

function toKillByMark(sql: string): string {
  if (!/^KILL\s+QUERY\b/i.test(sql)) return sql;
  return sql.replace(/\bquery_id\s*=\s*'([^']*)'/gi, (_, id: string) => markedBy(markOf(id)));
}

function preparations(role: string, { database, settings, parameters }: RequestParts): readonly string[] {
  const ownQuerySize = "max_query_size = 262144";
  const changes = [...parameters, ...settings]
    .filter(([name]) => name !== "enable_http_compression" && !name.startsWith("send_progress_in_http"))
    .map(([name, value]) => `${name} = ${quote(value)}`);
  return [
    `SET ROLE ${role}`,
    ...(database === undefined ? [] : [`USE \`${database.replaceAll("`", "\\`")}\``]),
    // A single statement, because a server applies all settings of a URL at once. What it takes in forms, it parses.
    ...(changes.length === 0
      ? []
      : ["SET max_query_size = 1000000000", `SET ${[ownQuerySize, ...changes].join(", ")}`]),
  ];
}

/** The library does not report what the server would. */
function summaryOf(): string {
  return JSON.stringify({ read_rows: "0", read_bytes: "0", written_rows: "0", result_rows: "0" });
}

function openBody(response: ServerResponse, { isCompressed }: RequestParts): ServerResponse | Gzip {
  if (!isCompressed || !/\bgzip\b/.test(String(response.req.headers["accept-encoding"] ?? ""))) return response;
  response.setHeader("Content-Encoding", "gzip");
  const gzip = createGzip();
  gzip.pipe(response);
  return gzip;
}

/** Waits until the reader has taken the written data, or has disconnected. */
function drained(body: ServerResponse | Gzip, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      body.off("drain", done);
      response.off("close", done);
      resolve();
    };
    body.once("drain", done);
    response.once("close", done);
    if (response.destroyed) done();
  });
}

/** The body, and the parameters of the address with those that a form brought. */
async function readBody(
  request: IncomingMessage,
  address: URLSearchParams,
): Promise<{ readonly search: URLSearchParams; readonly body: Buffer }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return { search: address, body };
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const search = new URLSearchParams(address);
  for (const [name, value] of form) search.append(name, String(value));
  return { search, body: Buffer.alloc(0) };
}
