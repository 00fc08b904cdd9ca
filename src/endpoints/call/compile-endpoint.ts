import type { Engine } from "../../engines/contract/query-engine.ts";
import type { Query } from "../../googlesql/ast.ts";
import { GoogleSqlError } from "../../googlesql/diagnostic.ts";
import { parseClientQuery } from "../../googlesql/parse.ts";
import type { TableCatalog } from "../../googlesql/relation.ts";
import { resolveQuery, resolveSandboxed } from "../../googlesql/resolve.ts";
import type { ResolvedQuery } from "../../googlesql/resolved.ts";
import { compileLql } from "../../lql/compile-lql.ts";
import { LqlError } from "../../lql/lql-error.ts";
import { defaultDetectors } from "../../redaction/detector.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { SourceTables } from "../../sources/source-tables.ts";
import type { Endpoint } from "../definition/definition.ts";
import { allRowsOf } from "../explore/query-shape.ts";
import { makeFollowed } from "../paging/follow-query.ts";
import { makePaged } from "../paging/page-query.ts";
import { keepsGuards } from "../tenants/keeps-guards.ts";
import type { SourceAccess } from "../tenants/tenant-tables.ts";
import { capRows } from "./cap-rows.ts";
import { createCatalog, type EndpointLookup, type FoundTables, viewKey, visibleParameters } from "./endpoint-tables.ts";
import { digestQuery, type PlannedQuery } from "./planned-query.ts";
import { fromLqlError, fromQueryError } from "./query-error.ts";
import type { ConsumerQuery } from "./run-endpoint.ts";
import { findDefaultTable, withLimit } from "./saved-query.ts";

/** What queries are compiled with. */
export interface CompileDependencies {
  readonly engine: Pick<Engine, "compile">;
  /** The sources' tables; a table's definition is another object once it has changed. */
  readonly tables: SourceTables;
  /** The endpoints that may be read as tables; an endpoint is another object once it has changed. */
  readonly endpoints: EndpointLookup;
}

/** Where a page begins: see `Planner`. */
export type Place = readonly boolean[] | "follow" | undefined;

/** A compiled query, and all that it read to become that. */
export interface CompiledEndpoint {
  readonly query: PlannedQuery;
  readonly found: FoundTables;
}

/** A resolved query, and all that it read to become that. */
export interface ResolvedEndpoint {
  readonly query: ResolvedQuery;
  readonly found: FoundTables;
}

/** How an endpoint's own query is asked. */
export interface OwnQueryOptions {
  /** How it sees the sources; as a whole unless given. */
  readonly access?: SourceAccess;
  /** Takes the place of its outermost LIMIT. */
  readonly rowLimit?: number | undefined;
  readonly place?: Place;
  /** It may name parameters that nothing declares. */
  readonly infersParameters?: boolean;
}

const wholeSources: SourceAccess = { kind: "whole" };

/** The endpoint's own query. Throws `GoogleSqlError` with positions in the endpoint's text. */
export function compileOwn(
  dependencies: CompileDependencies,
  endpoint: Endpoint,
  options: OwnQueryOptions = {},
): CompiledEndpoint {
  const { query, found } = resolveOwn(dependencies, endpoint, options);
  const { definition, sourceText } = endpoint;
  return { query: compileForPages(dependencies.engine, query, definition.maxRows, sourceText, options.place), found };
}

/** The endpoint's own query, resolved and no further. Throws as `compileOwn` does. */
export function resolveOwn(
  { tables, endpoints }: Omit<CompileDependencies, "engine">,
  endpoint: Endpoint,
  { access = wholeSources, rowLimit, infersParameters = false }: OwnQueryOptions = {},
): ResolvedEndpoint {
  const { savedQuery, sourceText, definition } = endpoint;
  const query = rowLimit === undefined ? savedQuery : withLimit(savedQuery, rowLimit);
  return resolveAs(tables, endpoints, access, (catalog) =>
    resolveQuery(query, sourceText, {
      tables: catalog,
      parameters: visibleParameters(endpoint, tables, endpoints),
      view: { key: viewKey(endpoint), name: definition.name },
      inferParameters: infersParameters,
    }),
  );
}

/** A consumer's query. What is wrong with it is a `ServiceError` with positions in the consumer's text. */
export function compileConsumer(
  { engine, tables, endpoints, nowMs }: CompileDependencies & { readonly nowMs: number },
  endpoint: Endpoint,
  consumer: ConsumerQuery,
  place: Place,
  access: SourceAccess = wholeSources,
): CompiledEndpoint {
  const { definition, savedQuery, sourceText } = endpoint;
  try {
    const parsed = parseConsumer(endpoint, consumer, nowMs);
    const { query, found } = resolveAs(tables, endpoints, access, (catalog) =>
      resolveSandboxed(
        { query: savedQuery, text: sourceText },
        { query: parsed, text: consumer.text },
        {
          tables: catalog,
          parameters: visibleParameters(endpoint, tables, endpoints),
          view: { key: viewKey(endpoint), name: definition.name },
          tableAliases: new Map(Object.entries(definition.tableAliases)),
          ...(consumer.redactsPii ? { redaction: (definition.detectors ?? defaultDetectors).join(",") } : {}),
        },
      ),
    );
    const maxRows = consumer.shape?.maxRows ?? definition.maxRows;
    return { query: compileForPages(engine, query, maxRows, consumer.text, place), found };
  } catch (error) {
    if (error instanceof LqlError) throw fromLqlError(error);
    // A problem in the endpoint's own text would be ours to explain, not the consumer's.
    if (error instanceof GoogleSqlError && error.text === consumer.text) throw fromQueryError(error);
    throw error;
  }
}

/**
 * Resolves a query that sees the sources in a way. A scan that the endpoint's query confines to one tenant gets that
 * tenant's table. Names mean what that table says, which may be something else than where the guard was found: then
 * the scan is filtered besides.
 */
function resolveAs(
  tables: SourceTables,
  endpoints: EndpointLookup,
  access: SourceAccess,
  resolve: (catalog: TableCatalog) => ResolvedQuery,
): ResolvedEndpoint {
  const { catalog, found } = createCatalog(tables, endpoints, access);
  const query = resolve(catalog);
  if (access.kind !== "call" || keepsGuards(query.scan, found.sources)) return { query, found };
  const filtered = createCatalog(tables, endpoints, { ...access, filtersGuarded: true });
  return { query: resolve(filtered.catalog), found: filtered.found };
}

/** With an order that leaves nothing open where the query has pages, and with a bound on its rows. */
function compileForPages(
  engine: Pick<Engine, "compile">,
  resolved: ResolvedQuery,
  maxRows: number,
  text: string,
  place: Place,
): PlannedQuery {
  if (place === "follow") return compileFollowed(engine, resolved, text);
  const paged = makePaged(resolved, place);
  const compiled = engine.compile(capRows(paged?.query ?? resolved, maxRows), { text });
  return {
    ...compiled,
    digest: digestQuery(compiled),
    warnings: resolved.warnings,
    ...(paged === undefined ? {} : { paging: paged.paging }),
  };
}

/** As `makeFollowed` has it. Throws `not_followable`. */
function compileFollowed(engine: Pick<Engine, "compile">, resolved: ResolvedQuery, text: string): PlannedQuery {
  const followed = makeFollowed(resolved);
  if (followed === undefined) {
    throw new ServiceError("not_followable", "The rows of this query cannot be followed as they arrive", {
      hint: "Select single rows with ORDER BY timestamp DESC: without GROUP BY, DISTINCT, OFFSET and window functions.",
    });
  }
  return { ...engine.compile(followed.query, { text }), paging: followed.paging };
}

function parseConsumer(endpoint: Endpoint, consumer: ConsumerQuery, nowMs: number): Query {
  const { language, text, maxDepth, shape } = consumer;
  const query = language === "sql" ? parseClientQuery(text, maxDepth) : parseLql(endpoint, consumer, nowMs);
  return shape === undefined ? query : shape.apply(allRowsOf(query));
}

function parseLql(endpoint: Endpoint, { text, shape, pageRows }: ConsumerQuery, nowMs: number): Query {
  const defaultTable = findDefaultTable(endpoint.savedQuery);
  return compileLql(text, {
    defaultTable,
    nowMs,
    maxRows: endpoint.definition.maxRows,
    pageRows,
    isWhole: shape !== undefined,
  });
}
