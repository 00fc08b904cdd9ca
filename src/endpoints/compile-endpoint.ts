import type { Engine } from "../engines/engine.ts";
import type { Query } from "../googlesql/ast.ts";
import { GoogleSqlError } from "../googlesql/diagnostic.ts";
import { parseQuery } from "../googlesql/parse.ts";
import type { TableCatalog } from "../googlesql/relation.ts";
import { resolveQuery, resolveSandboxed } from "../googlesql/resolve.ts";
import type { ResolvedQuery } from "../googlesql/resolved.ts";
import { compileLql } from "../lql/compile-lql.ts";
import { LqlError } from "../lql/lql-error.ts";
import { defaultDetectors } from "../redaction/detector.ts";
import { capRows } from "./cap-rows.ts";
import type { Endpoint, EndpointDefinition } from "./definition.ts";
import { createCatalog, type EndpointLookup, type FoundTables, viewKey, visibleParameters } from "./endpoint-tables.ts";
import { makePaged } from "./paging/page-query.ts";
import { digestQuery, type PlannedQuery } from "./planned-query.ts";
import { fromLqlError, fromQueryError } from "./query-error.ts";
import type { ConsumerQuery } from "./run-endpoint.ts";
import { findDefaultTable, withLimit } from "./saved-query.ts";

/** What queries are compiled with. */
export interface CompileDependencies {
  readonly engine: Pick<Engine, "compile">;
  /** The sources' tables; a table's definition is another object once it has changed. */
  readonly tables: TableCatalog;
  /** The endpoints that may be read as tables; an endpoint is another object once it has changed. */
  readonly endpoints: EndpointLookup;
}

/** A compiled query, and all that it read to become that. */
export interface CompiledEndpoint {
  readonly query: PlannedQuery;
  readonly found: FoundTables;
}

/**
 * The endpoint's own query. With `infersParameters` it may name parameters that nothing declares. Throws
 * `GoogleSqlError` with positions in the endpoint's text.
 */
export function compileOwn(
  { engine, tables, endpoints }: CompileDependencies,
  endpoint: Endpoint,
  rowLimit?: number,
  place?: readonly boolean[],
  infersParameters = false,
): CompiledEndpoint {
  const { savedQuery, sourceText, definition } = endpoint;
  const found: FoundTables = { sources: new Map(), endpoints: new Map() };
  const resolved = resolveQuery(rowLimit === undefined ? savedQuery : withLimit(savedQuery, rowLimit), sourceText, {
    tables: createCatalog(tables, endpoints, found),
    parameters: visibleParameters(endpoint, tables, endpoints),
    view: { key: viewKey(endpoint), name: definition.name },
    inferParameters: infersParameters,
  });
  return { query: compileForPages(engine, resolved, definition, sourceText, place), found };
}

/** A consumer's query. What is wrong with it is a `ServiceError` with positions in the consumer's text. */
export function compileConsumer(
  { engine, tables, endpoints, nowMs }: CompileDependencies & { readonly nowMs: number },
  endpoint: Endpoint,
  consumer: ConsumerQuery,
  place: readonly boolean[] | undefined,
): CompiledEndpoint {
  const { definition, savedQuery, sourceText } = endpoint;
  const found: FoundTables = { sources: new Map(), endpoints: new Map() };
  try {
    const resolved = resolveSandboxed(
      { query: savedQuery, text: sourceText },
      { query: parseConsumer(endpoint, consumer, nowMs), text: consumer.text },
      {
        tables: createCatalog(tables, endpoints, found),
        parameters: visibleParameters(endpoint, tables, endpoints),
        view: { key: viewKey(endpoint), name: definition.name },
        tableAliases: new Map(Object.entries(definition.tableAliases)),
        ...(consumer.redactsPii ? { redaction: (definition.detectors ?? defaultDetectors).join(",") } : {}),
      },
    );
    return { query: compileForPages(engine, resolved, definition, consumer.text, place), found };
  } catch (error) {
    if (error instanceof LqlError) throw fromLqlError(error);
    // A problem in the endpoint's own text would be ours to explain, not the consumer's.
    if (error instanceof GoogleSqlError && error.text === consumer.text) throw fromQueryError(error);
    throw error;
  }
}

/** With an order that leaves nothing open where the query has pages, and with a bound on its rows. */
function compileForPages(
  engine: Pick<Engine, "compile">,
  resolved: ResolvedQuery,
  { maxRows }: EndpointDefinition,
  text: string,
  place: readonly boolean[] | undefined,
): PlannedQuery {
  const paged = makePaged(resolved, place);
  const compiled = engine.compile(capRows(paged?.query ?? resolved, maxRows), { text });
  return { ...compiled, digest: digestQuery(compiled), ...(paged === undefined ? {} : { paging: paged.paging }) };
}

function parseConsumer(endpoint: Endpoint, consumer: ConsumerQuery, nowMs: number): Query {
  if (consumer.language === "sql") return parseQuery(consumer.text, consumer.maxDepth);
  const { maxRows } = endpoint.definition;
  return compileLql(consumer.text, { defaultTable: findDefaultTable(endpoint.savedQuery), nowMs, maxRows });
}
