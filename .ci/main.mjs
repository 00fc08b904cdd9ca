import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeReports, readReports } from "./reports.mjs";
import { describeFailures, describeResults, runStages } from "./run-stages.mjs";
import { nightlyStages, stages } from "./stages.mjs";

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const [which, ...names] = process.argv.slice(2);
const isNightly = which === "nightly";
const all = isNightly ? nightlyStages : stages;
const unknown = names.filter((name) => name !== "--list" && !all.some((stage) => stage.name === name));
if (names.includes("--list") || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no stage ${unknown.join(", ")}. The stages are:`);
  for (const { name, finds } of all) console.log(`${name.padEnd(24)} ${finds}`);
  process.exit(unknown.length > 0 ? 2 : 0);
}

// Whole days, so that each night tries other values and everybody who asks on one day the same.
const seed = process.env.SEED ?? new Date().toISOString().slice(0, 10).replaceAll("-", "");
const reports = mkdtempSync(join(tmpdir(), "logweir-ci-"));
mkdirSync("node_modules/.cache", { recursive: true });
const started = performance.now();
const chosen = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
// While one stage waits for a disk or a server, the other computes; their test workers share the cores.
const rows = isNightly ? 1 : 2;
const more = isNightly ? { SEED: seed } : { VITEST_MAX_WORKERS: "2" };
// What is missing may be installed, and nothing is left out silently.
const env = { ...process.env, CI: "true", CI_REPORTS: reports, ...more };
if (isNightly) console.log(`Seed ${seed}. A stage with the same values again: SEED=${seed} .ci/nightly STAGE`);

const results = await runStages(chosen, env, rows);
const files = readdirSync(reports).map((file) => join(reports, file));
console.log(describeResults(results));
console.log(describeReports(readReports(files)));
console.log(describeFailures(results));
rmSync(reports, { recursive: true, force: true });
const failed = results.filter(({ problem }) => problem !== undefined).map(({ name }) => name);
const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(
  failed.length === 0
    ? `Passed: ${results.length} stages in ${seconds} s`
    : `FAILED: ${failed.join(", ")}; ${results.length} stages in ${seconds} s` +
        (isNightly ? `. Again: SEED=${seed} .ci/nightly ${failed.join(" ")}` : ""),
);
process.exit(failed.length === 0 ? 0 : 1);
