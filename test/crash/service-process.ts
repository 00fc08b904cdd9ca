import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const token = "crash-suite-private-token-0123456789";

const wavesEndpoint = `/*---
id: 6f0f2b0e-4e1a-4b53-8a7b-0d1d5f5c9a11
name: crash.waves
max_rows: 10000
---*/
SELECT project, COUNT(*) AS row_count FROM edge GROUP BY project
`;

const countsEndpoint = `/*---
id: 6f0f2b0e-4e1a-4b53-8a7b-0d1d5f5c9a10
name: crash.counts
max_rows: 10
---*/
SELECT COUNT(*) AS row_count, COUNT(DISTINCT id) AS id_count, COUNT(DISTINCT event_message) AS message_count
FROM edge WHERE project NOT LIKE 'gone %'
`;

/** A service that is killed and started again on one data folder. */
export interface ServiceProcess {
  readonly pid: number;
  /** The process id of the engine host; undefined while there is none. */
  hostPid(): number | undefined;
  /** Rejects where the service is not there. */
  post(body: string): Promise<Response>;
  /** Deletes the events of a tenant. Rejects where the service is not there. */
  deleteTenant(tenant: string): Promise<Response>;
  query(endpoint: string, parameters?: Record<string, string>): Promise<Record<string, unknown>[]>;
  state(): Promise<{
    readonly rows: number;
    readonly file_bytes: number;
    readonly reusable_bytes: number;
    readonly sources: readonly { name: string; runs: number; fields: number }[];
    readonly problems: readonly { code: string; message: string }[];
  }>;
  /** Kills the service with everything it started. */
  killAll(): Promise<void>;
  killHost(): void;
  stop(): Promise<void>;
}

/** Starts this program again as its worker. Resolves when it listens. */
export async function startServiceProcess(folder: string, mode: "small" | "usual"): Promise<ServiceProcess> {
  const endpoints = join(folder, "endpoints");
  mkdirSync(endpoints, { recursive: true });
  writeFileSync(join(endpoints, "counts.sql"), countsEndpoint);
  writeFileSync(join(endpoints, "waves.sql"), wavesEndpoint);
  writeFileSync(join(endpoints, "logs.all.sql"), readFileSync("endpoints/logs.all.sql"));
  const child = spawn(process.execPath, [process.argv[1] ?? "", "worker", mode], {
    env: {
      PATH: process.env.PATH,
      LOGWEIR_PORT: "0",
      LOGWEIR_DATA_DIR: join(folder, "data"),
      LOGWEIR_ENDPOINTS_DIR: endpoints,
      LOGWEIR_PRIVATE_TOKEN: token,
      LOGWEIR_ENGINE_MEMORY_MB: "300",
      LOGWEIR_LOG_LEVEL: "fatal",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await readUrl(child);
  const headers = { "content-type": "application/x-ndjson", "x-api-key": token };
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, { headers: { "x-api-key": token } });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  };
  return {
    pid: child.pid ?? 0,
    hostPid: () => childrenOf(child.pid ?? 0)[0],
    post: (body) => fetch(`${url}/api/logs?source_name=edge`, { method: "POST", headers, body }),
    deleteTenant: (tenant) =>
      fetch(`${url}/api/sources/edge/events?${new URLSearchParams({ tenant })}`, { method: "DELETE", headers }),
    async query(endpoint, parameters = {}) {
      const answer = await get(`/api/endpoints/query/${endpoint}?${new URLSearchParams(parameters)}`);
      return (answer as { result: Record<string, unknown>[] }).result;
    },
    state: () => get("/api/store") as ReturnType<ServiceProcess["state"]>,
    async killAll() {
      child.kill("SIGKILL");
      await exited;
    },
    killHost() {
      for (const pid of childrenOf(child.pid ?? 0)) process.kill(pid, "SIGKILL");
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

function readUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once("exit", (code) => reject(new Error(`The service ended with ${code} before it listened`)));
  });
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}
