// `npm test`: lint, type checks and dead code side by side, then every test. Stops at the first that fails.
import { spawn, spawnSync } from "node:child_process";
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

/** Runs a check and prints what it said in one piece. Resolves to whether it passed. */
function check([title, tool, args]) {
  const started = Date.now();
  const child = spawn(pathOf(tool), args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  child.stdout.on("data", (chunk) => said.push(chunk));
  child.stderr.on("data", (chunk) => said.push(chunk));
  return new Promise((resolve) => {
    child.once("close", (status) => {
      process.stderr.write(`\n== ${title}: ${seconds(started)}\n${Buffer.concat(said)}`);
      if (status !== 0) process.stderr.write(`${title} failed\n`);
      resolve(status === 0);
    });
  });
}

installIfMissing();
const passed = await Promise.all(checks.map(check));
if (passed.includes(false)) process.exit(1);

process.stderr.write("\n== tests\n");
const started = Date.now();
const { status } = spawnSync(pathOf("vitest"), ["run", ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });
process.stderr.write(`== tests: ${seconds(started)}\n`);
process.exit(status ?? 1);
