// `npm test`: every test, and beside them lint, type checks and dead code. Ends at the first check that fails.
import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installIfMissing } from "./install.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// What was found out about files that have not changed since serves the next run; CI starts without it.
const cache = join(root, "node_modules", ".cache");
const typeCheck = (name) => ["--noEmit", "--incremental", "--tsBuildInfoFile", join(cache, `${name}.tsbuildinfo`)];
// Promises that nobody waits for are found by the types of the whole project and its dependencies, which takes longer
// than all other rules together, also where the rule is skipped: `npm run lint` looks for them, and CI runs it. The
// checks run side by side, and threads of one would read the same types again.
const checks = [
  ["lint", "biome", ["check", "--error-on-warnings", "--config-path=biome.untyped.json", "."]],
  ["type check", "tsc", [...typeCheck("types"), "--checkers", "1"]],
  ["type check of the console", "tsc", [...typeCheck("console"), "-p", "console"]],
  ["dead code", "knip", ["--cache", "--cache-location", join(cache, "knip")]],
];

function pathOf(tool) {
  return join(root, "node_modules", ".bin", tool);
}

function seconds(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`;
}

/** A check takes what the tests leave of the processors, which have deadlines: "nice", 19 being the least. */
const checkPriority = 10;

/** Runs a check and prints what it said in one piece. Resolves to whether it passed. */
function check([title, tool, args]) {
  const started = Date.now();
  const child = spawn(pathOf(tool), args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  if (child.pid !== undefined) setPriority(child.pid, checkPriority);
  const said = [];
  child.stdout.on("data", (chunk) => said.push(chunk));
  child.stderr.on("data", (chunk) => said.push(chunk));
  return new Promise((resolve) => {
    child.once("close", (status) => {
      process.stderr.write(`\n== ${title}: ${seconds(started)}\n${Buffer.concat(said)}`);
      resolve(status === 0);
    });
  });
}

installIfMissing();
const started = Date.now();
const tests = spawn(pathOf("vitest"), ["run", ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });
const tested = new Promise((resolve) => tests.once("close", (status) => resolve(status ?? 1)));
const failed = [];
const checked = checks.map(async (each) => {
  if (await check(each)) return;
  failed.push(each[0]);
  tests.kill();
});
const status = await tested;
process.stderr.write(`== tests: ${seconds(started)}\n`);
await Promise.all(checked);
if (failed.length > 0) process.stderr.write(`failed: ${failed.join(", ")}\n`);
process.exit(failed.length > 0 ? 1 : status);
