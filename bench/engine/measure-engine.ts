/**
 * The service over a ClickHouse server beside hand-written ClickHouse SQL on the same server and the same events: each
 * of the eight queries end to end, one after the other, warm.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openServer } from "../../test/clickhouse/start.ts";
import { findDifference } from "../compare.ts";
import { type BenchEvent, batchCount, type EventPlan, makeBatch } from "../events.ts";
import type { BenchOptions } from "../options.ts";
import { startLogweir } from "../peers/logweir.ts";
import type { Answer } from "../peers/peer.ts";
import { type BenchQuery, benchQueries, contextOf, type QueryContext } from "../queries.ts";
import { runLanes } from "../run-lanes.ts";
import { defaultEffort, type Effort, measureInTurns, type Timing } from "../statistics.ts";
import { measurePlanning } from "./measure-planning.ts";
import { openServerPeer } from "./server-peer.ts";

/** Most that a plan may take. */
export const maxPlanMs = 1;

/** Most that a query through the service may take, as a multiple of the hand-written one. */
export const maxRatio = 1.3;

export interface EngineResult {
  readonly title: string;
  readonly rowCount: number;
  readonly ours: Timing;
  readonly handWritten: Timing;
  readonly difference: string | undefined;
  /** Median from the text to the statement, once warm, of a plan that is not cached. */
  readonly planMs: number;
}

export interface EngineReport {
  readonly eventCount: number;
  readonly version: string;
  readonly results: readonly EngineResult[];
}

interface Side {
  insert(events: readonly BenchEvent[]): Promise<void>;
  run(query: BenchQuery, context: QueryContext): Promise<Answer>;
}

const DATABASE = "bench_logweir";
const LANES = 4;

function* batchesOf(plan: EventPlan): Generator<readonly BenchEvent[]> {
  for (let index = 0; index < batchCount(plan); index++) yield makeBatch(plan, index);
}

async function compareSides(
  query: BenchQuery,
  context: QueryContext,
  { ours, theirs }: { readonly ours: Side; readonly theirs: Side },
  effort: Effort,
): Promise<Omit<EngineResult, "planMs">> {
  const [first, other] = [await ours.run(query, context), await theirs.run(query, context)];
  const rows = first.rows();
  const runs = [ours, theirs].map((side) => async () => (await side.run(query, context)).elapsedMs);
  const [timing, handWritten] = await measureInTurns(runs, effort);
  if (timing === undefined || handWritten === undefined) throw new Error("Nothing was measured");
  const difference = findDifference(query.comparison, rows, other.rows());
  return { title: query.title, rowCount: rows.length, ours: timing, handWritten, difference };
}

/** The server is that of LOGWEIR_TEST_CLICKHOUSE_URL, or one that is started for the run. */
export async function measureEngine(
  options: BenchOptions,
  say: (line: string) => void,
  effort: Effort = defaultEffort,
): Promise<EngineReport> {
  const folder = join(options.folder, "engine");
  mkdirSync(join(folder, "server"), { recursive: true });
  const server = await openServer({ folder: join(folder, "server") });
  const settings = {
    LOGWEIR_ENGINE: "clickhouse",
    LOGWEIR_CLICKHOUSE_URL: server.url,
    LOGWEIR_CLICKHOUSE_DATABASE: DATABASE,
    LOGWEIR_CLICKHOUSE_MIGRATE: "on",
  };
  const ours = await startLogweir(folder, options.plan.endMs, undefined, settings);
  const theirs = await openServerPeer(server.url);
  try {
    for (const [name, side] of [
      ["the service", ours],
      ["the hand-written table", theirs],
    ] as const) {
      say(`Loading ${options.plan.eventCount} events into ${name}`);
      await runLanes(batchesOf(options.plan), LANES, (events) => side.insert(events));
    }
    await theirs.merge(["bench", DATABASE]);
    const context = contextOf(options.plan);
    const results: EngineResult[] = [];
    const planMs = await measurePlanning(context);
    for (const query of benchQueries) {
      const compared = await compareSides(query, context, { ours, theirs }, effort);
      const result = { ...compared, planMs: planMs.get(query.key) ?? Number.NaN };
      results.push(result);
      say(`  ${query.title}: ${(result.ours.medianMs / result.handWritten.medianMs).toFixed(2)}`);
    }
    return { eventCount: options.plan.eventCount, version: theirs.version, results };
  } finally {
    await theirs.close();
    await ours.stop();
    await server.kill();
  }
}
