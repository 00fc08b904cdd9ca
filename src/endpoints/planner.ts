import { LRUCache } from "lru-cache";
import type { Engine } from "../engines/engine.ts";
import type { Query } from "../googlesql/ast.ts";
import { GoogleSqlError } from "../googlesql/diagnostic.ts";
import { parseQuery } from "../googlesql/parse.ts";
import type { TableCatalog, TableDefinition } from "../googlesql/relation.ts";
import { resolveQuery, resolveSandboxed } from "../googlesql/resolve.ts";
import type { ResolvedQuery } from "../googlesql/resolved.ts";
import type { SqlType } from "../googlesql/types.ts";
import { compileLql } from "../lql/compile-lql.ts";
import { LqlError } from "../lql/lql-error.ts";
import { defaultDetectors } from "../redaction/detector.ts";
import { capRows } from "./cap-rows.ts";
import type { Endpoint, EndpointDefinition } from "./definition.ts";
import { makePaged } from "./paging/page-query.ts";
import { sqlTypeOf } from "./parameter-value.ts";
import { digestQuery, type PlannedQuery } from "./planned-query.ts";
import { fromLqlError, fromQueryError } from "./query-error.ts";
import type { ConsumerQuery, Planner } from "./run-endpoint.ts";
import { findDefaultTable, withLimit } from "./saved-query.ts";

/** What plans are made with. */
export interface PlannerDependencies {
  readonly engine: Pick<Engine, "compile">;
  /** The sources' tables; a table's definition is another object once it has changed. */
  readonly tables: TableCatalog;
  /** The clock of LQL's shorthands, in milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** A compiled query, and the tables as they were when it was compiled. */
interface Plan {
  readonly query: PlannedQuery;
  readonly tables: ReadonlyMap<string, TableDefinition | undefined>;
}

/** Characters of SQL that are kept at most, before and after compiling. */
const maxKeptCharacters = 32_000_000;

/** Plans are kept as long as the tables they read have not got new fields. */
export function createPlanner(dependencies: PlannerDependencies): Planner {
  const plans = new LRUCache<string, Plan>({
    maxSize: maxKeptCharacters,
    sizeCalculation: (plan, key) => key.length + plan.query.sql.length + 1_000,
  });
  // Ids and versions are what an owner says; an endpoint is itself only.
  const numbers = new WeakMap<Endpoint, number>();
  let count = 0;
  const numberOf = (endpoint: Endpoint): number => {
    const number = numbers.get(endpoint) ?? ++count;
    numbers.set(endpoint, number);
    return number;
  };
  return {
    plan(endpoint, consumer, rowLimit, place) {
      const { language, text, redactsPii } = consumer ?? {};
      const key = JSON.stringify([numberOf(endpoint), rowLimit ?? 0, language, text, redactsPii, place]);
      const kept = plans.get(key);
      if (kept !== undefined && isCurrent(kept, dependencies.tables)) return kept.query;
      const plan = makePlan(dependencies, endpoint, consumer, rowLimit, place);
      // What LQL's shorthands mean changes with the clock.
      if (consumer?.language !== "lql") plans.set(key, plan);
      return plan.query;
    },
  };
}

function isCurrent(plan: Plan, tables: TableCatalog): boolean {
  for (const [name, definition] of plan.tables) {
    if (tables.findTable(name) !== definition) return false;
  }
  return true;
}

function makePlan(
  { engine, tables, nowMs }: PlannerDependencies,
  endpoint: Endpoint,
  consumer: ConsumerQuery | undefined,
  rowLimit: number | undefined,
  place: readonly boolean[] | undefined,
): Plan {
  const seen = new Map<string, TableDefinition | undefined>();
  const recording: TableCatalog = {
    findTable(name) {
      const definition = tables.findTable(name);
      seen.set(name, definition);
      return definition;
    },
    tableNames: () => tables.tableNames(),
  };
  const query =
    consumer === undefined
      ? compileOwn(engine, recording, endpoint, rowLimit, place)
      : compileConsumer(engine, recording, endpoint, consumer, nowMs(), place);
  return { query, tables: seen };
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

/** The endpoint's own query. Throws `GoogleSqlError` with positions in the endpoint's file. */
function compileOwn(
  engine: Pick<Engine, "compile">,
  tables: TableCatalog,
  endpoint: Endpoint,
  rowLimit: number | undefined,
  place: readonly boolean[] | undefined,
): PlannedQuery {
  const { savedQuery, sourceText, definition } = endpoint;
  const query = rowLimit === undefined ? savedQuery : withLimit(savedQuery, rowLimit);
  const resolved = resolveQuery(query, sourceText, { tables, parameters: parameterTypes(definition) });
  return compileForPages(engine, resolved, definition, sourceText, place);
}

/** A consumer's query. What is wrong with it is a `ServiceError` with positions in the consumer's text. */
function compileConsumer(
  engine: Pick<Engine, "compile">,
  tables: TableCatalog,
  endpoint: Endpoint,
  consumer: ConsumerQuery,
  nowMs: number,
  place: readonly boolean[] | undefined,
): PlannedQuery {
  try {
    const { definition, savedQuery, sourceText } = endpoint;
    const resolved = resolveSandboxed(
      { query: savedQuery, text: sourceText },
      { query: parseConsumer(endpoint, consumer, nowMs), text: consumer.text },
      {
        tables,
        parameters: parameterTypes(definition),
        tableAliases: new Map(Object.entries(definition.tableAliases)),
        ...(consumer.redactsPii ? { redaction: (definition.detectors ?? defaultDetectors).join(",") } : {}),
      },
    );
    return compileForPages(engine, resolved, definition, consumer.text, place);
  } catch (error) {
    if (error instanceof LqlError) throw fromLqlError(error);
    // A problem in the endpoint's own text would be ours to explain, not the consumer's.
    if (error instanceof GoogleSqlError && error.text === consumer.text) throw fromQueryError(error);
    throw error;
  }
}

function parseConsumer(endpoint: Endpoint, consumer: ConsumerQuery, nowMs: number): Query {
  if (consumer.language === "sql") return parseQuery(consumer.text);
  const { maxRows } = endpoint.definition;
  return compileLql(consumer.text, { defaultTable: findDefaultTable(endpoint.savedQuery), nowMs, maxRows });
}

/** GoogleSQL's parameter names know no case. */
function parameterTypes(definition: EndpointDefinition): ReadonlyMap<string, SqlType> {
  return new Map(definition.parameters.map(({ name, type }) => [name.toLowerCase(), sqlTypeOf(type)]));
}
