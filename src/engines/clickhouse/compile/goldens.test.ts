import { describe, expect, it } from "vitest";
import { compileText } from "../../../../test/support/engines/clickhouse/compile-text.ts";
import { planOf } from "../compile-query.ts";

const goldens: readonly { readonly name: string; readonly query: string; readonly sql: string }[] = [
  {
    name: "a filter on plain columns and the newest rows, flat, with bound parameters",
    query:
      "SELECT id, timestamp FROM edge_logs WHERE project = @p AND timestamp > @t ORDER BY timestamp DESC LIMIT 100",
    sql:
      "SELECT t1.`id` AS o1, t1.`timestamp` AS o2 FROM `events_1` AS t1 WHERE " +
      "(t1.`c_project` = {p1:Nullable(String)}) AND (t1.`timestamp` > {p2:Nullable(Int64)}) " +
      "ORDER BY t1.`timestamp` DESC NULLS LAST LIMIT 100",
  },
  {
    name: "a limit by a parameter as a value that was checked",
    query: "SELECT id FROM edge_logs LIMIT CAST(@n AS INT64) OFFSET @m",
    sql: "SELECT t1.`id` AS o1 FROM `events_1` AS t1 LIMIT assumeNotNull({k1:Nullable(Int64)}) OFFSET assumeNotNull({k2:Nullable(Int64)})",
  },
  {
    name: "UNNEST of single records as presence tests, their fields as columns, and groups",
    query: `SELECT r.path, COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r
      WHERE r.port >= 80 GROUP BY 1 ORDER BY n DESC LIMIT 5`,
    sql:
      "SELECT t1.`c_path` AS o1, toInt64(count()) AS o2 FROM `events_1` AS t1 WHERE t1.`p_metadata` AND " +
      "t1.`p_request` AND (t1.`c_port` >= 80::Int64) GROUP BY t1.`c_path` ORDER BY o2 DESC NULLS LAST LIMIT 5",
  },
  {
    name: "a test for a record as its presence column",
    query: "SELECT id FROM edge_logs LEFT JOIN UNNEST(metadata) AS m WHERE m.request IS NULL OR m IS NOT NULL",
    sql:
      "SELECT t1.`id` AS o1 FROM `events_1` AS t1 WHERE ((NOT ifNull(t1.`p_request`, false)) OR " +
      "(NOT (NOT ifNull(t1.`p_metadata`, false))))",
  },
  {
    name: "a CTE with an order as part of the query that reads it",
    query: `WITH e AS (SELECT id, timestamp AS t FROM edge_logs WHERE project = 'a' ORDER BY timestamp DESC)
      SELECT id FROM e WHERE t > @since`,
    sql:
      "SELECT t1.`id` AS o1 FROM `events_1` AS t1 WHERE (t1.`c_project` = 'a') AND " +
      "(t1.`timestamp` > {p1:Nullable(Int64)}) ORDER BY t1.`timestamp` DESC NULLS LAST",
  },
  {
    name: "sums in 128 bits that fail beyond 64",
    query: "SELECT SUM(r.port) AS total FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r",
    sql:
      "SELECT accurateCast(sumOrNull(toInt128(t1.`c_port`)), 'Nullable(Int64)') AS o1 FROM `events_1` AS t1 " +
      "WHERE t1.`p_metadata` AND t1.`p_request`",
  },
  {
    name: "an expression that may fail over NULL unless the earlier conditions are true",
    query: "SELECT id FROM edge_logs, UNNEST(metadata) m, UNNEST(m.request) r WHERE project = 'a' AND r.port + 1 > 80",
    sql:
      "SELECT t1.`id` AS o1 FROM `events_1` AS t1 WHERE t1.`p_metadata` AND t1.`p_request` AND (t1.`c_project` = 'a') " +
      "AND (accurateCast(if((ifNull(t1.`p_metadata`, false) AND ifNull(t1.`p_request`, false) AND " +
      "ifNull((t1.`c_project` = 'a'), false)), (toInt128(t1.`c_port`) + toInt128(1::Int64)), NULL), " +
      "'Nullable(Int64)') > 80::Int64)",
  },
  {
    name: "truncated times as arithmetic over microseconds",
    query: "SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS hour, COUNT(*) AS n FROM edge_logs GROUP BY 1",
    sql:
      "SELECT (t1.`timestamp` - positiveModulo(t1.`timestamp`, toInt64(3600000000))) AS o1, toInt64(count()) AS o2 " +
      "FROM `events_1` AS t1 GROUP BY o1",
  },
  {
    name: "outer joins on equalities, with sub-selects as sides",
    query:
      "SELECT a.id, b.project FROM edge_logs AS a LEFT JOIN (SELECT * FROM edge_logs WHERE id = 'x') AS b USING (id)",
    sql:
      "SELECT s3.c1_id AS o1, s4.c9_project AS o2 FROM (SELECT t1.`id` AS c1_id FROM `events_1` AS t1) AS s3 LEFT JOIN " +
      "(SELECT t2.`id` AS c6_id, t2.`c_project` AS c9_project FROM `events_1` AS t2 WHERE (t2.`id` = 'x')) AS s4 ON " +
      "(s3.c1_id = s4.c6_id)",
  },
  {
    name: "a LIKE pattern with the server's own escapes",
    query: "SELECT id FROM edge_logs WHERE event_message LIKE r'50\\%\\_a\\b%'",
    sql: "SELECT t1.`id` AS o1 FROM `events_1` AS t1 WHERE like(t1.`event_message`, '50\\\\%\\\\_ab%')",
  },
  {
    name: "arrays and structs within arrays of one element",
    query: "SELECT [1, NULL] AS a, STRUCT(1 AS x) AS s FROM edge_logs",
    sql:
      "SELECT CAST([[1::Int64, CAST(NULL, 'Nullable(Int64)')]], 'Array(Array(Nullable(Int64)))') AS o1, " +
      "CAST([tuple(1::Int64)], 'Array(Tuple(Nullable(Int64)))') AS o2 FROM `events_1` AS t1",
  },
  {
    name: "time bounds that are the same for every row as one value computed beforehand",
    query: `SELECT id FROM edge_logs WHERE timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL CASE @interval
      WHEN 'hourly' THEN 60 ELSE 7 * 24 * 60 END MINUTE) AND (@end = '' OR timestamp < CAST(@end AS TIMESTAMP))`,
    sql:
      "SELECT t1.`id` AS o1 FROM `events_1` AS t1 WHERE (t1.`timestamp` >= {k1:Nullable(Int64)}) AND " +
      "(({p2:Nullable(String)} = '') OR (t1.`timestamp` < {k2:Nullable(Int64)}))",
  },
  {
    name: "an expression without parameters as a parameter",
    query: "SELECT id FROM edge_logs WHERE timestamp > TIMESTAMP_SUB(TIMESTAMP '2026-08-20', INTERVAL 7 * 24 HOUR)",
    sql: "SELECT t1.`id` AS o1 FROM `events_1` AS t1 WHERE (t1.`timestamp` > {k1:Nullable(Int64)})",
  },
  {
    name: "a single quantile if only one is read, without a sub-query",
    query: `SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS hour, APPROX_QUANTILES(r.port, 100)[OFFSET(95)] AS p95
      FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r GROUP BY 1`,
    sql:
      "SELECT (t1.`timestamp` - positiveModulo(t1.`timestamp`, toInt64(3600000000))) AS o1, " +
      "quantileExactOrNull(0.949999999999)(t1.`c_port`) AS o2 FROM `events_1` AS t1 WHERE t1.`p_metadata` AND " +
      "t1.`p_request` GROUP BY o1",
  },
  {
    name: "patterns unchanged, unless a dot in them means something else",
    query: "SELECT id FROM edge_logs WHERE REGEXP_CONTAINS(id, '^[a-f]+') OR REGEXP_CONTAINS(id, 'a.b')",
    sql: "SELECT t1.`id` AS o1 FROM `events_1` AS t1 WHERE (match(t1.`id`, '^[a-f]+') OR match(t1.`id`, '(?-s)a.b'))",
  },
  {
    name: "patterns of the call, with flags only where a dot in them means something else",
    query: "SELECT id FROM edge_logs WHERE REGEXP_CONTAINS(id, @p)",
    sql:
      "SELECT t1.`id` AS o1 FROM `events_1` AS t1 WHERE match(t1.`id`, if(position({p1:Nullable(String)}, '.') > 0, " +
      "concat('(?-s)', {p1:Nullable(String)}), {p1:Nullable(String)}))",
  },
  {
    name: "averages of integers in 128 bits, with groups renamed and sorted",
    query: `SELECT project AS p, mean FROM (SELECT project, AVG(r.port) AS mean FROM edge_logs, UNNEST(metadata) AS m,
      UNNEST(m.request) AS r GROUP BY project) ORDER BY mean DESC LIMIT 3`,
    sql:
      "SELECT t1.`c_project` AS o1, avgOrNull(toInt128(t1.`c_port`)) AS o2 FROM `events_1` AS t1 WHERE t1.`p_metadata` " +
      "AND t1.`p_request` GROUP BY t1.`c_project` ORDER BY o2 DESC NULLS LAST LIMIT 3",
  },
  {
    name: "an expression over groups as an outer query",
    query: "SELECT project, n + 1 AS more FROM (SELECT project, COUNT(*) AS n FROM edge_logs GROUP BY project)",
    sql:
      "SELECT s2.c7_project AS o1, accurateCast((toInt128(s2.c6_count) + toInt128(1::Int64)), 'Nullable(Int64)') AS o2 " +
      "FROM (SELECT toInt64(count()) AS c6_count, t1.`c_project` AS c7_project FROM `events_1` AS t1 GROUP BY " +
      "t1.`c_project`) AS s2",
  },
];

describe("the ClickHouse compiler", () => {
  it.each(goldens)("prints $name", ({ query, sql }) => {
    const plan = planOf(compileText(query));
    expect(plan.kind === "whole" ? plan.statement.sql : plan.reasons).toBe(sql);
  });
});
