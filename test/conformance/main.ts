/**
 * `npm run conformance -- FOLDER [--floors FILE] [--engine duckdb|clickhouse]`: runs the case files of a folder and prints
 * what fails. On ClickHouse the server is that of LOGWEIR_TEST_CLICKHOUSE_URL, or one that is started for the run.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openSharedServer } from "../clickhouse/shared-server.ts";
import { findShortfalls, type Scores } from "./floors.ts";
import { printQueryConformance, runQueryConformance } from "./queries.ts";
import { printSyntaxConformance, runSyntaxConformance } from "./syntax.ts";

const options = { floors: { type: "string" }, engine: { type: "string", default: "duckdb" } } as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const [folder] = positionals;
const path = resolve(folder ?? ".");
const engines = ["duckdb", "clickhouse"];
const hasSyntax = existsSync(join(path, "syntax.json"));
const hasQueries = existsSync(join(path, "queries.json"));
if (folder === undefined || !(hasSyntax || hasQueries) || !engines.includes(values.engine)) {
  console.error(
    "Usage: npm run conformance -- FOLDER [--floors FILE] [--engine duckdb|clickhouse], with syntax.json or " +
      "queries.json in the folder",
  );
  process.exit(2);
}

const share = (part: number, rest: number) => part / Math.max(1, part + rest);
let scores: Scores = {};
if (hasSyntax) {
  const result = runSyntaxConformance(path);
  console.log(printSyntaxConformance(result));
  scores = {
    syntax_accepted: share(result.accepted.passed, result.accepted.failed),
    syntax_rejected: share(result.rejected.passed, result.rejected.failed),
  };
}
if (hasQueries) {
  const shared = values.engine === "clickhouse" ? await openSharedServer() : undefined;
  const result = await runQueryConformance(path, shared?.server);
  await shared?.release();
  console.log(printQueryConformance(result));
  scores = {
    ...scores,
    queries_right: share(result.passed, result.failed),
    queries_wrong_rows_at_most: result.wrongRows / Math.max(1, result.passed + result.failed),
  };
}
const shortfalls = values.floors === undefined ? [] : findShortfalls(values.floors, scores);
for (const shortfall of shortfalls) console.error(`Below the floor: ${shortfall}`);
process.exitCode = shortfalls.length > 0 ? 1 : 0;
