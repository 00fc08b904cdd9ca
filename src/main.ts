/** The composition root, and the entry of the bundle that `bin/logweir.mjs` runs. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "./cli/run-cli.ts";

// Of this file in src/ as of the bundle in dist/, the folder above is the package.
const packageDir = dirname(dirname(fileURLToPath(import.meta.url)));

process.exitCode = await runCli(process.argv.slice(2), {
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  packageDir,
  workingDir: process.cwd(),
});
