import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readConfiguration } from "../../src/config/config.ts";
import { openEngine } from "../../src/engines/index.ts";
import { type ServiceOptions, startService as startHere } from "../../src/service/service.ts";
import { engineEnvironment } from "../clickhouse/engine-environment.ts";

/** The time that the clocks of services are stopped at where what happens depends on it. */
export const stoppedMs = Date.parse("2026-08-20T10:30:00Z");

/** Fixed tokens of the services under test. */
export const privateToken = "acceptance-private-token-0123456789abcdef";
export const publicToken = "acceptance-public-token-0123456789abcdef";

/** A whole service on a port and a data folder of its own. */
export interface Service {
  readonly url: string;
  readonly dataDir: string;
  get(path: string, parameters?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** GETs with the private token, expects 200 and gives the rows. */
  rows(endpoint: string, parameters: Record<string, string>, headers?: Record<string, string>): Promise<Row[]>;
  /** POSTs events with the private token and expects 200. */
  ingest(source: string, events: readonly object[]): Promise<void>;
  /** Drains and ends it; its data folder goes too, unless it was given. */
  stop(): Promise<unknown>;
}

/** A service in a process of its own, as a user would run it. */
export interface ServiceProcess extends Service {
  readonly process: ChildProcess;
  /** Everything written to standard output and error so far. */
  output(): string;
  /** SIGTERM, then the exit code. */
  stop(): Promise<number | null>;
}

export type Row = Record<string, unknown>;

export interface StartOptions {
  readonly dataDir?: string;
  readonly env?: Record<string, string>;
  /** The folder that it is started in; the checkout unless given. */
  readonly workingDir?: string;
}

/** Options of a service in this process. */
export interface StartHereOptions extends StartOptions, Pick<ServiceOptions, "engineSizes"> {
  /** Its clock stands at `stoppedMs`, also for its queries. */
  readonly isStopped?: boolean;
}

const stopped: ServiceOptions = {
  nowMs: () => stoppedMs,
  async openEngine(options) {
    // Without `layoutOf`, nothing is planned in the thread beside, whose clock goes on.
    const { layoutOf: _, ...engine } = await openEngine(options);
    const nowUs = BigInt(stoppedMs) * 1000n;
    return { ...engine, compile: (query, of) => engine.compile(query, { ...of, nowUs }) };
  },
};

/**
 * Starts a service in this process, with its engine in a child as always; stop it, or its engine outlives the test. It
 * takes half the time of one in a separate process, which is for tests of signals, of crashes, and of its output.
 */
export async function startService(options: StartHereOptions = {}): Promise<Service> {
  const { dataDir, environment, removeData } = await place(options);
  const places = { workingDir: options.workingDir ?? process.cwd(), packageDir: process.cwd() };
  const configuration = readConfiguration(places, { LOGWEIR_LOG_LEVEL: "silent", ...environment });
  const running = await startHere(configuration, { ...(options.isStopped === true ? stopped : {}), ...options });
  return {
    ...callsTo(running.url),
    dataDir,
    async stop() {
      await running.stop();
      await removeData();
    },
  };
}

/** Starts a service in a separate process, and resolves once it listens; stop it, or it outlives the test. */
export async function startServiceProcess(options: StartOptions = {}): Promise<ServiceProcess> {
  const { dataDir, environment, removeData } = await place(options);
  const child = spawn(process.execPath, [resolve("dist/logweir.js"), "serve"], {
    cwd: options.workingDir,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const url = await new Promise<string>((listens, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (address !== undefined) listens(address);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`The service ended with ${code} before it listened:\n${output}`)));
  });
  return {
    ...callsTo(url),
    dataDir,
    process: child,
    output: () => output,
    async stop() {
      const exited = new Promise<number | null>((exits) => child.once("exit", exits));
      if (child.exitCode !== null) return child.exitCode;
      child.kill("SIGTERM");
      const code = await exited;
      await removeData();
      return code;
    },
  };
}

/** Where a service keeps its data, and its settings by name. */
async function place({ dataDir: given, env }: StartOptions) {
  const dataDir = given ?? (await mkdtemp(join(tmpdir(), "logweir-acceptance-")));
  const environment: Record<string, string> = {
    LOGWEIR_HOST: "127.0.0.1",
    LOGWEIR_PORT: "0",
    LOGWEIR_DATA_DIR: dataDir,
    LOGWEIR_PRIVATE_TOKEN: privateToken,
    LOGWEIR_PUBLIC_TOKEN: publicToken,
    ...engineEnvironment(dataDir),
    ...env,
  };
  const removeData = async () => {
    if (given === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  return { dataDir, environment, removeData };
}

/** Calls of tests to the service at an address. */
function callsTo(url: string): Pick<Service, "url" | "get" | "rows" | "ingest"> {
  const get: Service["get"] = (path, parameters = {}, headers = { "x-api-key": privateToken }) => {
    const query = new URLSearchParams(parameters).toString();
    return fetch(`${url}${path}${query === "" ? "" : `?${query}`}`, { headers });
  };
  return {
    url,
    get,
    async rows(endpoint, parameters, headers = {}) {
      const all = { "x-api-key": privateToken, ...headers };
      const response = await get(`/api/endpoints/query/${endpoint}`, parameters, all);
      const body = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${body}`);
      return (JSON.parse(body) as { result: Row[] }).result;
    },
    async ingest(source, events) {
      const response = await postEvents(url, source, JSON.stringify(events));
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    },
  };
}

/** One ingest request as clients send it. */
export function postEvents(
  url: string,
  source: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/api/logs?source_name=${encodeURIComponent(source)}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": privateToken, ...headers },
    body,
  });
}

/** The error object of an answer, after a check of its status. */
export async function readError(
  response: Response,
): Promise<{ code: string; message: string; status: number; [key: string]: unknown }> {
  const body = (await response.json()) as { error: { code: string; message: string; status: number } };
  if (body.error.status !== response.status) throw new Error(`status ${response.status} but ${JSON.stringify(body)}`);
  return body.error;
}

/** Microseconds since 1970 of an ISO text with up to six decimals. */
export function micros(iso: string): number {
  const [whole = "", fraction = ""] = iso.replace("Z", "").split(".");
  return Date.parse(`${whole}Z`) * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}
