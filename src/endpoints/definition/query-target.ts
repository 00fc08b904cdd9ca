import { parseQuery } from "../../googlesql/parse.ts";
import { type Endpoint, type EndpointDefinition, noTenantParameter, type ParameterDefinition } from "./definition.ts";

/** The part of an endpoint's definition that concerns running queries. */
export type TargetDefinition = Pick<
  EndpointDefinition,
  | "id"
  | "name"
  | "maxRows"
  | "budget"
  | "isSandboxed"
  | "redactsPii"
  | "detectors"
  | "parameters"
  | "tenantParameter"
  | "tableAliases"
  | "hiddenColumns"
>;

/**
 * A target of calls: an endpoint, or an unsaved query, such as the events of a source. Plans and cursors belong to one,
 * so there is one object for each as long as it is unchanged.
 */
export interface QueryTarget
  extends Pick<Endpoint, "savedQuery" | "sourceText" | "version" | "tenantParameters" | "problem"> {
  readonly definition: TargetDefinition;
  /** The parameters that its callers may send. */
  readonly contract: Pick<Endpoint["contract"], "parameters">;
}

/** True for a target that is an endpoint: it was saved, and its answers may be cached. */
export function isEndpoint(target: QueryTarget): target is Endpoint {
  return "origin" in target;
}

/** The properties of an unsaved target. */
export interface TargetOptions
  extends Pick<TargetDefinition, "maxRows">,
    Partial<Pick<TargetDefinition, "parameters" | "isSandboxed" | "tableAliases">>,
    Partial<Pick<QueryTarget, "savedQuery">> {
  /** Apart from every other target's, and no UUID, which endpoints have. */
  readonly id: string;
  /** As callers name it; its id unless given. */
  readonly name?: string;
  readonly query: string;
}

/** A parameter of an unsaved query, which callers may leave out unless `more` says otherwise. */
export function declareParameter(
  name: string,
  type: ParameterDefinition["type"],
  more: Partial<ParameterDefinition> = {},
): ParameterDefinition {
  return { name, type, isRequired: false, allowed: undefined, default: null, description: undefined, ...more };
}

/** An unsaved query as a target of calls. Throws `GoogleSqlError` when it does not parse. */
export function createTarget(options: TargetOptions): QueryTarget {
  const { id, name = id, query, maxRows, parameters = [], isSandboxed = false, tableAliases = {} } = options;
  // Its author says whose rows it reads; tokens with pins call endpoints only.
  const tenantParameter = noTenantParameter;
  return {
    definition: { id, name, maxRows, isSandboxed, redactsPii: false, parameters, tenantParameter, tableAliases },
    version: 1,
    savedQuery: options.savedQuery ?? parseQuery(query),
    sourceText: query,
    contract: { parameters },
  };
}
