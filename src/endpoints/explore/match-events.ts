import { EngineError } from "../../engines/contract/query-engine.ts";
import type { Expression, Query } from "../../googlesql/ast.ts";
import { parseLql } from "../../lql/parse-lql.ts";
import { call, fieldOf, select, text } from "../../lql/sql-nodes.ts";
import { patternsOf, toCondition } from "../../lql/to-condition.ts";
import { Admission } from "../../shared/concurrency/admission.ts";
import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";
import { prepareCall } from "../call/prepare/prepare-call.ts";
import { noPins } from "../call/prepare/query-call.ts";
import { runPrepared } from "../call/run/run-prepared.ts";
import type { EndpointRunner } from "../call/run/runner.ts";
import { createTarget, declareParameter, type QueryTarget } from "../definition/query-target.ts";
import type { QueryShape } from "./query-shape.ts";

/** Identifies a stored event among those of its source. */
export interface KeyedEvent {
  readonly id: string;
  readonly timestampUs: bigint;
  /** Null where it has none. */
  readonly tenant: string | null;
}

/** Finds the events that a query in LQL selects. */
export interface EventMatcher {
  /**
   * Runs the query over no event, so that the engine reads all of it. Rejects with `ServiceError` for a query in LQL
   * that cannot run over the source, and where the engine cannot run any.
   */
  check(source: string, lql: string): Promise<void>;
  /**
   * Whether queries select each of these events of the source: for each query, in their order, `1` or `0`. An event
   * that they do not see is not in the answer. Throws `result_too_large` where that cannot be found out, and all errors
   * of a call, if only for one of the queries.
   */
  match<Event extends KeyedEvent>(
    source: string,
    lqls: readonly string[],
    events: readonly Event[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Event, string>>;
}

/** Events of other tenants may have the same ids. */
const maxRows = 200_000;

/**
 * Runs queries of the service's own: within these limits instead of those of calls, and beside their turns. Who asks
 * bounds how many run at once.
 */
export function createEventMatcher(
  runner: EndpointRunner,
  limits: Pick<EndpointRunner, "timeoutMs" | "maxResultBytes">,
  nowMs: () => number,
): EventMatcher {
  const { holdBack: _, budget: __, ...rest } = runner;
  const admission = new Admission({ maxRunning: Number.POSITIVE_INFINITY, maxWaiting: 0 });
  const own: EndpointRunner = { ...rest, ...limits, admission };
  const targets = new Map<string, QueryTarget>();
  const prepare = (
    by: EndpointRunner,
    source: string,
    query: { readonly lql: string } | { readonly sql: string },
    events: readonly KeyedEvent[],
    shape: QueryShape,
  ) => {
    const target = targets.get(source) ?? createKeyedEvents(source);
    targets.set(source, target);
    const parameters = new Map<string, unknown>(Object.entries({ ...query, ...toParameters(events) }));
    return prepareCall(by, { target, parameters, pinned: noPins, isOwner: true, redactsPii: false, shape });
  };
  const tenantPathOf = (source: string) => runner.engine.store.describe(source)?.tenantField?.split(".");
  return {
    async check(source, lql) {
      if (lql.trim() === "") return;
      // The limits of a query's text are those of the service.
      const calls = [prepare(runner, source, { lql }, [], matchShape(tenantPathOf(source)))];
      // An engine may not read the pattern for a field that no event has carried yet.
      const { filter } = parseLql(lql, 0);
      const patterns = filter === undefined ? [] : patternsOf(filter);
      if (patterns.length > 0) calls.push(prepare(runner, source, { lql }, [], patternShape(patterns)));
      for (const each of calls) {
        for await (const _ of runPrepared(own, each, AbortSignal.timeout(limits.timeoutMs)));
      }
    },
    async match(source, lqls, events, signal) {
      const matches = new Map<(typeof events)[number], string>();
      if (events.length === 0) return matches;
      const rows = new Map<string, string>();
      const shape = matchShape(tenantPathOf(source), toConditions(lqls, nowMs()));
      let rowTotal = 0;
      // In SQL, whose plans are cached: the same queries are asked about one batch of events after the other.
      const prepared = prepare(own, source, { sql: `SELECT * FROM \`${source}\`` }, events, shape);
      for await (const { json, rowCount } of runPrepared(own, prepared, signal)) {
        if (rowCount === 0) continue;
        rowTotal += rowCount;
        for (const row of JSON.parse(`[${json}]`) as readonly MatchRow[]) rows.set(nameRow(row), row.matches);
      }
      if (rowTotal >= maxRows) throw new EngineError("result_too_large", "Too many events have the same ids");
      for (const event of events) {
        const found = rows.get(nameRow({ ...event, timestamp: String(event.timestampUs) }));
        if (found !== undefined) matches.set(event, found);
      }
      return matches;
    },
  };
}

interface MatchRow {
  readonly id: string;
  readonly timestamp: number | string;
  readonly tenant: string | null;
  readonly matches: string;
}

function nameRow({ id, timestamp, tenant }: Pick<MatchRow, "id" | "timestamp" | "tenant">): string {
  return JSON.stringify([id, String(timestamp), tenant]);
}

function toParameters(events: readonly KeyedEvent[]): Readonly<Record<string, string>> {
  const times = events.map(({ timestampUs }) => timestampUs);
  return {
    ids: JSON.stringify([...new Set(events.map(({ id }) => id))]),
    oldest: formatIsoTimestamp(times.reduce((a, b) => (a < b ? a : b), times[0] ?? 0n)),
    newest: formatIsoTimestamp(times.reduce((a, b) => (a > b ? a : b), times[0] ?? 0n)),
  };
}

/** A source's events of some keys, as the only table of a sandbox. */
function createKeyedEvents(source: string): QueryTarget {
  const table = `\`${source}\``;
  const query = `WITH ${table} AS (
  SELECT * FROM ${table}
  WHERE id IN UNNEST(JSON_VALUE_ARRAY(@ids)) AND timestamp BETWEEN @oldest AND @newest
)
SELECT * FROM ${table}`;
  return createTarget({
    id: `keyed:${source}`,
    query,
    maxRows,
    isSandboxed: true,
    parameters: [
      declareParameter("ids", "string", { isRequired: true }),
      declareParameter("oldest", "timestamp", { isRequired: true }),
      declareParameter("newest", "timestamp", { isRequired: true }),
    ],
  });
}

/** Conditions of queries, undefined for everything; times that depend on the clock are those of now. */
function toConditions(lqls: readonly string[], nowMs: number): readonly (Expression | undefined)[] {
  return lqls.map((lql) => {
    const { filter } = parseLql(lql, nowMs);
    return filter && toCondition(filter);
  });
}

/**
 * Every row's key, and `1` or `0` for whether the condition holds for it: each of those that are given, else that of
 * the query.
 */
function matchShape(
  tenantPath: readonly string[] | undefined,
  conditions?: readonly (Expression | undefined)[],
): QueryShape {
  return {
    key: JSON.stringify(["match", tenantPath ?? null, conditions ?? null]),
    maxRows,
    apply(rows): Query {
      const { body, span } = rows;
      if (body.kind !== "Select") return rows;
      const { where, ...all } = body;
      const matches = (conditions ?? [where]).map((condition) =>
        condition === undefined ? text("1", span) : call("IF", [condition, text("1", span), text("0", span)], span),
      );
      const tenant: Expression = tenantPath === undefined ? { kind: "NullLiteral", span } : fieldOf(tenantPath, span);
      const items = [
        select(fieldOf(["id"], span), "id", span),
        select(fieldOf(["timestamp"], span), "timestamp", span),
        select(tenant, "tenant", span),
        select(call("CONCAT", matches, span), "matches", span),
      ];
      return { ...rows, body: { ...all, items } };
    },
  };
}

/** One row, computed with every pattern. */
function patternShape(patterns: readonly string[]): QueryShape {
  return {
    key: JSON.stringify(["compile", patterns]),
    maxRows: 1,
    apply(rows): Query {
      const { body, span } = rows;
      if (body.kind !== "Select") return rows;
      const { where: _, from: __, ...all } = body;
      const match = (pattern: string) => call("REGEXP_CONTAINS", [text("", span), text(pattern, span)], span);
      return { ...rows, body: { ...all, items: patterns.map((each) => select(match(each), undefined, span)) } };
    },
  };
}
