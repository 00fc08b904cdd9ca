/**
 * Measures what drain rules cost, `npm run bench:drains`: processor time of the service and its engine until so many
 * rules of one source, each with a filter of its own, have dealt with the same events, beside ten rules.
 */

import { mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Command } from "commander";
import { type HttpClient, openHttpClient } from "./http-client.ts";
import { parseCount } from "./options.ts";
import { startProcess, token, writeSources } from "./peers/logweir.ts";
import { treeCpuSeconds, waitForRest } from "./processes.ts";
import { formatTable, ratioText } from "./report.ts";
import { rootFolder } from "./root.ts";

interface Flags {
  readonly rules: readonly number[];
  readonly events: number;
  readonly dir: string;
  readonly root: string;
}

/** Processor time, and seconds by the clock, of one lane. */
interface Lane {
  readonly ruleCount: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly requestCount: number;
}

const perBody = 500;

/** Each rule selects one event of a thousand. */
const pathOf = (index: number) => `/path/${index % 1_000}`;

async function listen(): Promise<{ readonly url: string; readonly requests: () => number; close(): void }> {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    request.resume().on("end", () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, requests: () => count, close: () => server.close() };
}

async function send(client: HttpClient, method: "GET" | "POST", path: string, body?: object): Promise<string> {
  const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  const answer = await client.send({ method, path, ...sent });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.body.toString()}`);
  return answer.body.toString();
}

async function measureLane(flags: Flags, ruleCount: number): Promise<Lane> {
  const { dir, events, root } = flags;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeSources(join(dir, "sources"));
  const settings = {
    LOGWEIR_ENDPOINTS_DIR: join(root, "endpoints"),
    LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.0/8",
    LOGWEIR_MAX_REQUESTS_PER_MINUTE: "1000000",
  };
  const destination = await listen();
  const { child, url } = startProcess(dir, settings, root);
  const client = openHttpClient(await url, token, 8);
  const waiting = async () => {
    const metrics = await send(client, "GET", "/metrics");
    const found = [...metrics.matchAll(/^logweir_drain_waiting_events(?:\{[^}]*\})? (\d+)/gm)];
    return found.reduce((sum, [, value]) => sum + Number(value), 0);
  };
  const ingest = async (from: number, count: number) => {
    const batch = Array.from({ length: count }, (_, index) => ({
      id: `e${from + index}`,
      event_message: `GET ${pathOf(from + index)}`,
      metadata: { request: { path: pathOf(from + index), method: "GET" }, response: { status_code: 200 } },
    }));
    await send(client, "POST", "/api/logs?source_name=edge", { batch });
  };
  try {
    await ingest(-1, 1);
    const config = { url: destination.url };
    const backend = JSON.parse(
      await send(client, "POST", "/api/backends", { name: "bench", type: "webhook", config }),
    ) as { readonly id: string };
    const make = async (index: number) => {
      const lql = `m.request.path:"${pathOf(index)}" -m.rule:${index}`;
      await send(client, "POST", "/api/rules", { backend_id: backend.id, source_id: "edge", lql_string: lql });
    };
    for (let from = 0; from < ruleCount; from += 8) {
      await Promise.all(Array.from({ length: Math.min(8, ruleCount - from) }, (_, index) => make(from + index)));
    }
    const pid = child.pid ?? 0;
    await waitForRest([pid]);
    const [cpu, startedAt] = [treeCpuSeconds(pid), performance.now()];
    for (let from = 0; from < events; from += perBody) await ingest(from, Math.min(perBody, events - from));
    while ((await waiting()) > 0) await pause(2_000);
    const seconds = (performance.now() - startedAt) / 1_000;
    return { ruleCount, cpuSeconds: treeCpuSeconds(pid) - cpu, seconds, requestCount: destination.requests() };
  } finally {
    client.close();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    destination.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure(flags: Flags): Promise<void> {
  const lanes: Lane[] = [];
  for (const ruleCount of flags.rules) lanes.push(await measureLane(flags, ruleCount));
  const least = lanes[0];
  const rows = lanes.map(({ ruleCount, cpuSeconds, seconds, requestCount }) => [
    ruleCount.toLocaleString("en"),
    cpuSeconds.toFixed(2),
    (flags.events / seconds).toFixed(0),
    String(requestCount),
    least === undefined ? "" : ratioText(cpuSeconds / least.cpuSeconds),
  ]);
  console.log(formatTable(["rules", "CPU seconds", "events/s", "requests", "CPU to the first lane"], rows));
}

const parseCounts = (text: string) => text.split(",").map(parseCount);

await new Command("npm run bench:drains --")
  .description("Measures what many drain rules of one source cost, beside few.")
  .option(
    "--rules <list>",
    "numbers of rules, the first of which the others are compared with",
    parseCounts,
    [10, 1_000, 10_000],
  )
  .option("--events <n>", "events that arrive", parseCount, 5_000)
  .option("--dir <folder>", "folder of the store", join(tmpdir(), "logweir-bench-drains"))
  .option("--root <folder>", "the build that is measured", rootFolder)
  .action(measure)
  .parseAsync();
