import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";

/** The fixed token of every node. */
export const privateToken = "nodes-private-token-0123456789abcdef";

/** A node that runs, in this process or another. */
export interface TestNode {
  readonly url: string;
  /** The status and the body of a call with a token, the fixed one unless another is given. */
  call(method: string, path: string, body?: unknown, more?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For how long an answer is waited for; 15 seconds unless set. */
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** A node in a process of its own. */
export interface NodeProcess extends TestNode {
  readonly process: ChildProcess;
  /** Everything written to standard output and error so far. */
  output(): string;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the environment that every node starts with. */
export function nodeEnvironment(metadataUrl: string): Record<string, string> {
  return {
    LOGWEIR_HOST: "127.0.0.1",
    LOGWEIR_PORT: "0",
    // No folder can be created there.
    LOGWEIR_DATA_DIR: "/dev/null/no-folder",
    LOGWEIR_METADATA_URL: metadataUrl,
    LOGWEIR_PRIVATE_TOKEN: privateToken,
    LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.1",
    LOGWEIR_LOG_LEVEL: "warn",
  };
}

/** Calls of the service at an address. */
export function nodeAt(url: string): TestNode {
  return {
    url,
    async call(method, path, body, { token = privateToken, headers = {}, timeoutMs = 15_000 } = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { "x-api-key": token, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      const parsed = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
      return { status: response.status, headers: response.headers, body: parsed };
    },
  };
}

/** Bundles the program of a node, and answers its path. */
export async function buildNode(): Promise<string> {
  const outfile = join(process.cwd(), "dist", `test-node-${process.pid}.js`);
  await build({
    entryPoints: ["test/nodes/node-process.ts"],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "error",
  });
  return outfile;
}

/** Starts a node and resolves once it listens; rejects with what it wrote where it ends before. */
export async function startNode(
  program: string | readonly [path: string, ...values: string[]],
  metadataUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<NodeProcess> {
  const child = spawn(process.execPath, typeof program === "string" ? [program] : program, {
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...nodeEnvironment(metadataUrl), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+$/m.exec(output)?.[0];
      if (address !== undefined) resolve(address);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`The node ended with ${code}:\n${output}`)));
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  return {
    ...nodeAt(url),
    process: child,
    output: () => output,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}
