/**
 * Measures a cache hit, `npm run bench:cached`: processor time of the service for each call, in turns on one service,
 * by the short path and by the whole path. A call whose token is in the URL takes the whole path to the same cached
 * answer. With another checkout's folder, that build takes its turns too.
 */

import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { runLoad } from "./http/load.ts";
import { type BenchService, startBenchService } from "./http/service.ts";
import { parseCount } from "./options.ts";
import { cpuSeconds } from "./processes.ts";
import { rootFolder } from "./root.ts";
import { quantileOf } from "./statistics.ts";

interface Flags {
  readonly calls: number;
  readonly rounds: number;
  readonly dir: string;
}

/** One way to the answer, and what each of its turns took, in microseconds of processor time for a call. */
interface Lane {
  readonly name: string;
  readonly service: BenchService;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly taken: number[];
}

function lanesOf(build: string, service: BenchService): Lane[] {
  const url = `${service.url}/api/endpoints/query/kept`;
  const headers = { accept: "application/json" };
  return [
    {
      name: `${build}: token in a header`,
      service,
      url,
      headers: { ...headers, "x-api-key": service.token },
      taken: [],
    },
    { name: `${build}: token in the URL`, service, url: `${url}?api_key=${service.token}`, headers, taken: [] },
  ];
}

async function takeTurn({ service, url, headers, taken }: Lane, count: number): Promise<void> {
  const before = cpuSeconds(service.pid);
  const { count: answered } = await runLoad({ url, headers, connections: 8, seconds: 600, count, status: 200 });
  taken.push(((cpuSeconds(service.pid) - before) * 1e6) / answered);
}

async function measure(other: string | undefined, { calls, rounds, dir }: Flags): Promise<void> {
  const services: BenchService[] = [];
  try {
    for (const root of [rootFolder, ...(other === undefined ? [] : [resolve(other)])]) {
      services.push(await startBenchService(join(dir, String(services.length)), false, root));
    }
    const lanes = services.flatMap((service, at) => lanesOf(at === 0 ? "own" : "other", service));
    for (const lane of lanes) await takeTurn(lane, calls);
    for (const lane of lanes) lane.taken.length = 0;
    for (let round = 0; round < rounds; round++) {
      for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) await takeTurn(lane, calls);
    }
    console.log("| hits by | CPU us, median | least | most | to the first |\n|---|---:|---:|---:|---:|");
    const first = quantileOf(lanes[0]?.taken ?? [], 0.5);
    for (const { name, taken } of lanes) {
      const [median, least, most] = [quantileOf(taken, 0.5), quantileOf(taken, 0), quantileOf(taken, 1)];
      const cells = [median, least, most].map((value) => value.toFixed(1)).join(" | ");
      console.log(`| ${name} | ${cells} | ${(median / first).toFixed(2)} |`);
    }
  } finally {
    for (const service of services) await service.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

await new Command("npm run bench:cached --")
  .description("Measures what a hit of the cache costs, by the short way and by the whole way.")
  .argument("[folder]", "another checkout of the project, which must be built")
  .option("--calls <n>", "calls of a turn", parseCount, 20_000)
  .option("--rounds <n>", "turns of each", parseCount, 8)
  .option("--dir <folder>", "folder of the stores", join(tmpdir(), "logweir-cached"))
  .action(measure)
  .parseAsync();
