/** Processes of the benchmark: the load generator and the bare route, each alone in its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { rootFolder } from "../root.ts";
import type { LoadPlan, LoadResult } from "./load.ts";

function start(job: string, argument: string): ChildProcess {
  const args = [join(rootFolder, "bin", "tool.mjs"), "bench/http/worker.ts", job, argument];
  return spawn(process.execPath, args, { cwd: rootFolder, stdio: ["ignore", "pipe", "inherit"] });
}

/** Runs the load generator in its own process. */
export async function loadFrom(plan: LoadPlan): Promise<LoadResult> {
  const child = start("load-worker", JSON.stringify(plan));
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`The load generator failed on ${plan.url}`);
  return JSON.parse(output) as LoadResult;
}

export interface BareServer {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

/** A Fastify route that sends so many bytes and does nothing else. */
export async function startBareServer(bytes: number): Promise<BareServer> {
  const child = start("bare-worker", String(bytes));
  const [url] = (await once(child.stdout ?? child, "data")) as [Buffer];
  return { url: `${url.toString()}/bare`, pid: child.pid ?? 0, stop: () => void child.kill() };
}
