import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillWithSampleEvents } from "../../src/demo/fill-with-sample-events.ts";
import { waitUntil } from "../support/wait-until.ts";
import { within } from "./browser.ts";
import { demoAlerts, demoBackends, hostileEndpoints, hostileEvents, hostileSource, hostileTexts } from "./hostile.ts";

/** A service with a day of sample events, and hostile ones of the project `hostile`. */
export interface DemoService {
  readonly url: string;
  readonly token: string;
  /** A token that is pinned to the project `default` and may run `logs.all`. */
  readonly pinnedToken: string;
  /** How many sample events are stored. */
  readonly eventCount: number;
  /** Calls the API with a token; the owner's unless given. Throws where it refuses. */
  post(path: string, body: unknown, token?: string): Promise<unknown>;
  /** Ends the process: as if it had crashed, or as an operator does. */
  end(how: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Starts it again, on the same port and store, with the same tokens. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The large one is more than the table of what the console must reach asks for, so that the largest source has 100,000
 * rows.
 */
const eventCounts = { large: 255_000, small: 40_000 } as const;
const ownerToken = "owner-of-the-console-test";
const stopMs = 20_000;
/** A start fills the store, and others may use the machine. */
const startMs = 180_000;

export async function startDemo(size: keyof typeof eventCounts): Promise<DemoService> {
  const eventCount = eventCounts[size];
  const dataDir = await mkdtemp(join(tmpdir(), "logweir-console-"));
  let { child, port } = await launch(dataDir, "0");
  const url = `http://127.0.0.1:${port}`;
  const post: DemoService["post"] = async (path, body, token = ownerToken) => {
    const headers = { "content-type": "application/json", "x-api-key": token };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path} answers ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
  try {
    const nowMs = Date.now();
    await fillWithSampleEvents({ url, token: ownerToken, nowMs, eventCount });
    await untilInOrder(url);
    await post("/api/logs?source_name=edge", hostileEvents("hostile", nowMs));
    // Of which one is refused.
    await post("/api/logs?source_name=edge", [{ event_message: "good", project: "hostile" }, "not an event"]).catch(
      () => undefined,
    );
    await post("/api/sources", hostileSource);
    await post("/api/logs?source_name=hostile", [{ event_message: "no tenant", timestamp: "2026-01-01T00:00:00Z" }]);
    for (const document of hostileEndpoints) await post("/api/endpoints", document);
    for (const document of demoBackends) {
      const { id } = (await post("/api/backends", document)) as { readonly id: string };
      await post("/api/rules", { backend_id: id, source_id: "edge", lql_string: "m.response.status_code:>=999" });
    }
    for (const text of hostileTexts) {
      // Those with control characters are refused.
      await post("/api/access-tokens", { description: text.slice(0, 500), scopes: ["metrics"] }).catch(() => undefined);
      const view = { name: text.slice(0, 120), endpoint: "logs.all", state: text.slice(0, 1_000) };
      await post("/api/views", view).catch(() => undefined);
    }
    for (const document of demoAlerts) await post("/api/alerts", document);
    const made = (await post("/api/access-tokens", {
      description: "<img src=x onerror=window.hacked=1>",
      scopes: ["query:endpoint:logs.all"],
      pins: { project: "default" },
    })) as { readonly token: string };
    return {
      url,
      token: ownerToken,
      pinnedToken: made.token,
      eventCount,
      post,
      async end(how) {
        const ended = ending(child);
        child.kill(how);
        await ended;
      },
      async restart() {
        ({ child } = await launch(dataDir, port));
      },
      async stop() {
        await end(child);
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** A source with fewer rows that are not sorted yet is left as it is. */
const shortTailRows = 20_000;

/** Waits for the store to sort what came: times are those of a service at rest, not of one that was just filled. */
async function untilInOrder(url: string): Promise<void> {
  await waitUntil(async () => {
    const response = await fetch(`${url}/api/store`, { headers: { "x-api-key": ownerToken } });
    const { sources } = (await response.json()) as { readonly sources: readonly { readonly tail_rows: number }[] };
    return sources.every(({ tail_rows: rows }) => rows < shortTailRows);
  }, startMs);
}

async function launch(dataDir: string, port: string): Promise<{ child: ChildProcess; port: string }> {
  const args = ["dist/logweir.js", "serve"];
  const environment = {
    LOGWEIR_PORT: port,
    LOGWEIR_DATA_DIR: dataDir,
    LOGWEIR_PRIVATE_TOKEN: ownerToken,
    LOGWEIR_LOG_LEVEL: "warn",
  };
  const { child, told } = await startProcess(args, environment, /http:\/\/127\.0\.0\.1:(\d+)/);
  return { child, port: told };
}

/** The service after `npm start` in a new checkout. */
export interface FreshService {
  /** The link that it prints, which signs in where it has a token. */
  readonly link: string;
  stop(): Promise<void>;
}

/** Starts the service as `npm start` does once it is built, on an empty folder, which it fills with sample events. */
export async function startFresh(settings: Readonly<Record<string, string>> = {}): Promise<FreshService> {
  const dataDir = await mkdtemp(join(tmpdir(), "logweir-console-fresh-"));
  const environment = { LOGWEIR_PORT: "0", LOGWEIR_DATA_DIR: dataDir, ...settings };
  const args = ["dist/logweir.js", "serve", "--demo"];
  const { child, told } = await startProcess(args, environment, /(http:\/\/\S+#token=\S+)/);
  return {
    link: told,
    async stop() {
      await end(child);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts a service with these settings on an empty folder. */
export async function startEmpty(environment: Readonly<Record<string, string>>): Promise<FreshService> {
  const dataDir = await mkdtemp(join(tmpdir(), "logweir-console-empty-"));
  const settings = { LOGWEIR_PORT: "0", LOGWEIR_DATA_DIR: dataDir, LOGWEIR_PRIVATE_TOKEN: ownerToken, ...environment };
  const { child, told } = await startProcess(["dist/logweir.js", "serve"], settings, /(http:\/\/127\.0\.0\.1:\d+)/);
  return {
    link: told,
    async stop() {
      await end(child);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts a process of the service; `told` is the group of `pattern` once that is in what it prints. */
async function startProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  pattern: RegExp,
): Promise<{ child: ChildProcess; told: string }> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { text: "" };
  const listening = new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`The service ended:\n${output.text}`)));
    // Both are read to their end: a pipe that nobody empties holds up who writes into it.
    const take = (chunk: Buffer) => {
      output.text = (output.text + chunk.toString()).slice(-20_000);
      const told = pattern.exec(output.text)?.[1];
      if (told !== undefined) resolve(told);
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
  });
  try {
    return { child, told: await within("the service's start", listening, startMs) };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

function ending(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", resolve));
}

/** Asks it to stop, and makes it where it does not. */
async function end(child: ChildProcess): Promise<void> {
  const ended = ending(child);
  child.kill("SIGTERM");
  await within("the service's stop", ended, stopMs).catch(() => child.kill("SIGKILL"));
  await ended;
}
