import { prepareFairly } from "../../endpoints/call/prepare/prepare-call.ts";
import type { QueryCall } from "../../endpoints/call/prepare/query-call.ts";
import { runPrepared } from "../../endpoints/call/run/run-prepared.ts";
import type { QueryShape } from "../../endpoints/explore/query-shape.ts";
import { fieldOfRow, selectFromRows } from "../../endpoints/explore/select-rows.ts";
import { parseJson } from "../../engines/contract/parse-json.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { LokiCaller } from "../loki-caller.ts";

export type SqlRow = Readonly<Record<string, unknown>>;

/** The rows of a query, and whether a bound cut them. */
export interface SqlRun {
  /** Rows at most, of the caller's budget too. */
  readonly maxRows: number;
  readonly rows: AsyncGenerator<readonly SqlRow[], boolean>;
}

/** The order of the rows by their columns `us` and `id`; none where undefined. */
export type RowOrder = "ASC" | "DESC" | undefined;

/**
 * Runs SQL that was made here in a call, under all rules of its target. The rows come in batches; the generator
 * returns whether there are more than `maxRows`. Throws `ServiceError` as running the call does.
 */
export async function runSql(
  caller: LokiCaller,
  call: QueryCall,
  sql: string,
  order: RowOrder,
  maxRows: number,
): Promise<SqlRun> {
  const parameters = new Map(call.parameters).set("sql", sql);
  const asked: QueryCall = { ...call, parameters, shape: shapeRows(order, maxRows) };
  caller.noteRun(asked);
  try {
    const turn = { caller: caller.identity.tokenId, openSignal: call.openSignal };
    const prepared = await prepareFairly(caller.runner, asked, turn);
    const run = runPrepared(caller.runner, prepared, call.openSignal(), caller.runOptions());
    return { maxRows: prepared.maxRows, rows: readBatches(run) };
  } catch (error) {
    throw withoutPlace(error);
  }
}

async function* readBatches(run: ReturnType<typeof runPrepared>): SqlRun["rows"] {
  try {
    for (let step = await run.next(); ; step = await run.next()) {
      if (step.done === true) return step.value.isTruncated;
      if (step.value.rowCount > 0) yield parseJson(`[${step.value.json}]`) as readonly SqlRow[];
    }
  } catch (error) {
    throw withoutPlace(error);
  } finally {
    await run.return({} as never);
  }
}

/** The place of an error is one in SQL that the caller has not written. */
export function withoutPlace(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.details.line === undefined) return error;
  const { line: _, column: __, hint: ___, ...details } = error.details;
  return new ServiceError(error.code, error.message, details);
}

function shapeRows(order: RowOrder, maxRows: number): QueryShape {
  return {
    key: JSON.stringify(["loki", order ?? "none", maxRows]),
    maxRows,
    apply(rows) {
      if (order === undefined) return rows;
      const { span } = rows;
      const isDescending = order === "DESC";
      const keys = ["us", "id"].map((name) => ({ expression: fieldOfRow([name], span), isDescending, span }));
      const star = { kind: "Star", except: [], replace: [], span } as const;
      return { kind: "Query", body: selectFromRows(rows, [star], undefined), orderBy: keys, pipes: [], span };
    },
  };
}
