import { compileClickHouse } from "../../../clickhouse-sql/compile-clickhouse.ts";
import type { Engine } from "../../../engines/contract/query-engine.ts";
import type { Query } from "../../../googlesql/ast.ts";
import { GoogleSqlError } from "../../../googlesql/diagnostic.ts";
import { parseClientQuery } from "../../../googlesql/parse.ts";
import type { TableCatalog } from "../../../googlesql/relation.ts";
import { listSavedTables, resolveQuery, resolveSandboxed, type SavedTable } from "../../../googlesql/resolve.ts";
import type { ResolvedQuery, Scan } from "../../../googlesql/resolved.ts";
import { INT64 } from "../../../googlesql/types.ts";
import { compileLql } from "../../../lql/compile-lql.ts";
import { LqlError } from "../../../lql/lql-error.ts";
import { defaultDetectors } from "../../../redaction/detector.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { SourceTables } from "../../../sources/source-tables.ts";
import type { QueryTarget } from "../../definition/query-target.ts";
import { allRowsOf } from "../../explore/query-shape.ts";
import { type FollowForm, makeFollowed } from "../../paging/follow-query.ts";
import { makePaged } from "../../paging/page-query.ts";
import { keepsGuards } from "../../tenants/keeps-guards.ts";
import type { SourceAccess } from "../../tenants/tenant-tables.ts";
import { createCatalog, type EndpointLookup, type FoundTables, viewKey, visibleParameters } from "./endpoint-tables.ts";
import type { ConsumerQuery } from "./plan.ts";
import { digestQuery, type PlannedQuery } from "./planned-query.ts";
import { fromLqlError, fromQueryError } from "./query-error.ts";
import { findDefaultTable, withLimit } from "./saved-query.ts";

/** The dependencies of compilation. */
export interface CompileDependencies {
  readonly engine: Pick<Engine, "compile" | "explain">;
  /** The sources' tables; a table's definition is another object once it has changed. */
  readonly tables: SourceTables;
  /** The endpoints that may be read as tables; an endpoint is another object once it has changed. */
  readonly endpoints: EndpointLookup;
}

/** Where a page begins: see `Planner`. */
export type Place = readonly boolean[] | FollowForm | undefined;

/** A compiled query, and everything that was looked up to compile it. */
export interface CompiledEndpoint {
  readonly query: PlannedQuery;
  readonly found: FoundTables;
}

/** A resolved query, and everything that was looked up to resolve it. */
export interface ResolvedEndpoint {
  readonly query: ResolvedQuery;
  readonly found: FoundTables;
}

/** How a target's own query is asked. */
export interface OwnQueryOptions {
  /** How it sees the sources; as a whole unless given. */
  readonly access?: SourceAccess;
  /** Replaces its outermost LIMIT. */
  readonly rowLimit?: number | undefined;
  readonly place?: Place;
  /** It may name parameters that nothing declares. */
  readonly infersParameters?: boolean;
}

const wholeSources: SourceAccess = { kind: "whole" };

/** The target's own query. Throws `GoogleSqlError` with positions in the target's text. */
export function compileOwn(
  dependencies: CompileDependencies,
  target: QueryTarget,
  options: OwnQueryOptions = {},
): CompiledEndpoint {
  return compileResolved(dependencies.engine, target, resolveOwn(dependencies, target, options), options.place);
}

/** The target's own query, once it is resolved. Throws as `compileOwn` does. */
export function compileResolved(
  engine: Pick<Engine, "compile">,
  { definition, sourceText }: QueryTarget,
  { query, found }: ResolvedEndpoint,
  place?: Place,
): CompiledEndpoint {
  return { query: compileForPages(engine, query, definition.maxRows, sourceText, place), found };
}

/** The target's own query, only resolved. Throws as `compileOwn` does. */
export function resolveOwn(
  { tables, endpoints }: Omit<CompileDependencies, "engine">,
  target: QueryTarget,
  { access = wholeSources, rowLimit, infersParameters = false }: OwnQueryOptions = {},
): ResolvedEndpoint {
  const { savedQuery, sourceText, definition } = target;
  const query = rowLimit === undefined ? savedQuery : withLimit(savedQuery, rowLimit);
  return resolveAs(tables, endpoints, access, (catalog) =>
    resolveQuery(query, sourceText, {
      tables: catalog,
      parameters: visibleParameters(target, tables, endpoints),
      view: { key: viewKey(target), name: definition.name },
      inferParameters: infersParameters,
    }),
  );
}

/** The tables of the target's WITH clause. Throws as `compileOwn` does. */
export function listOwnTables(
  { tables, endpoints }: Omit<CompileDependencies, "engine">,
  target: QueryTarget,
  access: SourceAccess,
): readonly SavedTable[] {
  const { savedQuery, sourceText, definition } = target;
  return listSavedTables(
    { query: savedQuery, text: sourceText },
    {
      tables: createCatalog(tables, endpoints, access).catalog,
      parameters: visibleParameters(target, tables, endpoints),
      view: { key: viewKey(target), name: definition.name },
    },
  );
}

/** A consumer's query. Its problems are reported as `ServiceError` with positions in the consumer's text. */
export function compileConsumer(
  { engine, tables, endpoints, nowMs }: CompileDependencies & { readonly nowMs: number },
  target: QueryTarget,
  consumer: ConsumerQuery,
  place: Place,
  access: SourceAccess = wholeSources,
): CompiledEndpoint {
  const { definition, savedQuery, sourceText } = target;
  try {
    const listTables = () => listOwnTables({ tables, endpoints }, target, access);
    const parsed = parseConsumer(target, consumer, nowMs, listTables);
    const { query, found } = resolveAs(tables, endpoints, access, (catalog) =>
      resolveSandboxed(
        { query: savedQuery, text: sourceText },
        { query: parsed, text: consumer.text },
        {
          tables: catalog,
          parameters: visibleParameters(target, tables, endpoints),
          view: { key: viewKey(target), name: definition.name },
          tableAliases: new Map(Object.entries(definition.tableAliases)),
          hiddenColumns: definition.hiddenColumns ?? [],
          ...(consumer.redactsPii ? { redaction: (definition.detectors ?? defaultDetectors).join(",") } : {}),
        },
      ),
    );
    const maxRows = consumer.shape?.maxRows ?? definition.maxRows;
    return { query: compileForPages(engine, query, maxRows, consumer.text, place), found };
  } catch (error) {
    if (error instanceof LqlError) throw fromLqlError(error);
    // A problem in the target's own text must not be reported to the consumer.
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
  // Every scan of a bound call is filtered as it is.
  const isFiltered = access.kind !== "call" || access.confinement?.kind === "bound";
  if (isFiltered || keepsGuards(query.scan, found.sources)) return { query, found };
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
  if (place === "follow" || place === "follow ids") return compileFollowed(engine, resolved, text, place);
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
function compileFollowed(
  engine: Pick<Engine, "compile">,
  resolved: ResolvedQuery,
  text: string,
  form: FollowForm,
): PlannedQuery {
  const followed = makeFollowed(resolved, form);
  if (followed === undefined) {
    throw new ServiceError("not_followable", "The rows of this query cannot be followed as they arrive", {
      hint: "Select single rows with ORDER BY timestamp DESC: without GROUP BY, DISTINCT, OFFSET and window functions.",
    });
  }
  const { query, paging, isOfEvents } = followed;
  return { ...engine.compile(query, { text }), paging, isOfEvents };
}

function parseConsumer(
  target: QueryTarget,
  consumer: ConsumerQuery,
  nowMs: number,
  listTables: () => readonly SavedTable[],
): Query {
  const { shape } = consumer;
  const query = parseText(target, consumer, nowMs, listTables);
  return shape === undefined ? query : shape.apply(allRowsOf(query));
}

function parseText(
  target: QueryTarget,
  consumer: ConsumerQuery,
  nowMs: number,
  listTables: () => readonly SavedTable[],
): Query {
  const { language, text, maxDepth } = consumer;
  switch (language) {
    case "sql":
      return parseClientQuery(text, maxDepth);
    case "lql":
      return parseLql(target, consumer, nowMs);
    case "clickhouse": {
      const named = listTables().map(({ name, columns, types }) => {
        const typed = columns.flatMap((column, index) => {
          const type = types[index];
          return type === undefined ? [] : [[column, type] as const];
        });
        return { name, columns: new Map(typed) };
      });
      const aliases = new Map(Object.entries(target.definition.tableAliases));
      return compileClickHouse(text, { tables: named, aliases }, maxDepth);
    }
  }
}

function parseLql(target: QueryTarget, { text, shape, pageRows }: ConsumerQuery, nowMs: number): Query {
  const defaultTable = findDefaultTable(target.savedQuery);
  return compileLql(text, {
    defaultTable,
    nowMs,
    maxRows: target.definition.maxRows,
    pageRows,
    isWhole: shape !== undefined,
  });
}

/**
 * The query with a limit of its own just above `maxRows`, unless it has one: then an engine sorts and reads no more
 * than what can be answered, and still sees that there was more.
 */
function capRows(query: ResolvedQuery, maxRows: number): ResolvedQuery {
  return { ...query, scan: cap(query.scan, maxRows + 1) };
}

function cap(scan: Scan, rows: number): Scan {
  if (scan.kind === "With") return { ...scan, input: cap(scan.input, rows) };
  if (scan.kind === "Limit") return scan;
  return {
    kind: "Limit",
    input: scan,
    count: { kind: "Literal", type: INT64, value: String(rows), span: { start: 0, end: 0 } },
  };
}
