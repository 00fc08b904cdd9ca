// `npm run lint`: what can be said about the code without running it. All checks run, side by side.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installIfMissing } from "./install.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// What was found out about files that have not changed since serves the next run; CI starts without it.
const cache = join(root, "node_modules", ".cache");
// One checker each: several would each find out again about the types that files share.
const typeCheck = (name) => [
  ...["--noEmit", "--checkers", "1"],
  ...["--incremental", "--tsBuildInfoFile", join(cache, `${name}.tsbuildinfo`)],
];
// Written in Go, some of them collect memory so often that it is a third of their time.
const env = { GOGC: "400", ...process.env };
const checks = [
  ["lint", "biome", ["check", "--error-on-warnings", "."]],
  ["promises", "oxlint", ["--type-aware", "--deny-warnings", "."]],
  ["type check", "tsc", typeCheck("types")],
  ["type check of the console", "tsc", [...typeCheck("console"), "-p", "console"]],
  ["dead code", "knip", ["--cache", "--cache-location", join(cache, "knip")]],
];

/** Runs a check and prints what it said in one piece. Resolves to whether it passed. */
function check([title, tool, args]) {
  const started = Date.now();
  const stdio = ["ignore", "pipe", "pipe"];
  const child = spawn(join(root, "node_modules", ".bin", tool), args, { cwd: root, env, stdio });
  const said = [];
  child.stdout.on("data", (chunk) => said.push(chunk));
  child.stderr.on("data", (chunk) => said.push(chunk));
  return new Promise((resolve) => {
    child.once("close", (status) => {
      process.stderr.write(`== ${title}: ${((Date.now() - started) / 1000).toFixed(1)} s\n${Buffer.concat(said)}`);
      resolve(status === 0);
    });
  });
}

installIfMissing();
const passed = await Promise.all(checks.map(check));
const failed = checks.flatMap(([title], index) => (passed[index] ? [] : [title]));
if (failed.length > 0) process.stderr.write(`failed: ${failed.join(", ")}\n`);
process.exit(failed.length > 0 ? 1 : 0);
