import { type Budget, tightest } from "../budget.ts";
import type { Engine, ParameterValue } from "../engines/engine.ts";
import { ServiceError } from "../errors.ts";
import type { Detector } from "../redaction/detector.ts";
import type { Admission } from "./admission.ts";
import type { Endpoint } from "./definition.ts";
import type { CursorSealer, PagePlace } from "./paging/cursor.ts";
import { placeParameter } from "./paging/page-query.ts";
import { type BoundParameters, bindParameters, parseLimit } from "./parameters.ts";
import type { PlannedQuery } from "./planned-query.ts";

/** A query that a caller sends to run over an endpoint's tables. */
export interface ConsumerQuery {
  readonly language: "sql" | "lql";
  readonly text: string;
  /** True when it reads the endpoint's tables without their personal data. */
  readonly redactsPii?: boolean;
  /** Levels to which it may nest; those of the language unless set. */
  readonly maxDepth?: number;
}

/** Makes queries ready to run, and keeps those that were. */
export interface Planner {
  /**
   * The endpoint's own query, or a consumer's over its tables, compiled. `rowLimit` takes the place of the own query's
   * outermost LIMIT. `place` asks for a page behind a row, of which each item says whether that key of the order is NULL. Throws
   * `ServiceError` with line and column for what is wrong with a consumer's query.
   */
  plan(
    endpoint: Endpoint,
    consumer: ConsumerQuery | undefined,
    rowLimit: number | undefined,
    place?: readonly boolean[],
  ): PlannedQuery;
}

/** What calls run with. */
export interface EndpointRunner {
  readonly engine: Engine;
  readonly planner: Planner;
  readonly admission: Admission;
  readonly cursors: CursorSealer;
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
  /** What the service sets besides. */
  readonly budget?: Budget;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

/** One call of an endpoint. */
export interface EndpointCall {
  readonly endpoint: Endpoint;
  /** By name, after the token's pins; texts from a URL, any JSON values from a body. */
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly redactsPii: boolean;
  /** The token's limits. */
  readonly budget?: Budget;
  /** The signal whose abortion ends the call and interrupts the engine, always the same: made by who needs it first, which a kept answer does without. */
  readonly openSignal: () => AbortSignal;
}

/** A call that was found good: what is left is to run it. Together with the endpoint it decides the answer. */
export interface PreparedCall {
  readonly query: PlannedQuery;
  readonly values: readonly ParameterValue[];
  readonly maxRows: number;
  /** The strictest limits of service, endpoint and token. */
  readonly budget?: Budget;
  readonly redactsPii: boolean;
  /** What is redacted then; the default ones unless the endpoint lists its own. */
  readonly detectors?: readonly Detector[];
  /** What the call's cursors belong to: all that decides its answer but the page. */
  readonly identity: string;
}

/** Checks a call and compiles its query. Throws `ServiceError` for everything that is the caller's fault. */
export function prepareCall(
  runner: Pick<EndpointRunner, "planner" | "cursors" | "budget">,
  call: Omit<EndpointCall, "openSignal">,
): PreparedCall {
  const { endpoint, parameters, redactsPii } = call;
  const { definition } = endpoint;
  if (endpoint.problem !== undefined) {
    throw new ServiceError("endpoint_broken", `The endpoint ${definition.name} does not work any more`);
  }
  const ofEndpoint = tightest({ ...definition.budget, max_rows: definition.maxRows }, runner.budget ?? {});
  const budget = tightest(ofEndpoint, call.budget ?? {});
  const maxRows = budget.max_rows ?? definition.maxRows;
  const consumer = readConsumerQuery(endpoint, parameters, redactsPii, budget);
  // A page of the endpoint's own query goes by its LIMIT, so that a smaller page is another query.
  const limit = parseLimit(parameters.get("limit"), maxRows) ?? (maxRows < definition.maxRows ? maxRows : undefined);
  const bound = bindParameters(endpoint.contract.parameters, parameters);
  const identity = identifyCall(endpoint, [consumer ?? null, limit ?? null, [...bound], redactsPii]);
  const place = readPlace(runner.cursors, endpoint, parameters, identity);
  const rowLimit = consumer === undefined ? limit : undefined;
  const query = runner.planner.plan(
    endpoint,
    consumer,
    rowLimit,
    place?.map((value) => value === null),
  );
  const places = new Map((place ?? []).map((value, index) => [placeParameter(index), value]));
  return {
    query,
    values: query.parameters.map(({ key }) => places.get(String(key)) ?? findValue(bound, key)),
    maxRows: limit ?? maxRows,
    budget,
    redactsPii,
    ...(definition.detectors === undefined ? {} : { detectors: definition.detectors }),
    identity,
  };
}

function identifyCall({ definition, version }: Endpoint, parts: readonly unknown[]): string {
  return JSON.stringify([definition.id, version, ...parts]);
}

/** The place that the parameter `cursor` tells; undefined where there is none, or the endpoint has a parameter of that name. */
function readPlace(
  cursors: CursorSealer,
  { contract }: Endpoint,
  parameters: ReadonlyMap<string, unknown>,
  identity: string,
): PagePlace | undefined {
  const cursor = parameters.get("cursor");
  if (cursor === undefined || cursor === null || cursor === "") return undefined;
  if (contract.parameters.some(({ name }) => name === "cursor")) return undefined;
  return cursors.open(identity, String(cursor));
}

function readConsumerQuery(
  endpoint: Endpoint,
  parameters: ReadonlyMap<string, unknown>,
  redactsPii: boolean,
  budget: Budget,
): ConsumerQuery | undefined {
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
  refuseLongQuery(language, text, budget);
  const { max_query_depth: maxDepth } = budget;
  return {
    language,
    text,
    ...(redactsPii ? { redactsPii } : {}),
    ...(maxDepth === undefined ? {} : { maxDepth }),
  };
}

/** Throws `query_too_long` for a text that is longer than the budget allows. */
export function refuseLongQuery(parameter: string, text: string, { max_query_characters: maximum }: Budget): void {
  if (maximum === undefined || text.length <= maximum) return;
  const message = `The query is longer than max_query_characters, ${maximum}`;
  throw new ServiceError("query_too_long", message, { parameter, limit: "max_query_characters" });
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
export function findValue(bound: BoundParameters, key: string | number): ParameterValue {
  for (const [name, value] of bound) {
    if (name.toLowerCase() === String(key).toLowerCase()) return value;
  }
  throw new ServiceError("internal", "A query reads a parameter that was not bound");
}
