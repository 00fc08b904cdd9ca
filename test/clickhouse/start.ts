/** The test server as a separate process, because the engine is a library that blocks and may be killed. */
import { type ChildProcess, spawn } from "node:child_process";

export interface ServerProcess {
  readonly url: string;
  /** 0 for a server that is not the test's own. */
  readonly pid: number;
  /** Ends it immediately; nothing more is written. */
  kill(): Promise<void>;
}

/** A query occupies a thread of Node's pool while it runs. */
const THREADS = "64";

export interface StartOptions {
  readonly folder: string;
  readonly port?: number;
  readonly users?: readonly string[];
  /** Limits of the HTTP interface, by the names of the server's settings. */
  readonly limits?: Readonly<Record<string, number>>;
}

/** Also tests of whole nodes may have a server that takes less, by the variable. */
function limitsOf(limits: StartOptions["limits"]): Readonly<Record<string, string>> {
  return limits === undefined ? {} : { LOGWEIR_TEST_HTTP_LIMITS: JSON.stringify(limits) };
}

/** Resolves when it listens. */
export async function startServer({ folder, port = 0, users = [], limits }: StartOptions): Promise<ServerProcess> {
  const script = ["bin/tool.mjs", "test/clickhouse/serve.ts", folder, String(port), ...users];
  const child = spawn(process.execPath, script, {
    env: { ...process.env, UV_THREADPOOL_SIZE: THREADS, ...limitsOf(limits) },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await readUrl(child);
  return {
    url,
    pid: child.pid ?? 0,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The address of a real server for the same tests; undefined when they start their own. */
export const realServerUrl: string | undefined = process.env.LOGWEIR_TEST_CLICKHOUSE_URL || undefined;

/** The real server, which keeps running, or else one for the test. */
export async function openServer(options: StartOptions): Promise<ServerProcess> {
  const url = realServerUrl;
  return url === undefined ? startServer(options) : { url, pid: 0, kill: async () => undefined };
}

function readUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    child.once("exit", (code) => reject(new Error(`The test server ended with ${code} before it listened`)));
  });
}
