/** Processes of the benchmark: the load generator and the bare route, each alone in its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import fastify from "fastify";
import { type LoadPlan, type LoadResult, runLoad } from "./load.ts";

/** This file's bundle, or whatever runs it: it is started again with another job. */
const entry = process.argv[1] ?? fileURLToPath(import.meta.url);

/** The jobs by which `bench/main.ts` is started as a worker. */
export const workerJobs: Readonly<Record<string, (argument: string) => Promise<void>>> = {
  "load-worker": async (argument) => {
    process.stdout.write(JSON.stringify(await runLoad(JSON.parse(argument) as LoadPlan)));
  },
  "bare-worker": async (bytes) => {
    const body = Buffer.alloc(Number(bytes), "x");
    const app = fastify();
    app.get("/bare", (_request, reply) => {
      reply.header("content-type", "application/json; charset=utf-8").send(body);
    });
    process.stdout.write(await app.listen({ port: 0, host: "127.0.0.1" }));
  },
};

function start(job: string, argument: string): ChildProcess {
  return spawn(process.execPath, [entry, job, argument], { stdio: ["ignore", "pipe", "inherit"] });
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
  stop(): void;
}

/** A Fastify route that sends so many bytes and does nothing else. */
export async function startBareServer(bytes: number): Promise<BareServer> {
  const child = start("bare-worker", String(bytes));
  const [url] = (await once(child.stdout ?? child, "data")) as [Buffer];
  return { url: `${url.toString()}/bare`, stop: () => void child.kill() };
}
