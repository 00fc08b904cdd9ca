import type { CompiledQuery, Engine, ParameterValue, QuerySummary, RowBatch } from "../engines/engine.ts";
import { ServiceError } from "../errors.ts";
import type { Admission } from "./admission.ts";
import type { Endpoint } from "./definition.ts";
import { fromEngineError } from "./engine-error.ts";
import { type BoundParameters, bindParameters, parseLimit } from "./parameters.ts";
import { redactJson } from "./redaction/redact-json.ts";
import { redactText } from "./redaction/redact-text.ts";

/** A query that a caller sends to run over an endpoint's tables. */
export interface ConsumerQuery {
  readonly language: "sql" | "lql";
  readonly text: string;
}

/** Makes queries ready to run, and keeps those that were. */
export interface Planner {
  /**
   * The endpoint's own query, or a consumer's over its tables, compiled. `rowLimit` takes the place of the own query's
   * outermost LIMIT. Throws `ServiceError` with line and column for what is wrong with a consumer's query.
   */
  plan(endpoint: Endpoint, consumer: ConsumerQuery | undefined, rowLimit: number | undefined): CompiledQuery;
}

/** What calls run with. */
export interface EndpointRunner {
  readonly engine: Engine;
  readonly planner: Planner;
  readonly admission: Admission;
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

/** One call of an endpoint. */
export interface EndpointCall {
  readonly endpoint: Endpoint;
  /** By name, after the token's pins; texts from a URL, any JSON values from a body. */
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly redactsPii: boolean;
  /** Aborting it ends the call and interrupts the engine. */
  readonly signal: AbortSignal;
}

/** A call that was found good: what is left is to run it. Together with the endpoint it decides the answer. */
export interface PreparedCall {
  readonly query: CompiledQuery;
  readonly values: readonly ParameterValue[];
  readonly maxRows: number;
  readonly redactsPii: boolean;
}

/** Checks a call and compiles its query. Throws `ServiceError` for everything that is the caller's fault. */
export function prepareCall(runner: Pick<EndpointRunner, "planner">, call: Omit<EndpointCall, "signal">): PreparedCall {
  const { endpoint, parameters } = call;
  const { definition } = endpoint;
  const consumer = readConsumerQuery(endpoint, parameters);
  const limit = parseLimit(parameters.get("limit"), definition.maxRows);
  const bound = bindParameters(definition.parameters, parameters);
  const query = runner.planner.plan(endpoint, consumer, consumer === undefined ? limit : undefined);
  return {
    query,
    values: query.parameters.map(({ key }) => findValue(bound, key)),
    maxRows: limit ?? definition.maxRows,
    redactsPii: call.redactsPii,
  };
}

/**
 * Runs a prepared call: rows as JSON text, comma separated, in batches as the engine makes them. Waits its turn first; the
 * deadline counts from the call of `next`. Errors of the engine arrive as `ServiceError`; the end by `signal` as its reason.
 */
export async function* runPrepared(
  runner: EndpointRunner,
  call: PreparedCall,
  signal: AbortSignal,
): AsyncGenerator<RowBatch, QuerySummary> {
  const started = runner.now();
  const deadline = AbortSignal.timeout(runner.timeoutMs);
  const leave = await enter(runner.admission, signal, deadline);
  try {
    const timeoutMs = Math.max(1, Math.ceil(runner.timeoutMs - (runner.now() - started)));
    const running = await runner.engine.run({
      query: call.query,
      values: call.values,
      encoding: "objects",
      limits: { timeoutMs, maxRows: call.maxRows, maxResultBytes: runner.maxResultBytes },
      signal,
    });
    for await (const batch of running.batches) {
      yield call.redactsPii ? { ...batch, json: redactJson(batch.json) } : batch;
    }
    return running.summary();
  } catch (error) {
    // Whoever ended the call knows better than the engine why it ended.
    if (signal.aborted) throw signal.reason;
    const answered = fromEngineError(error);
    if (answered === undefined) throw error;
    // A failed cast shows the value that failed.
    throw call.redactsPii ? new ServiceError(answered.code, redactText(answered.message), answered.details) : answered;
  } finally {
    leave();
  }
}

async function enter(admission: Admission, signal: AbortSignal, deadline: AbortSignal): Promise<() => void> {
  try {
    return await admission.enter(AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (error === deadline.reason)
      throw new ServiceError("timeout", "The query waited for its turn until its deadline");
    throw error;
  }
}

function readConsumerQuery(endpoint: Endpoint, parameters: ReadonlyMap<string, unknown>): ConsumerQuery | undefined {
  const sql = readQueryText(parameters, "sql");
  const lql = readQueryText(parameters, "lql");
  if (sql !== undefined && lql !== undefined) {
    throw new ServiceError("sql_and_lql", "A call has sql or lql, not both", { parameter: "lql" });
  }
  const language = sql === undefined ? "lql" : "sql";
  const text = sql ?? lql;
  if (text === undefined) return undefined;
  if (!endpoint.definition.isSandboxed) {
    const message = `The endpoint ${endpoint.definition.name} takes no query of the caller's`;
    throw new ServiceError("sandbox_disabled", message, { parameter: language });
  }
  return { language, text };
}

/** An empty or blank text counts as none, and runs the endpoint's own query. */
function readQueryText(parameters: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const value = parameters.get(name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") {
    throw new ServiceError("invalid_parameter", `The parameter ${name} must be text`, { parameter: name });
  }
  return value.trim() === "" ? undefined : value;
}

/** Queries name parameters in lower case: GoogleSQL's names know no case. */
function findValue(bound: BoundParameters, key: string | number): ParameterValue {
  for (const [name, value] of bound) {
    if (name.toLowerCase() === String(key).toLowerCase()) return value;
  }
  throw new ServiceError("internal", "A query reads a parameter that was not bound");
}
