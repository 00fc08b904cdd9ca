/**
 * `npm run conformance:engines -- --seed N --count M`: random queries on the embedded engine and on a ClickHouse server
 * (that of LOGWEIR_TEST_CLICKHOUSE_URL, or a test server). Prints those whose answers differ, and how many they are.
 * `--query TEXT` compares one text instead.
 */
import { parseArgs } from "node:util";
import type { ScratchEngine } from "../../../src/engines/contract/scratch-engine.ts";
import { openScratchEngine } from "../../../src/engines/index.ts";
import { parseQuery } from "../../../src/googlesql/parse.ts";
import { resolveQuery } from "../../../src/googlesql/resolver/resolve.ts";
import { openSharedServer } from "../../clickhouse/shared-server.ts";
import { Random } from "./random.ts";
import { QueryShapes } from "./shapes.ts";

const TIMEOUT_MS = 30_000;

type Answer = { readonly rows: readonly unknown[] } | { readonly error: string };

async function ask(engine: ScratchEngine, text: string): Promise<Answer> {
  try {
    const query = resolveQuery(parseQuery(text), text, { tables: engine.tables, inferParameters: true });
    return { rows: JSON.parse(await engine.run(engine.compile(query, { text }), [], TIMEOUT_MS)) as unknown[] };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Rows in any order, floats to twelve digits: engines add them up in orders of their own. */
function comparable(answer: Answer): string {
  if ("error" in answer) return "error";
  const round = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isSafeInteger(value) ? Number(value.toPrecision(12)) : value;
  return answer.rows
    .map((row) => JSON.stringify(row, round))
    .sort()
    .join("\n");
}

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "1000" },
    query: { type: "string", multiple: true, default: [] },
  },
});
const shared = await openSharedServer();
const engines = [await openScratchEngine(), await openScratchEngine(shared.server)] as const;
const shapes = new QueryShapes(new Random(Number(values.seed)));
const given = values.query;
const count = given.length > 0 ? given.length : Number(values.count);
let differing = 0;
try {
  for (let at = 0; at < count; at++) {
    const query = given[at] ?? shapes.write().query;
    const [embedded, server] = await Promise.all(engines.map((engine) => ask(engine, query)));
    if (embedded === undefined || server === undefined) continue;
    if (comparable(embedded) === comparable(server) && given.length === 0) continue;
    if (comparable(embedded) !== comparable(server)) differing++;
    console.log(JSON.stringify({ query, embedded, server }));
  }
} finally {
  await Promise.all(engines.map((engine) => engine.close()));
  await shared.release();
}
console.log(`queries: ${count} of seed ${values.seed}, ${differing} differ`);
process.exitCode = differing > 0 ? 1 : 0;
