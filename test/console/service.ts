import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostileEvents } from "./hostile.ts";

/** A service with a day of sample events, and hostile ones of the project `hostile`. */
export interface DemoService {
  readonly url: string;
  readonly token: string;
  /** A token that is pinned to the project `default` and may run `logs.all`. */
  readonly pinnedToken: string;
  stop(): Promise<void>;
}

export async function startDemo(): Promise<DemoService> {
  const dataDir = await mkdtemp(join(tmpdir(), "logweir-console-"));
  const child = spawn(process.execPath, ["dist/logweir.js", "serve", "--demo"], {
    env: { PATH: process.env.PATH, LOGWEIR_PORT: "0", LOGWEIR_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const [url = "", token = ""] = await new Promise<string[]>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const link = /(http:\/\/127\.0\.0\.1:\d+)\/#token=(\w+)/.exec(output);
      if (link !== null) resolve(link.slice(1));
    });
    child.once("exit", () => reject(new Error(`The service ended:\n${output}`)));
  });
  const post = async (path: string, body: unknown): Promise<Response> => {
    const headers = { "content-type": "application/json", "x-api-key": token };
    return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  };
  await post("/api/logs?source_name=edge", hostileEvents("hostile", Date.now()));
  const made = await post("/api/access-tokens", {
    description: "<img src=x onerror=window.hacked=1>",
    scopes: ["query:endpoint:logs.all"],
    pins: { project: "default" },
  });
  const { token: pinnedToken } = (await made.json()) as { readonly token: string };
  return {
    url,
    token,
    pinnedToken,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
