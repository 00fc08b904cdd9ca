/** One run of a query on an engine host. */
import type { QuerySummary, RowBatch, RunningQuery, RunRequest } from "../contract/query-engine.ts";
import { startRows } from "../contract/start-rows.ts";
import { bindQuery, perRowCall } from "./bind-query.ts";
import type { EngineHost } from "./host/protocol.ts";

/** How long past its deadline a host may take to say so itself. */
const TIMEOUT_GRACE_MS = 100;

type RowHost = Pick<EngineHost, "run">;

async function* runRows(
  host: RowHost,
  request: RunRequest,
  signal: AbortSignal,
): AsyncGenerator<RowBatch, QuerySummary, void> {
  const { query, values, encoding, limits, onEngineEnded } = request;
  const bound = { ...bindQuery(query, values, limits), encoding, limits };
  const { lacksConstants, ...summary } = yield* host.run(bound, signal, onEngineEnded);
  return lacksConstants === true ? yield* runRows(host, perRowCall(request), signal) : summary;
}

/** Resolves when the first rows, or the end, are there. Throws `EngineError`, also while iterating. */
export async function runQuery(host: RowHost, request: RunRequest): Promise<RunningQuery> {
  return startRows(request, { graceMs: TIMEOUT_GRACE_MS, open: (signal) => runRows(host, request, signal) });
}
