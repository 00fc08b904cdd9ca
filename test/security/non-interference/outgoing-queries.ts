import fc from "fast-check";
import { logqlCalls } from "./logql-queries.ts";
import { fieldNames } from "./tenant-events.ts";
import { orderedQuery, unorderedQuery } from "./tenant-queries.ts";

/** An endpoint of a random query over a tenant's tables, and an alert on its rows. */
export interface AlertCase {
  readonly endpoint: object;
  readonly alert: object;
  /** False where the rows come in no stated order, on which messages depend. */
  readonly isExact: boolean;
}

const head =
  "WITH edge_logs AS (SELECT * FROM edge WHERE project = @project), function_logs AS (SELECT t.* FROM function AS t " +
  "CROSS JOIN UNNEST(t.metadata) AS m WHERE m.project_ref = @project) ";
const condition = fc
  .constantFrom([], ["v", ">", 5], ["n", ">=", 1], ["v", "=", "x"], ["k", "!=", "y"], ["id", "!=", ""])
  .map(([column, op, value]) => (column === undefined ? {} : { column: String(column), op, value }));

/** Random endpoints and alerts; those whose query has not the columns that the alert names are refused. */
export const alertCases: fc.Arbitrary<(index: number) => AlertCase> = fc
  .record({
    query: fc.oneof(
      { arbitrary: orderedQuery.map((sql) => ({ sql, isExact: true })), weight: 3 },
      { arbitrary: unorderedQuery.map((sql) => ({ sql, isExact: false })), weight: 1 },
    ),
    redactsPii: fc.boolean(),
    when: condition,
    groupBy: fc.constantFrom<string[]>([], [], ["id"], ["k"], ["v"]),
    message: fc.constantFrom("{{n}} of {{v}}", "{{k}}: {{n}}", "{{v}}, {{w}}", ""),
    isWild: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
  })
  .map(({ query, redactsPii, ...asked }) => (index) => ({
    endpoint: {
      ...{ name: `alerted.${index}`, query: head + query.sql, redact_pii: redactsPii, sandbox: false },
      ...{ parameters: { project: { type: "string", required: true } }, tenant_parameter: "project" },
    },
    alert: {
      ...{ name: `alert ${index}`, endpoint: `alerted.${index}`, every: "1d", enabled: false },
      ...withColumns(asked, query.sql),
    },
    isExact: query.isExact,
  }));

interface AskedColumns {
  readonly when: { readonly column?: string };
  readonly groupBy: readonly string[];
  readonly message: string;
  readonly isWild: boolean;
}

/** The parts of an alert that name columns; unless it is wild, those alone that the query has. */
function withColumns({ when, groupBy, message, isWild }: AskedColumns, sql: string): object {
  const has = (name: string) =>
    isWild || new RegExp(`\\b${name === "id" ? "t\\.id" : `as ${name}`}\\b|\\) ${name}\\b`).test(sql);
  const named = [...message.matchAll(/\{\{(\w)\}\}/g)].map(([, name = ""]) => name);
  return {
    when: when.column === undefined || has(when.column) ? when : {},
    group_by: groupBy.filter(has),
    message: named.every(has) ? message : "",
  };
}

const path = fc
  .oneof(
    fc.constantFrom(...fieldNames),
    fc.tuple(fc.constantFrom(...fieldNames), fc.constantFrom(...fieldNames)).map(([a, b]) => `${a}.${b}`),
  )
  .filter((name) => /^[A-Za-z_][\w.]*$/.test(name));

/** Filters of drains in LQL. */
export const drainFilters: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(path, fc.constantFrom("200", "x", ">5", "<=10", "~x", "NULL", "true", '"1.5"'))
    .map(([name, value]) => `m.${name}:${value}`),
  fc.constantFrom("", "x", "-m.path:x", "project:own0", "level:x", "extra:200", "m.a:200 m.b:x"),
);

/** Log queries that a tail follows. */
export const tailQueries: fc.Arbitrary<string> = logqlCalls
  .filter(({ path: of, sent }) => of === "query_range" && sent.query?.startsWith("{") === true)
  .map(({ sent }) => sent.query ?? "");
