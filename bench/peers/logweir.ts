/** The service itself, in a process of its own, spoken to over HTTP like any client would. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bodyOf } from "../events.ts";
import { type HttpClient, openHttpClient } from "../http-client.ts";
import { folderBytes } from "../processes.ts";
import { rootFolder } from "../root.ts";
import { runLanes } from "../run-lanes.ts";
import type { Answer, Peer, Row } from "./peer.ts";

/** A token of the scope `private`. */
export const token = "logweir-bench-private-token";
const connections = 4;
const timeLiteral = (ms: number) => `TIMESTAMP '${new Date(ms).toISOString()}'`;
const ingestPath = "/api/logs?source_name=edge";

/** The part of `GET /api/store` that is needed here. */
interface StoreState {
  readonly log_bytes: number;
  readonly sources: readonly { readonly tail_rows: number }[];
}

/** The service compacts and makes checkpoints by itself once no events come in; then so much is left at most. */
const compactedRows = 25_000;
const compactedLogBytes = 16 * 1024 ** 2;
const maxCompactionMs = 600_000;

export interface LogweirPeer extends Peer {
  readonly name: "logweir";
  readonly url: string;
  readonly token: string;
  readonly client: HttpClient;
  /** The store's folder. */
  readonly storeFolder: string;
  /** Stores a body of events, and comes again where the service asks for it. */
  insertBody(body: Buffer): Promise<void>;
}

/**
 * The endpoints of the benchmark: those that come with the service, with the clock stopped at `endMs` and the cache
 * off.
 */
function writeEndpoints(folder: string, endMs: number, root: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "logs.all.sql"), readFileSync(join(root, "endpoints", "logs.all.sql")));
  const counts = readFileSync(join(root, "endpoints", "usage.api-counts.sql"), "utf8");
  const changes: readonly (readonly [RegExp, string])[] = [
    [/^id: .*$/m, "id: 5d0f5d52-22f2-4e61-9b42-0f3d3f8a7c11"],
    [/^name: .*$/m, "name: bench.api-counts"],
    [/^cache_seconds: .*$/m, "cache_seconds: 0"],
    [/^warm_every_seconds: .*\n/m, ""],
    [/CURRENT_TIMESTAMP\(\)/g, timeLiteral(endMs)],
  ];
  const changed = changes.reduce((text, [from, to]) => {
    const next = text.replace(from, to);
    if (next === text) throw new Error(`endpoints/usage.api-counts.sql has no ${from} any more`);
    return next;
  }, counts);
  writeFileSync(join(folder, "bench.api-counts.sql"), changed);
}

/** Sources that never forget: the events lie at a fixed time. */
export function writeSources(folder: string, root: string = rootFolder): void {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(join(root, "sources"))) {
    const text = readFileSync(join(root, "sources", file), "utf8");
    writeFileSync(join(folder, file), text.replace(/^retention_days: .*\n/m, ""));
  }
}

/** Starts the service on `data`, `endpoints` and `sources` below the folder, with further settings. */
export function startProcess(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
  root: string = rootFolder,
  options: readonly string[] = [],
): { readonly child: ChildProcess; readonly url: Promise<string> } {
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("LOGWEIR_"));
  const child = spawn(process.execPath, ["bin/logweir.mjs", "serve", ...options], {
    cwd: root,
    env: {
      ...Object.fromEntries(environment),
      LOGWEIR_PORT: "0",
      LOGWEIR_DATA_DIR: join(folder, "data"),
      LOGWEIR_ENDPOINTS_DIR: join(folder, "endpoints"),
      LOGWEIR_SOURCES_DIR: join(folder, "sources"),
      LOGWEIR_PRIVATE_TOKEN: token,
      LOGWEIR_LOG_LEVEL: "warn",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = new Promise<string>((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      // Only what is said before it listens is of interest; after that the pipe is emptied.
      if (output.length < 100_000) output += chunk.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => reject(new Error(`The service ended with ${code} before it listened:\n${output}`)));
  });
  return { child, url };
}

function engineTime(header: string | string[] | undefined): number | undefined {
  const match = /\bengine;(?:[^,]*;)?dur=([\d.]+)/.exec(String(header ?? ""));
  return match === null ? undefined : Number(match[1]);
}

/** Waits until the service has compacted its store, and made a checkpoint. */
async function waitForCompaction(client: HttpClient): Promise<void> {
  const giveUpAt = performance.now() + maxCompactionMs;
  for (;;) {
    const { body } = await client.send({ method: "GET", path: "/api/store" });
    const state = JSON.parse(body.toString()) as StoreState;
    const tail = state.sources.reduce((sum, { tail_rows }) => sum + tail_rows, 0);
    if (tail < compactedRows && state.log_bytes < compactedLogBytes) return;
    if (performance.now() > giveUpAt) throw new Error(`The store does not come to rest: ${JSON.stringify(state)}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/**
 * Starts the service on its folder below `folder`, which is made when it is missing. For its endpoints it is always
 * `endMs`. `root` is the checkout whose build it is, if it is another than this one.
 */
export async function startLogweir(
  folder: string,
  endMs: number,
  root: string = rootFolder,
  settings: Readonly<Record<string, string>> = {},
): Promise<LogweirPeer> {
  const home = join(folder, "logweir");
  writeEndpoints(join(home, "endpoints"), endMs, root);
  writeSources(join(home, "sources"), root);
  const { child, url: starting } = startProcess(home, settings, root);
  const url = await starting;
  const client = openHttpClient(url, token, 64);

  const insertBody: LogweirPeer["insertBody"] = async (body) => {
    for (;;) {
      const { status, headers, body: answer } = await client.send({ method: "POST", path: ingestPath, body });
      if (status === 200) return;
      if (status !== 429) throw new Error(`The service refused events: ${status} ${answer.toString()}`);
      await new Promise((resolve) => setTimeout(resolve, Number(headers["retry-after"] ?? 1) * 1_000));
    }
  };
  const insert: Peer["insert"] = (events) => insertBody(bodyOf(events));

  return {
    name: "logweir",
    version: (JSON.parse(readFileSync(join(rootFolder, "package.json"), "utf8")) as { version: string }).version,
    pid: child.pid ?? 0,
    url,
    token,
    client,
    storeFolder: join(home, "data", "store"),
    insert,
    insertBody,
    load: (batches) => runLanes(batches, connections, insert),
    waitForCompaction: () => waitForCompaction(client),
    async run(query, context): Promise<Answer> {
      const { endpoint, parameters } = query.logweir(context);
      const path = `/api/endpoints/query/${endpoint}?${new URLSearchParams(parameters).toString()}`;
      const { status, headers, body, elapsedMs } = await client.send({ method: "GET", path });
      if (status !== 200) throw new Error(`${query.key}: ${status} ${body.toString().slice(0, 1_000)}`);
      const engineMs = engineTime(headers["server-timing"]);
      return {
        elapsedMs,
        ...(engineMs !== undefined && { engineMs }),
        rows: () => (JSON.parse(body.toString()) as { result: object[] }).result.map((row): Row => Object.values(row)),
      };
    },
    diskBytes: async () => folderBytes(join(home, "data")),
    async stop() {
      client.close();
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await ended;
    },
  };
}
