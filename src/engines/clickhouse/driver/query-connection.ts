/**
 * Sends queries to one server. The driver waits a millisecond before each request, so that its timers can close old
 * connections first; here a query whose kept connection turns out to be closed is sent again over another one.
 */
import { readFileSync } from "node:fs";
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { responseOf } from "../../../shared/network/response-of.ts";
import { chooseTransport, ServerLimits } from "./limits.ts";
import { printValue, type ServerValue, toForm } from "./parameter-form.ts";

/** Where to, and as whom. */
export interface QueryAccess {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database?: string | undefined;
  readonly maxConnections: number;
  readonly tls: Tls;
  /** By which what is sent is checked; those of an unchanged server unless set. */
  readonly limits?: ServerLimits;
}

/** Names of files in PEM. */
export interface TlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** In PEM. A certificate counts only with its key, and beside an authority. */
export interface Tls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Throws the system's error if a file cannot be read. */
export function readTls({ caFile, certFile, keyFile }: TlsFiles = {}): Tls {
  if (caFile === undefined) return {};
  const ca = readFileSync(caFile);
  if (certFile === undefined || keyFile === undefined) return { ca };
  return { ca, cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

/** A statement that changes nothing, so that it may be sent twice. */
export interface QueryMessage {
  readonly statement: string;
  /** By the names of `{name:Type}`. */
  readonly params: Readonly<Record<string, ServerValue>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly queryId: string;
  readonly signal: AbortSignal;
}

/** The beginning of an answer; its body has to be read or destroyed. */
export interface QueryAnswer {
  readonly stream: IncomingMessage;
  readonly response_headers: IncomingMessage["headers"];
}

/** An unused connection is closed after this time, before most servers do. */
const IDLE_MS = 2_500;

export class QueryConnection {
  readonly #access: QueryAccess;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(access: QueryAccess) {
    const { url, tls, maxConnections } = access;
    this.#access = access;
    const keeping = { keepAlive: true, maxSockets: maxConnections, timeout: IDLE_MS };
    this.#agent = url.startsWith("https:") ? new HttpsAgent({ ...keeping, ...tls }) : new HttpAgent(keeping);
    this.#headers = { "user-agent": "logweir", ...credentialsOf(access) };
  }

  /**
   * Rejects with the system's error, with one that carries the server's own text, or with `EngineError`
   * `limit_exceeded` where the message is longer than the server takes.
   */
  async post(message: QueryMessage): Promise<QueryAnswer> {
    const stream = await this.#send(message);
    if (stream.statusCode === 200 && stream.headers["x-clickhouse-exception-code"] === undefined) {
      return { stream, response_headers: stream.headers };
    }
    throw new Error(await text(stream));
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(message: QueryMessage): Promise<IncomingMessage> {
    for (;;) {
      const request = this.#begin(message);
      try {
        return await responseOf(request);
      } catch (error) {
        // The server closed a kept connection at the same moment. Each is tried once, then a new one.
        const isStale = request.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
        if (!isStale || message.signal.aborted) throw error;
      }
    }
  }

  #begin({ statement, params, settings, queryId, signal }: QueryMessage): ClientRequest {
    const { url, database } = this.#access;
    const search = new URLSearchParams({ query_id: queryId, ...settings });
    if (database !== undefined) search.set("database", database);
    const { values } = this.#access.limits ?? new ServerLimits();
    const transport = chooseTransport({ statement, params, address: search.toString() }, values);
    const form = transport === "form" ? toForm(statement, params) : undefined;
    if (form === undefined) {
      for (const [name, value] of Object.entries(params)) search.set(`param_${name}`, printValue(value));
    }
    const target = new URL(url);
    target.search = search.toString();
    const send = target.protocol === "https:" ? httpsRequest : httpRequest;
    const type = form === undefined ? {} : { "content-type": form.type };
    const request = send(target, {
      method: "POST",
      agent: this.#agent,
      headers: { ...this.#headers, ...type },
      signal,
    });
    return request.end(form?.body ?? statement);
  }
}

/** As the driver sends them. */
function credentialsOf({ user, password, tls }: QueryAccess): Readonly<Record<string, string>> {
  if (tls.ca === undefined) return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
  const byCertificate = tls.cert === undefined ? {} : { "x-clickhouse-ssl-certificate-auth": "on" };
  return { "x-clickhouse-user": user, "x-clickhouse-key": password, ...byCertificate };
}
