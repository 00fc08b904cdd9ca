import type { ParameterValue } from "../../../engines/contract/query-engine.ts";
import { GoogleSqlError } from "../../../googlesql/diagnostic.ts";
import { type Budget, tightest } from "../../../shared/budget.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { QueryTarget } from "../../definition/query-target.ts";
import type { CursorSealer, PagePlace } from "../../paging/cursor.ts";
import { maxFollowedRows } from "../../paging/follow-query.ts";
import { placeParameter } from "../../paging/page-query.ts";
import { boundParameter } from "../../tenants/tenant-rule.ts";
import type { CallTenants, Planner, PlanningTurn } from "../plan/plan.ts";
import type { PlannedQuery } from "../plan/planned-query.ts";
import { fromOwnQueryError } from "../plan/query-error.ts";
import type { EndpointRunner } from "../run/runner.ts";
import { readConsumerQuery } from "./consumer-query.ts";
import { type BoundParameters, bindParameters, parseLimit, textReader } from "./parameters.ts";
import type { FollowedPeriod, PreparedCall, QueryCall } from "./query-call.ts";

type Runner = Pick<EndpointRunner, "planner" | "cursors" | "budget">;
type Call = Omit<QueryCall, "openSignal">;

/** Checks a call and compiles its query here. Throws `ServiceError` for every error of the caller. */
export function prepareCall(runner: Runner, call: Call): PreparedCall {
  const { planned, finish } = checkCall(runner, call);
  return finish(explainBroken(call, () => runner.planner.plan(...planned)));
}

/** The least time for planning where a call's deadline is shorter: the thread may have to be started first. */
const leastPlanningMs = 2_000;

/**
 * The same, fair to other callers: a long query is compiled in another thread, when it is the caller's turn. Rejects
 * also as `Planner.planFairly` does.
 */
export async function prepareFairly(
  runner: Runner & Pick<EndpointRunner, "timeoutMs">,
  call: Call,
  { caller, openSignal }: Pick<PlanningTurn, "caller" | "openSignal">,
): Promise<PreparedCall> {
  const { planned, budget, finish } = checkCall(runner, call);
  const { planner } = runner;
  const deadlineMs = Math.min(runner.timeoutMs, budget.query_timeout_ms ?? runner.timeoutMs);
  const timeoutMs = Math.max(leastPlanningMs, deadlineMs);
  try {
    const turn = { caller, openSignal, timeoutMs };
    return finish(await (planner.planFairly?.(...planned, turn) ?? planner.plan(...planned)));
  } catch (error) {
    throw error instanceof GoogleSqlError ? brokenTarget(call, error) : error;
  }
}

/** A call with nothing wrong but, perhaps, its query. */
interface CheckedCall {
  readonly planned: Required<Parameters<Planner["plan"]>>;
  readonly budget: Budget;
  readonly finish: (query: PlannedQuery) => PreparedCall;
}

function checkCall(runner: Runner, call: Call): CheckedCall {
  const { target, parameters, redactsPii } = call;
  const { definition } = target;
  if (target.problem !== undefined) throw brokenTarget(call, new Error(target.problem));
  const { follow, shape } = call;
  const ownRows = follow === undefined ? (shape?.maxRows ?? definition.maxRows) : maxFollowedRows;
  const ofTarget = tightest({ ...definition.budget, max_rows: ownRows }, runner.budget ?? {});
  const budget = tightest(ofTarget, call.budget ?? {});
  const maxRows = budget.max_rows ?? ownRows;
  const asked = readConsumerQuery(target, parameters, redactsPii, budget, call.dialect);
  const sentLimit = parseLimit(parameters.get("limit"), maxRows);
  const pages = asked?.language === "lql" && sentLimit !== undefined ? { pageRows: sentLimit } : {};
  const consumer = asked === undefined ? undefined : { ...asked, ...pages, ...(shape === undefined ? {} : { shape }) };
  // A page of the endpoint's own query goes by its LIMIT, so that a smaller page is another query.
  const limit = sentLimit ?? (maxRows < ownRows ? maxRows : undefined);
  const bound = bindParameters(target.contract.parameters, parameters);
  const tenants = inferTenants(runner.planner, call, bound);
  const tenant = tenants.bound ?? null;
  // What a shape was made of is in its key.
  const scoped = shape === undefined || consumer === undefined ? consumer : { ...consumer, shape: shape.key };
  const cursorScope = scopeCursors(target, [scoped ?? null, limit ?? null, [...bound], redactsPii, tenant]);
  const place = follow === undefined ? readPlace(runner.cursors, target, parameters, cursorScope) : undefined;
  const rowLimit = consumer === undefined ? limit : undefined;
  const from = follow === undefined ? place?.map((value) => value === null) : formOf(follow);
  const placed: readonly ParameterValue[] = follow === undefined ? (place ?? []) : valuesOf(follow);
  const places = new Map(placed.map((value, index) => [placeParameter(index), value]));
  if (tenant !== null) places.set(boundParameter, tenant.tenant);
  return {
    planned: [target, consumer, rowLimit, from, tenants] as CheckedCall["planned"],
    budget,
    finish: (query) => ({
      query,
      values: query.parameters.map(({ key }) => places.get(String(key)) ?? findValue(bound, key)),
      maxRows: limit ?? maxRows,
      budget,
      redactsPii,
      ...(definition.detectors === undefined ? {} : { detectors: definition.detectors }),
      cursorScope,
    }),
  };
}

const formOf = ({ ids }: FollowedPeriod) => (ids === undefined ? "follow" : "follow ids");

function valuesOf({ fromUs, toUs, ids }: FollowedPeriod): readonly ParameterValue[] {
  return [String(fromUs), String(toUs), ...(ids === undefined ? [] : [ids])];
}

type BrokenCall = Pick<QueryCall, "target" | "isOwner">;

/** The tenant of a call: from its parameters, and from a pin. */
function inferTenants(
  planner: Pick<Planner, "tenantParameters">,
  call: Pick<QueryCall, "target" | "pinned" | "isOwner">,
  values: BoundParameters,
): CallTenants {
  const readValue = textReader(values);
  const { pinned } = call;
  if (pinned.size === 0) return { readValue };
  const parameters = explainBroken(call, () => planner.tenantParameters(call.target));
  const parameter = parameters.find((name) => pinned.has(name));
  const tenant = parameter === undefined ? undefined : readValue(parameter.toLowerCase());
  if (parameter === undefined || tenant === undefined) return { readValue, unboundPin: [...pinned].join(", ") };
  return { readValue, bound: { parameter, tenant } };
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
 * The place in the parameter `cursor`; undefined where there is none, or the endpoint has a parameter of that
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
