/** `npm run bench`: measures the service beside its peers. See docs/benchmarks.md. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatEngine } from "./engine/engine-report.ts";
import { measureEngine } from "./engine/measure-engine.ts";
import { formatHttp } from "./http/http-report.ts";
import { measureHttp } from "./http/measure-http.ts";
import { measureIngest } from "./measure-ingest.ts";
import { measureQueries } from "./measure-queries.ts";
import { measureService } from "./measure-service.ts";
import { measureSteps } from "./measure-steps.ts";
import { type BenchOptions, machine, parseOptions } from "./options.ts";
import { runClickhouseWorker } from "./peers/clickhouse/worker.ts";
import { formatIngest, formatQueries, formatService, formatSteps } from "./report.ts";

const say = (line: string) => process.stderr.write(`${line}\n`);

async function runBench(options: BenchOptions): Promise<void> {
  const report: Record<string, unknown> = { machine, at: new Date().toISOString() };
  const wants = (part: string) => options.part === "all" || options.part === part;
  if (options.engine === "clickhouse") {
    rmSync(join(options.folder, "engine"), { recursive: true, force: true });
    const engine = await measureEngine(options, say);
    console.log(formatEngine(engine));
    if (options.jsonFile !== undefined)
      writeFileSync(options.jsonFile, `${JSON.stringify({ ...report, engine }, null, 2)}\n`);
    rmSync(join(options.folder, "engine"), { recursive: true, force: true });
    return;
  }
  const clear = (part: string) => rmSync(join(options.folder, part), { recursive: true, force: true });
  console.log(`${report.at}; ${machine}\n`);
  if (wants("queries")) {
    if (!options.keepsStores) clear("queries");
    const queries = await measureQueries(options, say);
    report.queries = queries;
    console.log([...queries.notices, formatQueries(queries), ""].join("\n"));
    if (!options.keepsStores) clear("queries");
  }
  if (wants("ingest")) {
    clear("ingest");
    const ingest = await measureIngest(options, say);
    report.ingest = ingest;
    console.log([...ingest.notices, formatIngest(ingest), ""].join("\n"));
    clear("ingest");
  }
  if (wants("steps")) {
    const steps = await measureSteps(options, say);
    report.steps = Object.fromEntries(steps);
    console.log(`${formatSteps(steps)}\n`);
  }
  if (wants("service")) {
    const service = await measureService(options, say);
    report.service = service;
    console.log(`${formatService(service)}\n`);
  }
  if (wants("http")) {
    const http = await measureHttp(options, say);
    report.http = http;
    console.log(`${formatHttp(http)}\n`);
    clear("http");
  }
  if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`);
}

const [first, ...rest] = process.argv.slice(2);
if (first === "clickhouse-worker") runClickhouseWorker(rest[0] ?? "", rest[1] ?? "");
else await runBench(parseOptions(process.argv.slice(2)));
