/**
 * Entry point of the engine host, the child process that DuckDB runs in. It talks over its file descriptor 3 and ends
 * as soon as that does: a service that was killed leaves no process behind that holds its store.
 */
import { Socket } from "node:net";
import { collectAtRest } from "../../../shared/system/collect-at-rest.ts";
import { serve } from "./server.ts";

const FRAMES_FD = 3;

function exitWith(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

// Signals to the whole group are for the service, which closes this process in its turn.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
process.on("uncaughtException", exitWith);
process.on("unhandledRejection", exitWith);

collectAtRest();

const hooks = { onFatal: exitWith, onProblem: (message: string) => void process.stderr.write(`${message}\n`) };
serve(new Socket({ fd: FRAMES_FD, readable: true, writable: true }), hooks, (error) => {
  if (error === undefined) process.exit(0);
  exitWith(error);
});
