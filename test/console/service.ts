import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillWithSampleEvents } from "../../src/demo/fill-with-sample-events.ts";
import { patienceMs, within } from "./browser.ts";
import { hostileEndpoints, hostileEvents } from "./hostile.ts";

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
  /** Ends the process, as if it had crashed. */
  crash(): Promise<void>;
  /** Starts it again, on the same port and store, with the same tokens. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The events of the design's table. */
const eventCount = 200_000;
const ownerToken = "owner-of-the-console-test";
const stopMs = 20_000;

export async function startDemo(): Promise<DemoService> {
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
    await post("/api/logs?source_name=edge", hostileEvents("hostile", nowMs));
    // Of which one is refused.
    await post("/api/logs?source_name=edge", [{ event_message: "good", project: "hostile" }, "not an event"]).catch(
      () => undefined,
    );
    for (const document of hostileEndpoints) await post("/api/endpoints", document);
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
      async crash() {
        const ended = ending(child);
        child.kill("SIGKILL");
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

async function launch(dataDir: string, port: string): Promise<{ child: ChildProcess; port: string }> {
  const child = spawn(process.execPath, ["dist/logweir.js", "serve"], {
    env: {
      PATH: process.env.PATH,
      LOGWEIR_PORT: port,
      LOGWEIR_DATA_DIR: dataDir,
      LOGWEIR_PRIVATE_TOKEN: ownerToken,
      LOGWEIR_LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  // Both are read to their end: a pipe that nobody empties holds up who writes into it.
  const taken = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-20_000);
  };
  child.stdout?.on("data", taken);
  child.stderr?.on("data", taken);
  const listening = new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`The service ended:\n${output}`)));
    child.stdout?.on("data", () => {
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.stderr?.on("data", () => {
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  return { child, port: await within("the service's start", listening, patienceMs) };
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
