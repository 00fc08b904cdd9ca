/**
 * `npm run crash -- --kills 100 [--seed 1] [--json]`: kills the service at random; fails when an event is lost or
 * twice.
 */
import { parseArgs } from "node:util";
import { runCrashSuite } from "./crash-run.ts";
import { runWorker } from "./worker.ts";

const [first, mode] = process.argv.slice(2);
if (first === "worker") await runWorker(mode === "small");
else await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { kills: { type: "string" }, seed: { type: "string" }, json: { type: "boolean" } },
  });
  const report = await runCrashSuite({
    kills: Number(values.kills ?? 100),
    seed: Number(values.seed ?? 1),
    log: (message) => process.stderr.write(`${message}\n`),
  });
  const { kills, acknowledged, deleted, rows, fileBytes, freeBytes, runs, fields, slowestRestartMs, problems } = report;
  if (values.json === true) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    process.stdout.write(
      `${kills.host} kills of the engine host and ${kills.service} of the service; ${acknowledged} events ` +
        `acknowledged, ${deleted} deleted, ` +
        `${rows} found; ${megabytes(fileBytes)} MB with ${megabytes(freeBytes)} free; ${runs} compacted runs, ${fields} fields; slowest return ${slowestRestartMs} ms\n` +
        `${problems.length === 0 ? "Every acknowledged event is there once, and no deleted one." : problems.join("\n")}\n`,
    );
  }
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
