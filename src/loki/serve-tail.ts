import type { QueryCall } from "../endpoints/call/prepare/query-call.ts";
import { askTail, type TailRow } from "../endpoints/tail/ask-tail.ts";
import type { TailAsk } from "../endpoints/tail/tail-query.ts";
import { createWay } from "../shared/concurrency/give-way.ts";
import { ServiceError } from "../shared/errors.ts";
import { writeLine } from "./answers.ts";
import { boundText } from "./bound-text.ts";
import type { LogQuery, Matcher } from "./logql/logql-ast.ts";
import { parseLogql } from "./logql/parse-logql.ts";
import { compilePipeline } from "./pipeline/compile-pipeline.ts";
import { readDelay, readLineLimit, readQuery, readTailStart } from "./read-request.ts";
import { followLines, splitStages } from "./reading/build-sql.ts";
import { findTables, type LokiTable } from "./reading/find-tables.ts";
import { toLine } from "./reading/read-lines.ts";
import { withoutPlace } from "./reading/run-sql.ts";
import type { LokiRequest } from "./serve-loki.ts";

/** Tables that one tail follows at most: each is asked for by itself. */
const maxTables = 30;

/** A table whose lines are followed. */
export interface FollowedTable {
  /** A call of what holds the table, with the query of its lines. */
  readonly call: QueryCall;
  /** Asks for the newest lines of a period, as they are reported, in the table as it is then. */
  readonly ask: TailAsk;
}

/** A log query that is followed. */
export interface LokiTail {
  /** Distinguishes tails of the same calls that lay lines out differently. */
  readonly key: string;
  /** Lines before now are reported from here on, the newest `limit` of them. */
  readonly fromUs: bigint;
  readonly limit: number;
  /** How long lines are held back, to be reported in the order of their times. */
  readonly delayMs: number;
  readonly isCategorized: boolean;
  /** The tables that it follows, as the caller may read them now. Throws `ServiceError` as opening a call does. */
  readTables(): Promise<readonly FollowedTable[]>;
}

/** `tail`: what a request follows. Throws `ServiceError` for all that is wrong with it. */
export function openTail({ caller, sent, nowMs, isCategorized }: LokiRequest): LokiTail {
  const text = readQuery(sent, caller);
  const query = parseLogql(text);
  if (query.kind !== "log") throw new ServiceError("invalid_query", "tail takes a log query, without aggregations");
  const { rest } = splitStages(query.stages);
  const pipeline = compilePipeline(rest);
  const readTables = async (of: readonly Matcher[]): Promise<readonly FollowedTable[]> => {
    const readers = await findTables(caller, of);
    const tables = readers.flatMap(({ call, tables: found }) => found.map((table) => ({ call, table })));
    if (tables.length > maxTables) {
      throw new ServiceError(
        "limit_exceeded",
        `The selector finds ${tables.length} tables; a tail follows ${maxTables}`,
        {
          hint: 'Choose some by their source, as in {source="edge_logs"}.',
        },
      );
    }
    return tables.map(({ call, table }) => ({
      call: callFor(call, table, query),
      ask: askFor(table.name, scopeOf(call)),
    }));
  };
  const askFor =
    (name: string, scope: string): TailAsk =>
    async (period, signal) => {
      const only: Matcher = { name: "source", operator: "=", value: name, at: 0 };
      const [reader] = await findTables(caller, [...query.matchers, only]);
      const [table] = reader?.tables ?? [];
      // Its followers have each seen that they may read this, and nothing else.
      if (reader === undefined || table === undefined || scopeOf(reader.call) !== scope) {
        throw new ServiceError("version_conflict", `The tail has ended: what ${name} is was changed. Follow again`);
      }
      const call = callFor(reader.call, table, query);
      const answer = await askTail(caller.runner, call, period, signal).catch((error) => {
        throw withoutPlace(error);
      });
      const rows = await runStages(answer.rows, { pipeline, table, isCategorized, keep: boundText(caller) });
      return { ...answer, rows };
    };
  return {
    key: JSON.stringify([text, isCategorized]),
    fromUs: readTailStart(sent, nowMs) / 1000n,
    limit: readLineLimit(sent, caller),
    delayMs: readDelay(sent),
    isCategorized,
    readTables: () => readTables(query.matchers),
  };
}

interface TailStages {
  readonly pipeline: ReturnType<typeof compilePipeline>;
  readonly table: LokiTable;
  readonly isCategorized: boolean;
  readonly keep: ReturnType<typeof boundText>;
}

/** Lays rows out as lines behind the stages of a query; those that it drops are hidden. */
async function runStages(
  rows: readonly TailRow[],
  { pipeline, table, isCategorized, keep }: TailStages,
): Promise<readonly TailRow[]> {
  const giveWay = createWay();
  const written: TailRow[] = [];
  for (const row of rows) {
    await giveWay();
    const { ns, line, labels } = readRow(row, table);
    const made = pipeline(line, labels);
    if (made === undefined) {
      written.push({ ...row, json: "", isHidden: true });
      continue;
    }
    keep(made, labels);
    const { stream, value } = writeLine({ ns, line: made, labels }, isCategorized);
    const json = JSON.stringify({ stream: Object.fromEntries(stream), values: [value] });
    written.push({ ...row, restNs: Number(ns % 1000n), json });
  }
  return written;
}

/** Everything that a call reads by, but its query. */
function scopeOf({ target, parameters, redactsPii }: QueryCall): string {
  return JSON.stringify([target.definition.id, target.version, redactsPii, [...parameters]]);
}

function callFor(call: QueryCall, table: LokiTable, { matchers, stages }: LogQuery): QueryCall {
  const sql = followLines(table, matchers, splitStages(stages).lineFilters);
  return { ...call, parameters: new Map(call.parameters).set("sql", sql) };
}

function readRow({ json, timeUs }: TailRow, table: LokiTable) {
  const { line, fields } = JSON.parse(json) as { readonly line: string; readonly fields: string };
  return toLine({ source: table.name, us: timeUs, line, fields }, [table]);
}
