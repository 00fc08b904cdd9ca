import { describe, expect, it } from "vitest";
import { compileText } from "../../../../test/support/engines/duckdb/compile/compile-text.ts";

interface Golden {
  readonly name: string;
  readonly query: string;
  /** The SQL of each engine. */
  readonly sql: { readonly duckdb: string };
}

const goldens: readonly Golden[] = [
  {
    name: "a table with a filter on plain columns and the newest rows, flat",
    query:
      "SELECT id, timestamp FROM edge_logs WHERE project = @p AND timestamp > @t ORDER BY timestamp DESC LIMIT 100",
    sql: {
      duckdb:
        'SELECT t1."id" AS c1_id, t1."timestamp" AS c2_timestamp FROM "events_1" AS t1 ' +
        'WHERE (t1."c_project" = CAST($1 AS VARCHAR)) AND (t1."timestamp" > CAST($2 AS TIMESTAMP)) ' +
        "ORDER BY c2_timestamp DESC NULLS LAST LIMIT 100::BIGINT",
    },
  },
  {
    name: "UNNEST of single records as a presence test, and their fields as columns",
    query: "SELECT r.path FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r",
    sql: {
      duckdb: 'SELECT t1."c_path" AS c8_path FROM "events_1" AS t1 WHERE t1."p_metadata" AND t1."p_request"',
    },
  },
  {
    name: "an outer UNNEST of single records as nothing",
    query: "SELECT r.path FROM edge_logs LEFT JOIN UNNEST(metadata) AS m LEFT JOIN UNNEST(m.request) AS r",
    sql: { duckdb: 'SELECT t1."c_path" AS c8_path FROM "events_1" AS t1' },
  },
  {
    name: "a field that has no column from the JSON, by its whole path",
    query: "SELECT metadata[0].request[0].headers[0].rare FROM edge_logs",
    sql: {
      duckdb:
        'SELECT json_extract_string(t1."json_1", \'/0/request/0/headers/0/rare\') AS c6_rare FROM "events_1" AS t1',
    },
  },
  {
    name: "UNNEST of a repeated record over its JSON",
    query: "SELECT s.name FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.spans) AS s",
    sql: {
      duckdb:
        "SELECT json_extract_string(s2.c7_s, '/name') AS c8_name FROM (SELECT " +
        "unnest(CAST(json_extract(json_extract(t1.\"json_1\", '/0/spans'), '$[*]') AS VARCHAR[])) AS c7_s " +
        'FROM "events_1" AS t1 WHERE t1."p_metadata") AS s2',
    },
  },
  {
    name: "a key of GROUP BY by its position, as a column of a CTE too",
    query: "WITH a AS (SELECT UPPER(project) AS p, COUNT(*) AS n FROM edge_logs GROUP BY p) SELECT n, p FROM a",
    sql: {
      duckdb:
        'SELECT count(*) AS c9_count, (CASE WHEN strlen(t1."c_project") = length(t1."c_project") THEN ' +
        'upper(t1."c_project") ELSE lw_upper(t1."c_project") END) AS c8_p FROM "events_1" AS t1 GROUP BY 2',
    },
  },
  {
    name: "a CTE that is read once where it is read",
    query: "WITH a AS (SELECT project, timestamp AS t FROM edge_logs) SELECT project FROM a WHERE t > @since",
    sql: {
      duckdb:
        'SELECT t1."c_project" AS c6_project FROM "events_1" AS t1 WHERE (t1."timestamp" > CAST($1 AS TIMESTAMP))',
    },
  },
  {
    name: "a CTE that is read twice in WITH, with the columns that are read",
    query: "WITH a AS (SELECT id, project, metadata FROM edge_logs) SELECT x.id FROM a AS x JOIN a AS y USING (id)",
    sql: {
      duckdb:
        'WITH w1_a AS (SELECT t1."id" AS c1_id FROM "events_1" AS t1) ' +
        "SELECT s2.c1_id AS c6_id FROM w1_a AS s2 INNER JOIN w1_a AS s3 ON (s2.c1_id = s3.c1_id)",
    },
  },
  {
    name: "a recursive CTE",
    query: "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r",
    sql: {
      duckdb:
        "WITH RECURSIVE w1_r(c5_n, round) AS ((SELECT 1::BIGINT AS c5_n, 1::BIGINT AS round) UNION ALL " +
        ("(SELECT (s2.c3_n + 1::BIGINT) AS c5_n, CASE WHEN s2.c7_round <= 500 THEN s2.c7_round + 1 " +
          "ELSE [NULL][lw_fail({'a0': 'A recursive CTE ran more than 500 rounds'})] END AS round ") +
        ("FROM (SELECT CASE WHEN random() >= 0 THEN s1.c5_n END AS c3_n, s1.round AS c7_round FROM w1_r AS s1) " +
          "AS s2 WHERE (s2.c3_n < 3::BIGINT))) ") +
        "SELECT s3.c5_n AS c6_n FROM w1_r AS s3",
    },
  },
  {
    name: "grouping sets by position, and HAVING around them",
    query: "SELECT project, COUNT(*) AS n FROM edge_logs GROUP BY ROLLUP (project) HAVING n > 1",
    sql: {
      duckdb:
        "SELECT s2.c7_project AS c7_project, s2.c6_count AS c6_count FROM (SELECT count(*) AS c6_count, " +
        't1."c_project" AS c7_project FROM "events_1" AS t1 GROUP BY GROUPING SETS ((2), ())) AS s2 ' +
        "WHERE (s2.c6_count > 1::BIGINT)",
    },
  },
  {
    name: "a window function with its complete window, and QUALIFY around it",
    query:
      "SELECT id, ROW_NUMBER() OVER (PARTITION BY project ORDER BY timestamp DESC) AS n FROM edge_logs QUALIFY n = 1",
    sql: {
      duckdb:
        "SELECT s2.c1_id AS c1_id, s2.c6_row_number AS c6_row_number FROM (SELECT row_number() OVER " +
        '(PARTITION BY t1."c_project" ORDER BY t1."timestamp" DESC NULLS LAST) AS c6_row_number, t1."id" AS c1_id ' +
        'FROM "events_1" AS t1) AS s2 WHERE (s2.c6_row_number = 1::BIGINT)',
    },
  },
  {
    name: "DISTINCT with an order",
    query: "SELECT DISTINCT project FROM edge_logs ORDER BY project",
    sql: {
      duckdb: 'SELECT DISTINCT t1."c_project" AS c6_project FROM "events_1" AS t1 ORDER BY c6_project ASC NULLS FIRST',
    },
  },
  {
    name: "a set operation with every input in parentheses",
    query: "SELECT id FROM edge_logs EXCEPT DISTINCT SELECT project FROM edge_logs",
    sql: {
      duckdb:
        'SELECT u3.c11_id AS c11_id FROM ((SELECT t1."id" AS c11_id FROM "events_1" AS t1) EXCEPT ' +
        '(SELECT t2."c_project" AS c11_id FROM "events_1" AS t2)) AS u3',
    },
  },
  {
    name: "a union of constants as rows, which keep their order",
    query: "SELECT 1 AS a UNION ALL SELECT 2",
    sql: { duckdb: "SELECT u1.c3_a AS c3_a FROM (VALUES (1::BIGINT), (2::BIGINT)) AS u1(c3_a)" },
  },
  {
    name: "a correlated sub-query",
    query: "SELECT (SELECT COUNT(*) FROM edge_logs AS i WHERE i.project = o.project) AS n FROM edge_logs AS o",
    sql: {
      duckdb:
        'SELECT (SELECT count(*) AS c11_count FROM "events_1" AS t2 WHERE (t2."c_project" = t1."c_project")) AS c12_n ' +
        'FROM "events_1" AS t1',
    },
  },
  {
    name: "what is computed for the result after the limit",
    query: "SELECT event_message || '!' AS m FROM edge_logs ORDER BY timestamp LIMIT 1",
    sql: {
      duckdb:
        "SELECT (s2.c3_event_message || '!') AS c6_m FROM (SELECT " +
        't1."event_message" AS c3_event_message, t1."timestamp" AS c2_timestamp FROM "events_1" AS t1 ' +
        "ORDER BY c2_timestamp ASC NULLS FIRST LIMIT 1::BIGINT) AS s2 ORDER BY s2.c2_timestamp ASC NULLS FIRST",
    },
  },
  {
    name: "a column that is computed once and read twice",
    query: "SELECT p, p FROM (SELECT project || 'x' AS p FROM edge_logs) WHERE p > 'a'",
    sql: {
      duckdb:
        "SELECT s2.c6_p AS c6_p, s2.c6_p AS c7_p FROM (SELECT (t1.\"c_project\" || 'x') AS c6_p " +
        "FROM \"events_1\" AS t1) AS s2 WHERE (s2.c6_p > 'a')",
    },
  },
  {
    name: "a filtered side of an outer join as a sub-select",
    query:
      "SELECT a.id FROM edge_logs AS a LEFT JOIN (SELECT id FROM edge_logs WHERE project = 'p1') AS b ON a.id = b.id",
    sql: {
      duckdb:
        'SELECT t1."id" AS c1_id FROM "events_1" AS t1 LEFT JOIN (SELECT t2."id" AS c6_id FROM "events_1" AS t2 ' +
        'WHERE (t2."c_project" = \'p1\')) AS s3 ON (t1."id" = s3.c6_id)',
    },
  },
  {
    name: "a position that only has to be there as a search without counting",
    query:
      "SELECT COUNTIF(STRPOS(event_message, 'x') > 0) AS n, COUNTIF(STRPOS(event_message, 'x') > 1) AS m " +
      "FROM edge_logs",
    sql: {
      duckdb:
        "SELECT count(*) FILTER (WHERE (contains(t1.\"event_message\", 'x'))) AS c6_countif, " +
        'count(*) FILTER (WHERE ((strpos(t1."event_message", \'x\') > 1::BIGINT))) AS c7_countif FROM "events_1" AS t1',
    },
  },
  {
    name: "one quantile where one is read",
    query: "SELECT APPROX_QUANTILES(m.response.time, 100)[OFFSET(95)] AS p FROM edge_logs, UNNEST(metadata) AS m",
    sql: {
      duckdb:
        'SELECT s2.element_3 AS c8_p FROM (SELECT quantile_disc(t1."c_time", 0.950000000000000000) AS element_3 ' +
        'FROM "events_1" AS t1 WHERE t1."p_metadata") AS s2',
    },
  },
  {
    name: "a sample whose size may be a parameter",
    query: "SELECT id FROM edge_logs TABLESAMPLE SYSTEM (@rows ROWS)",
    sql: {
      duckdb:
        'SELECT t1."id" AS c1_id FROM "events_1" AS t1 ORDER BY random() ASC NULLS FIRST LIMIT least(' +
        "CASE WHEN (CAST($1 AS BIGINT) >= 0::BIGINT) THEN CAST($1 AS BIGINT) ELSE [NULL][lw_fail({'a0': " +
        "coalesce('The size of TABLESAMPLE is out of range', 'NULL')})] END, 2305843009213693952::BIGINT)",
    },
  },
  {
    name: "what is bound by WITH and read twice once",
    query: "SELECT WITH(a AS event_message || 'x', a || a) FROM edge_logs",
    sql: {
      duckdb:
        "SELECT list_transform([{'v': (t1.\"event_message\" || 'x')}], lambda vc6_a: (vc6_a.v || " +
        'vc6_a.v))[1] AS c7_f0 FROM "events_1" AS t1',
    },
  },
  {
    name: "the same quantile read in two ways once",
    query:
      "SELECT q[SAFE_OFFSET(95)] AS a, q[SAFE_ORDINAL(96)] AS b FROM (SELECT " +
      "APPROX_QUANTILES(m.response.time, 100) AS q FROM edge_logs, UNNEST(metadata) AS m)",
    sql: {
      duckdb:
        "SELECT s2.element_3 AS c8_a, s2.element_3 AS c9_b FROM (SELECT " +
        'quantile_disc(t1."c_time", 0.950000000000000000) AS element_3 FROM "events_1" AS t1 ' +
        'WHERE t1."p_metadata") AS s2',
    },
  },
  {
    name: "filters of both sides of an inner join as filters of the join",
    query:
      "SELECT a.id, b.id FROM (SELECT id FROM edge_logs WHERE project = 'p2') AS a JOIN " +
      "(SELECT id FROM edge_logs WHERE project = 'p1' ORDER BY id) AS b ON a.id = b.id",
    sql: {
      duckdb:
        'SELECT t1."id" AS c1_id, t2."id" AS c6_id FROM "events_1" AS t1 INNER JOIN "events_1" ' +
        'AS t2 ON (t1."id" = t2."id") WHERE (t1."c_project" = \'p2\') AND (t2."c_project" = \'p1\')',
    },
  },
  {
    name: "what is computed on the side that an outer join keeps where it is read",
    query:
      "SELECT a.u, b.id FROM (SELECT id, UPPER(id) AS u FROM edge_logs) AS a LEFT JOIN " +
      "edge_logs AS b ON a.id = b.id",
    sql: {
      duckdb:
        'SELECT (CASE WHEN strlen(t1."id") = length(t1."id") THEN upper(t1."id") ELSE ' +
        'lw_upper(t1."id") END) AS c6_u, t2."id" AS c7_id FROM "events_1" AS t1 LEFT JOIN ' +
        '"events_1" AS t2 ON (t1."id" = t2."id")',
    },
  },
  {
    name: "DISTINCT apart from a count of its rows",
    query: "SELECT COUNT(*) FROM (SELECT DISTINCT project, id FROM edge_logs)",
    sql: {
      duckdb:
        'SELECT count(*) AS c8_count FROM (SELECT DISTINCT t1."c_project" AS c6_project, t1."id" ' +
        'AS c7_id FROM "events_1" AS t1) AS s2',
    },
  },
  {
    name: "a field through a union from its column on both sides",
    query:
      "SELECT m.request.path FROM (SELECT m FROM edge_logs, UNNEST(metadata) AS m UNION ALL " +
      "SELECT m FROM edge_logs, UNNEST(metadata) AS m)",
    sql: {
      duckdb:
        'SELECT u3.leaf_4 AS c14_path FROM ((SELECT t1."c_path" AS leaf_4 FROM "events_1" AS t1 ' +
        'WHERE t1."p_metadata") UNION ALL (SELECT t2."c_path" AS leaf_4 FROM "events_1" AS t2 ' +
        'WHERE t2."p_metadata")) AS u3',
    },
  },
  {
    name: "a sub-query in a branch over no rows where the branch is not taken",
    query: "SELECT CASE WHEN project = 'a' THEN (SELECT ERROR('x') FROM edge_logs) ELSE 'b' END " + "FROM edge_logs",
    sql: {
      duckdb:
        "SELECT CASE WHEN (s2.c4_project = 'a') THEN CAST((SELECT [NULL][lw_fail({'a0': " +
        "coalesce('x', 'NULL')})] AS c11_f0 FROM \"events_1\" AS t3 WHERE s2.c13_taken) " +
        "AS VARCHAR) ELSE 'b' END AS c12_f0 FROM (SELECT " +
        't1."c_project" AS c4_project, CASE WHEN (t1."c_project" = \'a\') THEN true ELSE false END ' +
        'AS c13_taken FROM "events_1" AS t1) AS s2',
    },
  },
  {
    name: "a WITH table of a sub-query that stands alone before the statement",
    query:
      "SELECT id IN (WITH a AS (SELECT id FROM edge_logs) SELECT x.id FROM a AS x JOIN a AS y " +
      "USING (id)) FROM edge_logs",
    sql: {
      duckdb:
        'WITH w1_a AS (SELECT t2."id" AS c6_id FROM "events_1" AS t2) SELECT (t1."id" IN (SELECT ' +
        "s3.c6_id AS c11_id FROM w1_a AS s3 INNER JOIN w1_a AS s4 ON (s3.c6_id = s4.c6_id))) AS " +
        'c13_f0 FROM "events_1" AS t1',
    },
  },
];

describe("the DuckDB compiler", () => {
  it.each(goldens)("prints $name", ({ query, sql }) => {
    expect(compileText(query).sql).toBe(sql.duckdb);
  });

  it("prints the same statement for the same query", () => {
    for (const { query } of goldens) expect(compileText(query)).toEqual(compileText(query));
  });
});
