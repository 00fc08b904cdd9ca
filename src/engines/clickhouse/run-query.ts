/** One run of a query: its rows from the server as they come, or what the embedded engine makes of them. */
import type { SqlType } from "../../googlesql/types.ts";
import { omitUndefined } from "../../shared/omit-undefined.ts";
import {
  type Engine,
  EngineError,
  type ParameterValue,
  type QuerySummary,
  RowBatch,
  type RunningQuery,
  type RunRequest,
} from "../contract/query-engine.ts";
import { startRows } from "../contract/start-rows.ts";
import { NOW_PARAMETER } from "../lowering/run-constants.ts";
import { askOn } from "./asked-constants.ts";
import { bindPlan } from "./bind-plan.ts";
import { planOf, type ServerPlan } from "./compile-query.ts";
import { readLines } from "./driver/answer-lines.ts";
import type { ServerClient } from "./driver/client.ts";
import { MAX_STATEMENT_BYTES } from "./driver/limits.ts";
import type { ServerValue } from "./driver/parameter-form.ts";
import { unanswered } from "./driver/server-error.ts";
import { SilentServer } from "./driver/silence.ts";
import { toServerValue } from "./parameters.ts";
import type { RemoteStatement, ServerStatement } from "./pushdown/plan.ts";
import { createLineEncoder, toRow } from "./rows.ts";

export interface RunTarget {
  readonly client: Pick<ServerClient, "stream" | "kill" | "isSilent">;
  readonly residual: Pick<Engine, "run">;
}

/** How long past its deadline a server may take to say so itself. */
const TIMEOUT_GRACE_MS = 200;

/** Rows and bytes that may come back for the embedded engine, unless the call's budget allows less. */
const MAX_RESIDUAL_ROWS = 500_000;
const MAX_RESIDUAL_BYTES = 64 * 1024 * 1024;

/** Settings that determine answers; the compiler relies on each. */
const MEANING: Readonly<Record<string, string>> = {
  session_timezone: "UTC",
  join_use_nulls: "1",
  transform_null_in: "0",
  union_default_mode: "",
  enable_positional_arguments: "0",
  short_circuit_function_evaluation: "force_enable",
  prefer_column_name_to_alias: "0",
  decimal_check_overflow: "1",
  regexp_max_matches_per_row: "1000000",
  max_query_size: MAX_STATEMENT_BYTES,
  max_ast_elements: "1000000",
  max_expanded_ast_elements: "5000000",
  output_format_json_quote_64bit_integers: "1",
  output_format_json_quote_denormals: "1",
  output_format_json_quote_decimals: "1",
  output_format_json_named_tuples_as_objects: "0",
  output_format_json_escape_forward_slashes: "0",
};

/** Conditions that may fail stay where they are printed. */
const UNMOVED: Readonly<Record<string, string>> = {
  query_plan_filter_push_down: "0",
  query_plan_merge_filters: "0",
  enable_optimize_predicate_expression: "0",
  // Such a filter of a join is merged with that of a sub-query, behind what the sub-query computes.
  enable_join_runtime_filters: "0",
};

/** 2: a statement changes nothing, and takes settings. Servers end only such ones by themselves when they are left. */
const UNCHANGING: Readonly<Record<string, string>> = { readonly: "2" };

/** A query without tables takes hardly any time, and a single thread preserves the written order of its rows. */
const ONE_THREAD: Readonly<Record<string, string>> = { max_threads: "1" };

function settingsOf(statement: ServerStatement, { query, limits }: RunRequest): Readonly<Record<string, string>> {
  return {
    ...MEANING,
    ...UNCHANGING,
    ...(statement.keepsFilters ? UNMOVED : {}),
    ...(query.tables.length === 0 ? ONE_THREAD : {}),
    max_execution_time: String(Math.max(1, Math.ceil(limits.timeoutMs / 1000))),
    timeout_overflow_mode: "throw",
    ...(limits.maxMemoryBytes === undefined ? {} : { max_memory_usage: String(limits.maxMemoryBytes) }),
  };
}

interface Run {
  readonly target: RunTarget;
  readonly request: RunRequest;
  readonly signal: AbortSignal;
  readonly nowUs: bigint;
  readonly constants: Readonly<Record<string, ServerValue>>;
}

function linesOf(run: Run, statement: ServerStatement): AsyncIterable<readonly string[]> {
  const { target, request, signal } = run;
  const { sql } = statement;
  const params = paramsOf(run, statement);
  return readLines(target.client, { sql, params, settings: settingsOf(statement, request), signal });
}

function paramsOf(
  { request, nowUs, constants }: Run,
  { parameters }: ServerStatement,
): Readonly<Record<string, ServerValue>> {
  const { query, values } = request;
  const own = query.parameters.map(({ type }, index) => [`p${index + 1}`, type, values[index] ?? null] as const);
  const used = own.filter(([name]) => parameters.has(name));
  const bound = used.map(([name, type, value]) => [name, toServerValue(type, value)] as const);
  return Object.fromEntries([...bound, ...Object.entries(constants), ["now", nowUs] as const]);
}

async function* writeRows(run: Run, statement: ServerStatement): AsyncGenerator<RowBatch, QuerySummary, void> {
  const { query, encoding, limits } = run.request;
  const started = performance.now();
  const encode = createLineEncoder(query.columns, encoding);
  let rowCount = 0;
  let byteCount = 0;
  let isTruncated = false;
  for await (const lines of linesOf(run, statement)) {
    const left = limits.maxRows - rowCount;
    isTruncated = lines.length > left;
    const kept = isTruncated ? lines.slice(0, left) : lines;
    const json = encode(kept);
    byteCount += Buffer.byteLength(json);
    if (byteCount > limits.maxResultBytes) {
      const message = `The answer has more than ${limits.maxResultBytes} bytes`;
      throw new EngineError("result_too_large", message, { limit: "maxResultBytes" });
    }
    rowCount += kept.length;
    if (kept.length > 0) yield new RowBatch(json, kept.length);
    if (isTruncated) break;
  }
  return { rowCount, isTruncated, engineMs: performance.now() - started };
}

/** Where what could not be pushed stands, and why. */
function describeReasons(plan: ServerPlan & { kind: "divided" }): string {
  const [first] = plan.reasons;
  if (first === undefined) return "what the server cannot compute";
  return first.line === undefined ? first.reason : `${first.reason} (line ${first.line}, column ${first.column})`;
}

/** The rows of a statement as the value of a parameter, up to the limit of returned rows. */
async function collect(
  run: Run,
  plan: ServerPlan & { kind: "divided" },
  remote: RemoteStatement,
): Promise<ParameterValue> {
  const { limits } = run.request;
  const maxBytes = Math.min(MAX_RESIDUAL_BYTES, Math.floor((limits.maxMemoryBytes ?? Infinity) / 8));
  const types = remote.columns.map(({ type }): SqlType => type);
  const rows: ParameterValue[] = [];
  let byteCount = 0;
  for await (const lines of linesOf(run, remote)) {
    for (const line of lines) {
      byteCount += line.length;
      if (rows.length >= MAX_RESIDUAL_ROWS || byteCount > maxBytes) {
        const message =
          `ClickHouse cannot run ${describeReasons(plan)}, and more than ${MAX_RESIDUAL_ROWS} rows or ${maxBytes} ` +
          "bytes would have to come back for it: filter the rows by more of what it can run, or take the rest out";
        throw new EngineError("residual_too_large", message);
      }
      rows.push(types.length === 0 ? [null] : toRow(types, line));
    }
  }
  return rows;
}

async function* runResidual(
  run: Run,
  plan: ServerPlan & { kind: "divided" },
): AsyncGenerator<RowBatch, QuerySummary, void> {
  const { request, nowUs, signal } = run;
  const started = performance.now();
  const rows = new Map<string | number, ParameterValue>();
  for (const remote of plan.remotes) rows.set(remote.parameter, await collect(run, plan, remote));
  const own = new Map(request.query.parameters.map(({ key }, index) => [key, request.values[index] ?? null]));
  const values = plan.residual.parameters.map(({ key }): ParameterValue => {
    return key === NOW_PARAMETER ? String(nowUs) : (rows.get(key) ?? own.get(key) ?? null);
  });
  const running = await run.target.residual.run({ ...request, query: plan.residual, values, signal });
  yield* running.batches;
  return { ...running.summary(), engineMs: performance.now() - started };
}

/** Nothing to be tried again at once: it would take as long to find the server silent. */
function waitedFor({ code, message, retryAfterSeconds, cause }: EngineError): EngineError {
  return new EngineError(code, message, { cause, ...omitUndefined({ retryAfterSeconds }) });
}

/** Resolves when the first rows, or the end, are there. Throws `EngineError`, also while iterating. */
export async function runQuery(target: RunTarget, request: RunRequest): Promise<RunningQuery> {
  const known = planOf(request.query);
  const nowUs = known.nowUs ?? BigInt(Date.now()) * 1000n;
  const { plan, constants } = await bindPlan(known, request, nowUs, askOn(target.residual, request));
  return startRows(request, {
    graceMs: TIMEOUT_GRACE_MS,
    open(signal) {
      const run: Run = { target, request, signal, nowUs, constants };
      return plan.kind === "whole" ? writeRows(run, plan.statement) : runResidual(run, plan);
    },
    async explain(error, isLate) {
      if (error.cause instanceof SilentServer) return waitedFor(error);
      // It should have ended the query by itself: is it there at all?
      return isLate && (await target.client.isSilent()) ? waitedFor(unanswered(error)) : undefined;
    },
  });
}
