// `npm test`: lint, type check, dead code, then every test. Stops at the first that fails.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installIfMissing } from "./install.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const steps = [
  ["lint", "biome", ["check", "--error-on-warnings", "."]],
  ["type check", "tsc", ["--noEmit"]],
  ["type check of the console", "tsc", ["--noEmit", "-p", "console"]],
  ["dead code", "knip", []],
  ["tests", "vitest", ["run", ...process.argv.slice(2)]],
];

installIfMissing();
for (const [title, tool, args] of steps) {
  process.stderr.write(`\n== ${title}\n`);
  const started = Date.now();
  const result = spawnSync(join(root, "node_modules", ".bin", tool), args, { cwd: root, stdio: "inherit" });
  if (result.status !== 0) {
    process.stderr.write(`${title} failed\n`);
    process.exit(result.status ?? 1);
  }
  process.stderr.write(`== ${title}: ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}
