/** The composition root, and the entry of the bundle that `bin/logweir.mjs` runs. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "./cli/run-cli.ts";

// Of this file in src/ as of the bundle in dist/, the folder above is the package.
const packageDir = dirname(dirname(fileURLToPath(import.meta.url)));

const args = process.argv.slice(2);

// A reader that stops early, such as `head`, ends a command as SIGPIPE does; where text is left unread in a socket, the
// system says ECONNRESET. A service continues without its log.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (args[0] === "serve") return;
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") throw error;
    process.exit(141);
  });
}

// What commands write is for nobody else on the machine: copies of events and tokens, and progress files. Only code is
// written as other programs do: endpoints and clients.
if (args[0] !== "endpoint" && args[0] !== "client") process.umask(0o077);

process.exitCode = await runCli(args, {
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  packageDir,
  workingDir: process.cwd(),
});
