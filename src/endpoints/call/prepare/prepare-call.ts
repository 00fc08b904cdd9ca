import type { ParameterValue } from "../../../engines/contract/query-engine.ts";
import { GoogleSqlError } from "../../../googlesql/diagnostic.ts";
import { tightest } from "../../../shared/budget.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { QueryTarget } from "../../definition/query-target.ts";
import type { CursorSealer, PagePlace } from "../../paging/cursor.ts";
import { maxFollowedRows } from "../../paging/follow-query.ts";
import { placeParameter } from "../../paging/page-query.ts";
import { boundParameter } from "../../tenants/tenant-rule.ts";
import type { CallTenants, Planner } from "../plan/plan.ts";
import { fromOwnQueryError } from "../plan/query-error.ts";
import type { EndpointRunner } from "../run/runner.ts";
import { readConsumerQuery } from "./consumer-query.ts";
import { type BoundParameters, bindParameters, parseLimit } from "./parameters.ts";
import type { PreparedCall, QueryCall } from "./query-call.ts";

/** Checks a call and compiles its query. Throws `ServiceError` for every error of the caller. */
export function prepareCall(
  runner: Pick<EndpointRunner, "planner" | "cursors" | "budget">,
  call: Omit<QueryCall, "openSignal">,
): PreparedCall {
  const { target, parameters, redactsPii } = call;
  const { definition } = target;
  if (target.problem !== undefined) throw brokenTarget(call, new Error(target.problem));
  const { followFromUs, shape } = call;
  const ownRows = followFromUs === undefined ? (shape?.maxRows ?? definition.maxRows) : maxFollowedRows;
  const ofTarget = tightest({ ...definition.budget, max_rows: ownRows }, runner.budget ?? {});
  const budget = tightest(ofTarget, call.budget ?? {});
  const maxRows = budget.max_rows ?? ownRows;
  const asked = readConsumerQuery(target, parameters, redactsPii, budget);
  const sentLimit = parseLimit(parameters.get("limit"), maxRows);
  const pages = asked?.language === "lql" && sentLimit !== undefined ? { pageRows: sentLimit } : {};
  const consumer = asked === undefined ? undefined : { ...asked, ...pages, ...(shape === undefined ? {} : { shape }) };
  // A page of the endpoint's own query goes by its LIMIT, so that a smaller page is another query.
  const limit = sentLimit ?? (maxRows < ownRows ? maxRows : undefined);
  const bound = bindParameters(target.contract.parameters, parameters);
  const tenants = tellTenants(runner.planner, call, bound);
  const tenant = tenants.bound ?? null;
  const cursorScope = scopeCursors(target, [consumer ?? null, limit ?? null, [...bound], redactsPii, tenant]);
  const place =
    followFromUs === undefined ? readPlace(runner.cursors, target, parameters, cursorScope) : [String(followFromUs)];
  const rowLimit = consumer === undefined ? limit : undefined;
  const planned = followFromUs === undefined ? place?.map((value) => value === null) : "follow";
  const query = explainBroken(call, () => runner.planner.plan(target, consumer, rowLimit, planned, tenants));
  const places = new Map((place ?? []).map((value, index) => [placeParameter(index), value]));
  if (tenant !== null) places.set(boundParameter, tenant.tenant);
  return {
    query,
    values: query.parameters.map(({ key }) => places.get(String(key)) ?? findValue(bound, key)),
    maxRows: limit ?? maxRows,
    budget,
    redactsPii,
    ...(definition.detectors === undefined ? {} : { detectors: definition.detectors }),
    cursorScope,
  };
}

type BrokenCall = Pick<QueryCall, "target" | "isOwner">;

/** The tenant of a call: from its parameters, and from a pin. */
function tellTenants(
  planner: Pick<Planner, "tenantParameters">,
  call: Pick<QueryCall, "target" | "pinned" | "isOwner">,
  values: BoundParameters,
): CallTenants {
  const texts = new Map([...values].map(([name, value]) => [name.toLowerCase(), value]));
  const readValue = (name: string): string | undefined => {
    const value = texts.get(name);
    return typeof value === "string" ? value : undefined;
  };
  const { pinned } = call;
  if (pinned.size === 0) return { readValue };
  const parameters = explainBroken(call, () => planner.tenantParameters(call.target));
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
    throw brokenTarget(call, error);
  }
}

/** The reason is only for the owner: it may reveal what other tenants have sent. */
function brokenTarget({ target, isOwner = false }: BrokenCall, reason: Error): ServiceError {
  const message = `The endpoint ${target.definition.name} does not work any more`;
  // For the log; code that explains query errors must not mistake it for an error of the caller.
  const cause = new Error(reason.message);
  if (!isOwner) return new ServiceError("endpoint_broken", message, { cause });
  const details = reason instanceof GoogleSqlError ? fromOwnQueryError(reason).details : {};
  return new ServiceError("endpoint_broken", `${message}: ${reason.message}`, { ...details, cause });
}

function scopeCursors({ definition, version }: QueryTarget, parts: readonly unknown[]): string {
  return JSON.stringify([definition.id, version, ...parts]);
}

/**
 * The place that the parameter `cursor` tells; undefined where there is none, or the endpoint has a parameter of that
 * name.
 */
function readPlace(
  cursors: CursorSealer,
  { contract }: QueryTarget,
  parameters: ReadonlyMap<string, unknown>,
  cursorScope: string,
): PagePlace | undefined {
  const cursor = parameters.get("cursor");
  if (cursor === undefined || cursor === null || cursor === "") return undefined;
  if (contract.parameters.some(({ name }) => name === "cursor")) return undefined;
  return cursors.open(cursorScope, String(cursor));
}

/** Queries name parameters in lower case: GoogleSQL's names know no case. */
export function findValue(bound: BoundParameters, key: string | number): ParameterValue {
  for (const [name, value] of bound) {
    if (name.toLowerCase() === String(key).toLowerCase()) return value;
  }
  throw new ServiceError("internal", "A query reads a parameter that was not bound");
}
