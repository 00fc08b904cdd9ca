import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfiguration } from "../../src/config/config.ts";
import { startService } from "../../src/service/service.ts";
import { engineEnvironment } from "../clickhouse/engine-environment.ts";
import { patienceMs, waitUntil } from "../support/wait-until.ts";

/** The project whose callers attack, and the one whose events they must never see. */
export const insideProject = "inside";
const outsideProject = "outside";
/** In every event of the other project, and in the tokens. Nothing that is answered may hold it. */
export const secret = "SECRET-4711";

const privateToken = `private-${secret}-0123456789`;

/** One service in this process, its engine in a child as always, with events of two projects. */
export interface SecurityService {
  /** One call of `logs.all` for the project that attacks. */
  ask(parameters: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Any request with the private token and the body as it came. */
  send(method: string, path: string, headers?: Readonly<Record<string, string>>): Promise<RawAnswer>;
  /**
   * Resolves when the engine answers: at once, unless its host had to be ended and starts anew.
   */
  settle(): Promise<void>;
  /** The status of `/health`. */
  health(): Promise<number>;
  ingest(source: string, events: readonly object[]): Promise<void>;
  /** The value of a new token that may query, for a caller of its own. */
  createToken(): Promise<string>;
  /** Stops it and starts it again on the same data, which its engine has put in order by then. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  /** The error's code; undefined for an answer with rows. */
  readonly code: string | undefined;
  readonly message: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The limit that an error names. */
  readonly limit: string | undefined;
  /** The whole body. */
  readonly text: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

interface Body {
  readonly result?: Answer["rows"];
  readonly error?: { readonly code: string; readonly message: string; readonly limit?: string };
}

export interface SecurityServiceOptions {
  readonly queryTimeoutMs: number;
  readonly endpointsDir?: string;
  readonly sourcesDir?: string;
}

/** Starts it; stop it, or its engine outlives the test. */
export async function startSecurityService(options: SecurityServiceOptions): Promise<SecurityService> {
  const dataDir = await mkdtemp(join(tmpdir(), "logweir-security-"));
  const configuration = readConfiguration(
    { workingDir: dataDir, packageDir: process.cwd() },
    {
      LOGWEIR_HOST: "127.0.0.1",
      LOGWEIR_PORT: "0",
      LOGWEIR_DATA_DIR: dataDir,
      LOGWEIR_PRIVATE_TOKEN: privateToken,
      LOGWEIR_LOG_LEVEL: "silent",
      LOGWEIR_QUERY_TIMEOUT_MS: String(options.queryTimeoutMs),
      LOGWEIR_MAX_RESULT_BYTES: "5000000",
      LOGWEIR_ENGINE_MEMORY_MB: "512",
      ...engineEnvironment(dataDir),
      ...(options.endpointsDir === undefined ? {} : { LOGWEIR_ENDPOINTS_DIR: options.endpointsDir }),
      ...(options.sourcesDir === undefined ? {} : { LOGWEIR_SOURCES_DIR: options.sourcesDir }),
    },
  );
  let running = await startService(configuration);
  const headers = { "content-type": "application/json", "x-api-key": privateToken };
  return {
    async ask(parameters, more = {}) {
      const response = await fetch(`${running.url}/api/endpoints/query/logs.all`, {
        method: "POST",
        headers: { ...headers, ...more },
        body: JSON.stringify({ project: insideProject, ...parameters }),
      });
      const text = await response.text();
      const body = JSON.parse(text) as Body;
      const { code, message = "", limit } = body.error ?? {};
      return { status: response.status, code, message, limit, rows: body.result ?? [], text };
    },
    async send(method, path, more = {}) {
      const response = await fetch(`${running.url}${path}`, {
        method,
        headers: { "x-api-key": privateToken, ...more },
      });
      const body = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: response.headers, body };
    },
    async settle() {
      const signal = AbortSignal.timeout(patienceMs);
      const ping = () => running.engine.ping(signal);
      await waitUntil(() =>
        ping().then(
          () => true,
          () => false,
        ),
      );
    },
    async health() {
      const response = await fetch(`${running.url}/health`);
      await response.arrayBuffer();
      return response.status;
    },
    async ingest(source, events) {
      const url = `${running.url}/api/logs?source_name=${source}`;
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(events) });
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    },
    async restart() {
      await running.stop();
      running = await startService(configuration);
    },
    async createToken() {
      const token = { description: "", scopes: ["query"], pins: {}, expiresAt: undefined };
      return (await running.tokens.create(token)).secret;
    },
    async stop() {
      await running.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Three events of the project that attacks, and a few of the other in two sources. */
export async function fillTwoProjects(service: SecurityService): Promise<void> {
  const event = (id: string, project: string, mark: string, status: number) => ({
    id,
    timestamp: `2026-08-20T09:00:0${id.slice(-1)}Z`,
    project,
    event_message: `GET /${mark}/${id}`,
    metadata: {
      project,
      project_ref: project,
      request: { path: `/${mark}/${id}`, headers: { user_agent: mark } },
      response: { status_code: status },
      tags: [mark, id],
    },
  });
  await service.ingest("edge", [
    event("a1", insideProject, "own", 200),
    event("a2", insideProject, "own", 404),
    event("a3", insideProject, "own", 500),
    event("z1", outsideProject, secret, 200),
    event("z2", outsideProject, secret, 500),
  ]);
  await service.ingest("db", [event("b1", insideProject, "own", 200), event("z3", outsideProject, secret, 200)]);
  await service.ingest("realtime", [event("z4", outsideProject, secret, 200)]);
}
