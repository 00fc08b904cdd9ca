/** Parameters that an endpoint's query uses and its header does not declare. */
import { GoogleSqlError } from "../../googlesql/diagnostic.ts";
import { findParameters } from "../../googlesql/parameters.ts";
import type { SqlType } from "../../googlesql/types.ts";
import { findNearest } from "../../shared/documents/nearest.ts";
import { type CompileDependencies, resolveOwn } from "../call/plan/compile-query.ts";
import { type EndpointLookup, visibleParameters } from "../call/plan/endpoint-tables.ts";
import { type Endpoint, type ParameterDefinition, parameterTypes } from "./definition.ts";
import { reservedParameters } from "./header.ts";
import { sqlTypeOf } from "./parameter-value.ts";
import { declareParameter } from "./query-target.ts";

type Dependencies = Omit<CompileDependencies, "engine">;

/**
 * The parameter as the query uses it: optional, NULL where it is not sent. Undefined for a type that cannot be sent.
 */
function toParameter(name: string, type: SqlType | undefined): ParameterDefinition | undefined {
  const known = parameterTypes.find((each) => sqlTypeOf(each).kind === (type?.kind ?? "STRING"));
  return known === undefined ? undefined : declareParameter(name, known, { isInferred: true });
}

/**
 * Names that the query uses and nothing declares, in its order; none that is nearly a declared one, which is a
 * misspelling.
 */
function findUndeclared(endpoint: Endpoint, { tables, endpoints }: Dependencies): readonly string[] {
  const used = new Map<string, string>();
  for (const { key } of findParameters(endpoint.savedQuery)) {
    if (typeof key === "string" && !used.has(key.toLowerCase())) used.set(key.toLowerCase(), key);
  }
  if (used.size === 0) return [];
  const declared = visibleParameters(endpoint, tables, endpoints);
  const isUndeclared = (key: string) =>
    !declared.has(key) && !reservedParameters.includes(key) && findNearest(key, declared.keys()) === undefined;
  return [...used].flatMap(([key, name]) => (isUndeclared(key) ? [name] : []));
}

/**
 * The endpoint with what its query uses beside what it declares. What does not resolve stays as it is, and is
 * reported by its check.
 */
export function inferParameters(endpoint: Endpoint, dependencies: Dependencies): Endpoint {
  const { definition } = endpoint;
  const declared = definition.parameters.filter(({ isInferred }) => isInferred !== true);
  const own = { ...endpoint, definition: { ...definition, parameters: declared } };
  const names = findUndeclared(own, dependencies);
  if (names.length === 0) return declared.length === definition.parameters.length ? endpoint : own;
  try {
    const { query } = resolveOwn(dependencies, own, { infersParameters: true });
    const types = new Map(query.parameters.map(({ key, type }) => [String(key).toLowerCase(), type]));
    const inferred = names.flatMap((name) => toParameter(name, types.get(name.toLowerCase())) ?? []);
    return { ...own, definition: { ...own.definition, parameters: [...declared, ...inferred] } };
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    return own;
  }
}

/** The endpoints as those that read them see them, with what their queries use beside what they declare. */
export function inferringLookup({ tables, endpoints }: Dependencies): EndpointLookup {
  const made = new Map<Endpoint, Endpoint>();
  const lookup: EndpointLookup = {
    names: () => endpoints.names(),
    findByName(name) {
      const found = endpoints.findByName(name);
      if (found === undefined) return undefined;
      const known = made.get(found);
      if (known !== undefined) return known;
      // Those that read each other in a circle see each other as they are; the resolver reports the circle.
      made.set(found, found);
      const inferred = inferParameters(found, { tables, endpoints: lookup });
      made.set(found, inferred);
      return inferred;
    },
  };
  return lookup;
}
