import type { Engine, ParameterValue } from "../../engines/contract/query-engine.ts";
import { GoogleSqlError } from "../../googlesql/diagnostic.ts";
import type { Detector } from "../../redaction/detector.ts";
import { type Budget, tightest } from "../../shared/budget.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { Endpoint } from "../definition/definition.ts";
import type { QueryShape } from "../explore/query-shape.ts";
import type { CursorSealer, PagePlace } from "../paging/cursor.ts";
import { maxFollowedRows } from "../paging/follow-query.ts";
import { placeParameter } from "../paging/page-query.ts";
import { boundParameter } from "../tenants/tenant-rule.ts";
import type { Admission } from "./admission.ts";
import type { HoldBack } from "./hold-back.ts";
import { type BoundParameters, bindParameters, parseLimit } from "./parameters.ts";
import type { PlannedQuery } from "./planned-query.ts";
import { fromOwnQueryError } from "./query-error.ts";

/** A query that a caller sends to run over an endpoint's tables. */
export interface ConsumerQuery {
  readonly language: "sql" | "lql";
  readonly text: string;
  /** True when it reads the endpoint's tables without their personal data. */
  readonly redactsPii?: boolean;
  /** Levels to which it may nest; those of the language unless set. */
  readonly maxDepth?: number;
  /** What is asked about its rows; the rows themselves unless set. */
  readonly shape?: QueryShape;
  /** Rows of a page that the call asks for, where the text of LQL does not say; 100 unless set. */
  readonly pageRows?: number;
}

/** What a call says of tenants. */
export interface CallTenants {
  /** A parameter's value as text, by its name in lower case; undefined for NULL. */
  readonly readValue: (name: string) => string | undefined;
  /** The tenant that a pin binds the call to, and the parameter that was pinned. */
  readonly bound?: { readonly parameter: string; readonly tenant: string } | undefined;
}

/** Makes queries ready to run, and keeps those that were. */
export interface Planner {
  /**
   * The endpoint's own query, or a consumer's over its tables, compiled. `rowLimit` takes the place of the own
   * query's outermost LIMIT. `place` asks for a page behind a row, of which each item says whether that key of the
   * order is NULL, or for what is newer than a time (see `makeFollowed`). Throws `ServiceError` with line and column
   * for what is wrong with a consumer's query, `GoogleSqlError` for the endpoint's, and `pinned_parameter` for a call
   * that is bound to a tenant and reads a source that has none.
   */
  plan(
    endpoint: Endpoint,
    consumer: ConsumerQuery | undefined,
    rowLimit: number | undefined,
    place?: readonly boolean[] | "follow",
    tenants?: CallTenants,
  ): PlannedQuery;
  /** The parameters that say whose rows an endpoint's calls read: a token that pins one of them reads no others. */
  tenantParameters(endpoint: Endpoint): readonly string[];
}

/** What calls run with. */
export interface EndpointRunner {
  readonly engine: Engine;
  readonly planner: Planner;
  readonly admission: Admission;
  /** Callers whose queries ended the engine; nobody is held back without it. */
  readonly holdBack?: HoldBack;
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
  /** Names of the parameters that the token pins; `noPins` for who has no token. */
  readonly pinned: ReadonlySet<string>;
  /** True for an owner, who is told why an endpoint does not work. */
  readonly isOwner?: boolean;
  readonly redactsPii: boolean;
  /** The token's limits. */
  readonly budget?: Budget;
  /** What is asked about the rows of the consumer's query, which the call must have. */
  readonly shape?: QueryShape;
  /**
   * Asks for the newest rows at or after this time, in microseconds since 1970. Throws `not_followable` where the
   * rows have no time order.
   */
  readonly followFromUs?: bigint;
  /**
   * The signal whose abortion ends the call and interrupts the engine, always the same: made by who needs it first,
   * which a cached answer does without.
   */
  readonly openSignal: () => AbortSignal;
}

/** Of calls that no token's pins bind. */
export const noPins: ReadonlySet<string> = new Set();

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
  if (endpoint.problem !== undefined) throw brokenEndpoint(endpoint, call, new Error(endpoint.problem));
  const { followFromUs, shape } = call;
  const ownRows = followFromUs === undefined ? (shape?.maxRows ?? definition.maxRows) : maxFollowedRows;
  const ofEndpoint = tightest({ ...definition.budget, max_rows: ownRows }, runner.budget ?? {});
  const budget = tightest(ofEndpoint, call.budget ?? {});
  const maxRows = budget.max_rows ?? ownRows;
  const asked = readConsumerQuery(endpoint, parameters, redactsPii, budget);
  const sentLimit = parseLimit(parameters.get("limit"), maxRows);
  const pages = asked?.language === "lql" && sentLimit !== undefined ? { pageRows: sentLimit } : {};
  const consumer = asked === undefined ? undefined : { ...asked, ...pages, ...(shape === undefined ? {} : { shape }) };
  // A page of the endpoint's own query goes by its LIMIT, so that a smaller page is another query.
  const limit = sentLimit ?? (maxRows < ownRows ? maxRows : undefined);
  const bound = bindParameters(endpoint.contract.parameters, parameters);
  const tenants = tellTenants(runner.planner, call, bound);
  const tenant = tenants.bound ?? null;
  const identity = identifyCall(endpoint, [consumer ?? null, limit ?? null, [...bound], redactsPii, tenant]);
  const place =
    followFromUs === undefined ? readPlace(runner.cursors, endpoint, parameters, identity) : [String(followFromUs)];
  const rowLimit = consumer === undefined ? limit : undefined;
  const planned = followFromUs === undefined ? place?.map((value) => value === null) : "follow";
  const query = explainBroken(call, () => runner.planner.plan(endpoint, consumer, rowLimit, planned, tenants));
  const places = new Map((place ?? []).map((value, index) => [placeParameter(index), value]));
  if (tenant !== null) places.set(boundParameter, tenant.tenant);
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

type BrokenCall = Pick<EndpointCall, "endpoint" | "isOwner">;

/** Whose rows the call reads: what its parameters say, and the tenant of a pin. */
function tellTenants(
  planner: Pick<Planner, "tenantParameters">,
  call: Pick<EndpointCall, "endpoint" | "pinned" | "isOwner">,
  values: BoundParameters,
): CallTenants {
  const texts = new Map([...values].map(([name, value]) => [name.toLowerCase(), value]));
  const readValue = (name: string): string | undefined => {
    const value = texts.get(name);
    return typeof value === "string" ? value : undefined;
  };
  const { pinned } = call;
  if (pinned.size === 0) return { readValue };
  const parameters = explainBroken(call, () => planner.tenantParameters(call.endpoint));
  const parameter = parameters.find((name) => pinned.has(name));
  const tenant = parameter === undefined ? undefined : readValue(parameter.toLowerCase());
  return parameter === undefined || tenant === undefined ? { readValue } : { readValue, bound: { parameter, tenant } };
}

/**
 * Runs something; that the endpoint's own query does not resolve, since events have changed what it reads, is
 * `endpoint_broken`.
 */
function explainBroken<T>(call: BrokenCall, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    throw brokenEndpoint(call.endpoint, call, error);
  }
}

/** The reason is the owner's only: it may tell of what other tenants have sent. */
function brokenEndpoint({ definition }: Endpoint, { isOwner = false }: BrokenCall, reason: Error): ServiceError {
  const message = `The endpoint ${definition.name} does not work any more`;
  // For the log; whoever explains errors of queries shall not take it for one of the caller's.
  const cause = new Error(reason.message);
  if (!isOwner) return new ServiceError("endpoint_broken", message, { cause });
  const details = reason instanceof GoogleSqlError ? fromOwnQueryError(reason).details : {};
  return new ServiceError("endpoint_broken", `${message}: ${reason.message}`, { ...details, cause });
}

function identifyCall({ definition, version }: Endpoint, parts: readonly unknown[]): string {
  return JSON.stringify([definition.id, version, ...parts]);
}

/**
 * The place that the parameter `cursor` tells; undefined where there is none, or the endpoint has a parameter of that
 * name.
 */
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
