import { nodesOf } from "../../../googlesql/ast/walk.ts";
import type { Query } from "../../../googlesql/ast.ts";
import type { TableCatalog, ViewDefinition } from "../../../googlesql/relation.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { defaultDetectors } from "../../../redaction/detector.ts";
import { omitUndefined } from "../../../shared/omit-undefined.ts";
import type { SourceTables } from "../../../sources/source-tables.ts";
import type { Endpoint, EndpointDefinition, ParameterDefinition } from "../../definition/definition.ts";
import { sqlTypeOf } from "../../definition/parameter-value.ts";
import type { QueryTarget } from "../../definition/query-target.ts";
import { openTenantTables, type SourceAccess, type SourceLookup } from "../../tenants/tenant-tables.ts";

/** Looks up the endpoints that queries read as tables. */
export interface EndpointLookup {
  /** By exact name. */
  findByName(name: string): Endpoint | undefined;
  names(): readonly string[];
}

/** For queries that read sources only. */
export const noEndpoints: EndpointLookup = { findByName: () => undefined, names: () => [] };

/** The result of a query's lookups. */
export interface FoundTables {
  readonly sources: readonly SourceLookup[];
  /** By the names that it asked for. */
  readonly endpoints: ReadonlyMap<string, Endpoint | undefined>;
}

/**
 * The tables that saved queries see: sources, and endpoints where no source has the name; and what was found in them
 * so far.
 */
export function createCatalog(
  sources: SourceTables,
  endpoints: EndpointLookup,
  access: SourceAccess,
): { readonly catalog: TableCatalog; readonly found: FoundTables } {
  const tables = openTenantTables(sources, access);
  const found = { sources: tables.lookups, endpoints: new Map<string, Endpoint | undefined>() };
  const catalog: TableCatalog = {
    findTable: tables.find,
    findTenant: tables.filterOf,
    findView(name) {
      const endpoint = endpoints.findByName(name);
      found.endpoints.set(name, endpoint);
      return endpoint === undefined ? undefined : toView(endpoint, sources, endpoints);
    },
    explainMissing: (name) => explainMissing(endpoints, name),
    tableNames: () => [...sources.tableNames(), ...endpoints.names()],
  };
  return { catalog, found };
}

/** Names the endpoint whose WITH clause has a table, for an owner who mistakes it for a source. */
function explainMissing(endpoints: EndpointLookup, table: string): string | undefined {
  const key = table.toLowerCase();
  const owner = endpoints.names().find((name) => {
    const entries = endpoints.findByName(name)?.savedQuery.with?.entries ?? [];
    return entries.some((entry) => entry.name.name.toLowerCase() === key);
  });
  if (owner === undefined) return undefined;
  return `the endpoint ${owner} has it in its WITH clause, which no other query sees; read ${owner}, or a source`;
}

/** The key of a target as a view. */
export function viewKey({ definition, version }: QueryTarget): string {
  return `${definition.id}@${version}`;
}

/** The detectors with which an endpoint redacts, as text; undefined where it does not. */
export function redactionOf({
  redactsPii,
  detectors = defaultDetectors,
}: Pick<EndpointDefinition, "redactsPii" | "detectors">): string | undefined {
  return redactsPii ? detectors.join(",") : undefined;
}

function toView(endpoint: Endpoint, sources: SourceTables, endpoints: EndpointLookup): ViewDefinition {
  const { definition, savedQuery, sourceText } = endpoint;
  return {
    key: viewKey(endpoint),
    name: definition.name,
    query: savedQuery,
    text: sourceText,
    parameters: visibleParameters(endpoint, sources, endpoints),
    ...omitUndefined({ redaction: redactionOf(definition) }),
  };
}

/**
 * Types of the parameters that the query may name, by lower-case name: those it declares, and those of endpoints that
 * it seems to read. GoogleSQL's parameter names know no case.
 */
export function visibleParameters(
  target: QueryTarget,
  sources: SourceTables,
  endpoints: EndpointLookup,
): ReadonlyMap<string, SqlType> {
  const types = new Map<string, SqlType>();
  const seen = new Set<string>();
  const open = [target];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { name, type } of next.definition.parameters) {
      if (!types.has(name.toLowerCase())) types.set(name.toLowerCase(), sqlTypeOf(type));
    }
    for (const name of tablesNamed(next.savedQuery)) {
      if (seen.has(name) || sources.findTable(name) !== undefined) continue;
      seen.add(name);
      const read = endpoints.findByName(name);
      if (read !== undefined) open.push(read);
    }
  }
  return types;
}

const named = new WeakMap<Query, readonly string[]>();

/** The names that a query reads as tables, in the order of its text; a query is walked once. */
export function tablesNamed(query: Query): readonly string[] {
  let names = named.get(query);
  if (names === undefined) {
    const paths = nodesOf(query, "TableReference").map(({ path }) => path.parts.map((part) => part.name).join("."));
    names = [...new Set(paths)];
    named.set(query, names);
  }
  return names;
}

/**
 * The parameters of a target's callers: its own, and those of the endpoints that it reads, the first of each name.
 */
export function effectiveParameters(
  { definition }: Pick<QueryTarget, "definition">,
  read: readonly Endpoint[],
): readonly ParameterDefinition[] {
  const parameters = new Map(definition.parameters.map((parameter) => [parameter.name.toLowerCase(), parameter]));
  const own = new Set(parameters.keys());
  for (const parameter of read.flatMap((endpoint) => endpoint.definition.parameters)) {
    const key = parameter.name.toLowerCase();
    const known = parameters.get(key);
    if (known === undefined) parameters.set(key, parameter);
    // If two are inherited, the stricter one determines whether it is required.
    else if (!own.has(key) && parameter.isRequired && !known.isRequired) {
      parameters.set(key, { ...known, isRequired: true, default: null });
    }
  }
  return [...parameters.values()];
}
