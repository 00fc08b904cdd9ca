import { describeChoice, isSet, type Pin, pinOf } from "../../access/pins.ts";
import { canQuery, isOwner } from "../../access/scope.ts";
import type { QueryCall } from "../../endpoints/call/prepare/query-call.ts";
import type { Endpoint } from "../../endpoints/definition/definition.ts";
import { listScopeTables } from "../../endpoints/explore/inspect-consumer.ts";
import { sourceScopePrefix } from "../../endpoints/explore/source-scopes.ts";
import { GoogleSqlError } from "../../googlesql/diagnostic.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { Matcher } from "../logql/logql-ast.ts";
import type { LokiCaller } from "../loki-caller.ts";
import { compileMatcher } from "../pipeline/regexp.ts";
import { findLabelFields, findMetadata, type LabelField, takenPaths } from "./event-labels.ts";

/** A table whose rows are lines. */
export interface LokiTable {
  readonly name: string;
  /** The labels that are the same for all its lines. */
  readonly constant: ReadonlyMap<string, string>;
  readonly labels: readonly LabelField[];
  /** The paths of its fields that are no metadata. */
  readonly taken: ReadonlySet<string>;
  /** Names of its other fields by dotted path, as far as lines have had them. */
  readonly names: Map<string, string>;
  /** The fields that its lines were pushed with, which distinguish series as labels do. */
  readonly pushedFields: readonly LabelField[];
  /** The names of all other fields. */
  readonly metadataNames: ReadonlySet<string>;
  /** Whether it has a field that orders lines of one time. */
  readonly hasId: boolean;
}

/** A call that reads tables, at least one. */
export interface LokiReader {
  readonly call: QueryCall;
  readonly tables: readonly LokiTable[];
}

/** The endpoint that is read where a token may call it. */
const preferred = "logs.all";

/**
 * The tables that a caller may read and that a selector may find lines in. Owners who name no tenant read every
 * source; all others the tables of an endpoint: `logs.all`, else the only one that they may query. Throws
 * `ServiceError` as calls do.
 */
export async function findTables(caller: LokiCaller, matchers: readonly Matcher[]): Promise<readonly LokiReader[]> {
  const isTable = matchSource(matchers);
  const readers: LokiReader[] = [];
  if (isOwner(caller.identity) && caller.tenant === undefined) {
    for (const { name, tenantField } of caller.sources) {
      if (!isTable(name)) continue;
      const call = await caller.openCall(`${sourceScopePrefix}${name}`, new Map(), false);
      readers.push({ call, tables: listTables(caller, call, tenantField, new Map(), isTable) });
    }
  } else {
    const { call, constant } = await openEndpoint(caller);
    readers.push({ call, tables: listTables(caller, call, undefined, constant, isTable) });
  }
  return readers.filter(({ tables }) => tables.length > 0);
}

/** Whether the matchers of the label `source` let a table's name pass. */
function matchSource(matchers: readonly Matcher[]): (name: string) => boolean {
  const tests = matchers.filter(({ name }) => name === "source").map(compileMatcher);
  return (name) => tests.every((test) => test(name));
}

function listTables(
  caller: LokiCaller,
  call: QueryCall,
  tenantField: string | undefined,
  constant: ReadonlyMap<string, string>,
  isTable: (name: string) => boolean,
): readonly LokiTable[] {
  return listScopeTables(caller.runner, call, undefined).flatMap(({ name, fields }) => {
    const typeOf = (path: string) => fields.find((field) => field.path === path)?.type;
    if (!isTable(name) || typeOf("timestamp") !== "TIMESTAMP" || typeOf("event_message") !== "STRING") return [];
    const own = new Map([["source", name], ...constant]);
    const labels = findLabelFields(fields, tenantField, new Set(own.keys()));
    const hasId = typeOf("id") === "STRING";
    const taken = takenPaths(labels);
    return [{ name, constant: own, labels, taken, names: new Map(), ...findMetadata(fields, labels), hasId }];
  });
}

async function openEndpoint(caller: LokiCaller) {
  const { identity, tenant } = caller;
  const endpoint = chooseEndpoint(caller);
  const parameters = tenantParametersOf(caller, endpoint);
  const sent = new Map<string, unknown>();
  for (const { name, isRequired } of endpoint.contract.parameters) {
    if (!parameters.includes(name.toLowerCase())) continue;
    if (tenant !== undefined) sent.set(name, tenant);
    else if ((isRequired || pinOf(identity.pins, name) !== undefined) && !isSet(identity.pins, name))
      throw missingTenant(name, pinOf(identity.pins, name));
  }
  const call = await caller.openCall(endpoint.definition.id, sent, false);
  const constant = new Map<string, string>();
  for (const [name, value] of call.parameters) {
    if (parameters.includes(name.toLowerCase()) && typeof value === "string") constant.set(name, value);
  }
  return { call, constant };
}

function missingTenant(parameter: string, pin: Pin | undefined): ServiceError {
  const choice = pin === undefined ? "" : `${describeChoice(parameter, pin)} `;
  return new ServiceError("missing_parameter", `The tenant is missing: send it as X-Scope-OrgID (${parameter})`, {
    parameter,
    hint: `${choice}In Grafana, add the custom header X-Scope-OrgID to the data source; logcli has --org-id.`,
  });
}

function chooseEndpoint({ endpoints, identity }: LokiCaller): Endpoint {
  const open = endpoints.filter(({ definition }) => definition.isSandboxed && canQuery(identity, definition));
  const chosen =
    open.find(({ definition }) => definition.name === preferred) ?? (open.length === 1 ? open[0] : undefined);
  if (chosen !== undefined) return chosen;
  const names = open.map(({ definition }) => definition.name).join(", ");
  const reason = open.length === 0 ? "none that takes queries" : `several: ${names}`;
  throw new ServiceError(
    "insufficient_scope",
    `This API reads ${preferred}, or the one endpoint of a token; this has ${reason}`,
    {
      hint: `Give the token the scope query:endpoint:${preferred}, or that of one endpoint.`,
    },
  );
}

/** None where the endpoint does not work any more: its call says so. */
function tenantParametersOf({ runner }: LokiCaller, endpoint: Endpoint): readonly string[] {
  try {
    return runner.planner.tenantParameters(endpoint).map((name) => name.toLowerCase());
  } catch (error) {
    if (error instanceof GoogleSqlError) return [];
    throw error;
  }
}
