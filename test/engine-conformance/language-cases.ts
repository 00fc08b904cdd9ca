/** The constructs of the language over stored rows, forms of values, and parameters. */
import { strict as assert } from "node:assert";
import { arrayOf, INT64, STRING, TIMESTAMP } from "../../src/googlesql/types.ts";
import { readText } from "./bench.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { queryCase } from "./stored-events.ts";

/** Variables that each read the one before several times: the last is 1 + 2 + 4 ... modulo 1000. */
const chainOfVariables = Array.from({ length: 40 }, (_, i) =>
  i === 0 ? "v0 AS ABS(x)" : `v${i} AS MOD(v${i - 1} + v${i - 1} + 1, 1000)`,
).join(", ");
/** The operand of each is computed once, inside the branch of the one before. */
const nestedCases = (depth: number) =>
  Array.from({ length: depth }, (_, i) => depth - i).reduce(
    (inner, i) => `CASE x * x + ${i} WHEN 1 THEN -1 WHEN 42 THEN ${i} ELSE ${inner} END`,
    "0",
  );

export const languageCases: readonly ConformanceCase[] = [
  queryCase(
    "long chains of variables, and deep ones",
    `SELECT WITH(${chainOfVariables}, v39) AS chain, ${nestedCases(24)} AS nested FROM UNNEST([1, 5, 20]) AS x ORDER BY x`,
    [
      { chain: 775, nested: 0 },
      { chain: 327, nested: 17 },
      { chain: 647, nested: 0 },
    ],
  ),
  queryCase(
    "deep variables in the condition of an outer join",
    `SELECT x, y FROM UNNEST([6, 7]) AS x LEFT JOIN (SELECT 1 AS y) ON ${nestedCases(10)} = y + 5 ORDER BY x`,
    [
      { x: 6, y: 1 },
      { x: 7, y: null },
    ],
  ),
  queryCase(
    "variables that read those before them, beside a sub-query and under another name",
    "SELECT WITH(a AS ABS(x), b AS a + a, c AS (SELECT MAX(y) FROM UNNEST([a, b, x]) AS y) + b, d AS a, " +
      "e AS MOD(d + c + b, 7), [a, b, c, d, d, e, e]) AS v FROM UNNEST([-3, 2]) AS x ORDER BY x",
    [{ v: [3, 6, 12, 3, 3, 0, 0] }, { v: [2, 4, 8, 2, 2, 0, 0] }],
  ),
  queryCase(
    "groups, including NULL, in the requested order",
    "SELECT host, COUNT(*) AS n, MAX(ms) AS top, COUNTIF(ok) AS good FROM calls GROUP BY host ORDER BY host NULLS LAST",
    [
      { host: "a", n: 2, top: 30, good: 1 },
      { host: "b", n: 2, top: 20, good: 1 },
      { host: null, n: 1, top: 2.5, good: 0 },
    ],
  ),
  queryCase("an aggregate over no rows, once", "SELECT COUNT(*) AS n, SUM(ms) AS s FROM calls WHERE FALSE", [
    { n: 0, s: null },
  ]),
  queryCase(
    "left-join rows without a match",
    "SELECT l.id, r.id AS other FROM calls l LEFT JOIN calls r ON l.host = r.host AND r.ms > l.ms ORDER BY l.id",
    [
      { id: "0", other: "1" },
      { id: "1", other: null },
      { id: "2", other: null },
      { id: "3", other: null },
      { id: "4", other: null },
    ],
  ),
  queryCase(
    "a window over ordered partitions",
    "SELECT id, ROW_NUMBER() OVER (PARTITION BY host ORDER BY ms DESC, id) AS place FROM calls ORDER BY id",
    [2, 1, 1, 2, 1].map((place, id) => ({ id: `${id}`, place })),
  ),
  queryCase(
    "windows that count a field that nothing else reads",
    "SELECT COUNT(ok) OVER () AS n, COUNT(host) OVER (ORDER BY ms ROWS UNBOUNDED PRECEDING) AS upTo FROM calls " +
      "ORDER BY upTo",
    [0, 1, 2, 3, 4].map((upTo) => ({ n: 3, upTo })),
  ),
  queryCase(
    "what may fail only for rows that UNNEST leaves out",
    "SELECT DIV(10, IF(ok, 1, 0)) AS n FROM calls, UNNEST(IF(ok, [1, 2], [])) AS x WHERE DIV(20, IF(ok, 2, 0)) = 10",
    Array.from({ length: 4 }, () => ({ n: 10 })),
  ),
  queryCase(
    "elements that may fail only for rows that a condition leaves out",
    "SELECT c.id, n, m FROM calls AS c, UNNEST([DIV(10, IF(c.ok, 1, 0)), 7]) AS n WITH OFFSET AS o, " +
      "UNNEST([n, MOD(n, IF(c.ok, 3, 0))]) AS m WHERE c.ok AND o < 1 AND m < 5 ORDER BY c.id",
    [
      { id: "0", n: 10, m: 1 },
      { id: "2", n: 10, m: 1 },
    ],
  ),
  queryCase(
    "a join with elements that may fail only for rows that a later condition leaves out",
    "FROM calls AS c |> JOIN UNNEST([1, 2]) AS n ON c.ok AND DIV(2, IF(c.ok, n, 0)) = 2 |> EXTEND n + 1 AS m " +
      "|> JOIN UNNEST([DIV(m, IF(c.ok, 1, 0))]) AS d |> WHERE c.ok AND m = 2 |> SELECT id, d |> ORDER BY id",
    [
      { id: "0", d: 2 },
      { id: "2", d: 2 },
    ],
  ),
  queryCase(
    "sub-queries without FROM, which may fail only for rows that there are not",
    "SELECT id, (SELECT DIV(1, 0)) AS n, (SELECT (SELECT ms)) AS m FROM (SELECT * FROM calls ORDER BY id LIMIT 0)",
    [],
  ),
  queryCase(
    "a list that may fail only for rows that a condition leaves out, which may fail too",
    "SELECT id, k FROM calls, UNNEST(GENERATE_ARRAY(1, DIV(2, IF(ok, 1, 0)))) AS k " +
      "WHERE DIV(10, IF(ok, 1, 2)) = 10 AND k > DIV(1, k) ORDER BY id",
    [
      { id: "0", k: 2 },
      { id: "2", k: 2 },
    ],
  ),
  queryCase(
    "an array that may fail only for rows that a sub-query leaves out",
    "SELECT n FROM (SELECT ok FROM calls WHERE ok) AS t, UNNEST([DIV(10, IF(t.ok, 1, 0)), 7]) AS n " +
      "WHERE n > 5 GROUP BY n ORDER BY n",
    [{ n: 7 }, { n: 10 }],
  ),
  queryCase(
    "what may fail only for rows that AND and OR have not decided",
    "SELECT COUNTIF(ms > 10 AND DIV(10, IF(ms > 10, 1, 0)) > 2) AS n, COUNTIF(ms <= 10 OR 1 / IF(ms > 10, 1, 0) > 2) AS m " +
      "FROM calls",
    [{ n: 3, m: 2 }],
  ),
  queryCase(
    "fields of structs that the query makes of columns, on both sides of joins and through CTEs",
    "WITH v AS (SELECT AS STRUCT id, STRUCT(host AS h, ms) AS s FROM calls), w AS (SELECT v.s AS s, v.id FROM v) " +
      "SELECT v.id, w.s.h AS host, o.s.ms AS ms, (SELECT COUNT(*) FROM calls AS c WHERE c.host = w.s.h) AS n FROM v " +
      "JOIN w ON w.id = v.id LEFT JOIN v AS o ON o.id = v.id AND o.s.ms > 10 WHERE v.s.h IS NOT NULL ORDER BY v.id",
    [
      { id: "0", host: "a", ms: null, n: 2 },
      { id: "1", host: "a", ms: 30, n: 2 },
      { id: "2", host: "b", ms: 20, n: 2 },
      { id: "3", host: "b", ms: 20, n: 2 },
    ],
  ),
  queryCase(
    "a star of an expression, which is computed once for each row",
    "SELECT COUNTIF(a != b) + COUNTIF(c != d) AS n FROM (SELECT IF(RAND() < 0.5, STRUCT(1 AS a, 1 AS b), (2, 2)).*, " +
      "(SELECT AS STRUCT r AS c, r AS d FROM (SELECT RAND() AS r)).* FROM UNNEST(GENERATE_ARRAY(1, 50)))",
    [{ n: 0 }],
  ),
  queryCase(
    "a star of a record, which is computed once for each row",
    "SELECT COUNTIF((path IS NOT NULL) != (IFNULL(ARRAY_LENGTH(tags), 0) = 2)) AS n FROM (SELECT IF(RAND() < 0.5, r, NULL).* " +
      "FROM forms AS t, UNNEST(t.metadata) AS m, UNNEST(m.request) AS r, UNNEST(GENERATE_ARRAY(1, 50)) WHERE r.path = '/a')",
    [{ n: 0 }],
  ),
  queryCase(
    "stars of aggregates, of groups and of window functions",
    "SELECT STRUCT(MAX(ms) AS top, COUNT(*) AS n).*, STRUCT(host, LENGTH(host) AS l).* EXCEPT (l), " +
      "STRUCT(SUM(COUNT(*)) OVER () AS w, 1 AS o).* FROM calls GROUP BY host HAVING n > 1 ORDER BY top",
    [
      { top: 20, n: 2, host: "b", w: 4, o: 1 },
      { top: 30, n: 2, host: "a", w: 4, o: 1 },
    ],
  ),
  queryCase(
    "structs as rows",
    "SELECT AS STRUCT host, COUNT(*) AS n FROM (SELECT AS STRUCT * FROM calls) AS v GROUP BY host ORDER BY host",
    [
      { host: null, n: 1 },
      { host: "a", n: 2 },
      { host: "b", n: 2 },
    ],
  ),
  queryCase(
    "a sub-query that reads the row around it",
    "SELECT c.id FROM calls c WHERE EXISTS (SELECT 1 FROM calls d WHERE d.host = c.host AND d.ms > c.ms) ORDER BY id",
    [{ id: "0" }],
  ),
  queryCase(
    "common table expressions, unions and pages",
    "WITH both AS (SELECT id FROM calls UNION ALL SELECT id FROM forms) SELECT id FROM both ORDER BY id LIMIT 3 OFFSET 1",
    [{ id: "0" }, { id: "1" }, { id: "1" }],
  ),
  queryCase("pipe syntax", "FROM calls |> WHERE ms >= 10 |> AGGREGATE COUNT(*) AS n GROUP BY host |> ORDER BY host", [
    { host: "a", n: 2 },
    { host: "b", n: 2 },
  ]),
  queryCase(
    "comparison with NULL as unknown",
    "SELECT id FROM calls WHERE NOT (host = 'a') OR host IS NULL ORDER BY id",
    [{ id: "2" }, { id: "3" }, { id: "4" }],
  ),
  queryCase(
    "times to the microsecond",
    "SELECT timestamp, TIMESTAMP_TRUNC(timestamp, SECOND) AS second, FORMAT_TIMESTAMP('%F %E6S', timestamp) AS text " +
      "FROM calls WHERE id = '3'",
    [{ timestamp: 3_000_003, second: 3_000_000, text: "1970-01-01 03.000003" }],
  ),
  queryCase(
    "values of each type as objects",
    "SELECT 9007199254740991 AS i, 9007199254740992 + 1 AS big, 1.5 AS f, NUMERIC '1.10' AS n, b'\\x00\\xff' AS b, " +
      "DATE '2026-08-20' AS d, DATETIME '2026-08-20 09:00:00.000001' AS dt, TRUE AS t, [1, 2] AS a, " +
      "STRUCT(1 AS x, 'y' AS y) AS s, JSON '{\"k\": [1, null]}' AS j, CAST(NULL AS ARRAY<INT64>) AS na, " +
      "CAST('nan' AS FLOAT64) AS nan",
    [
      {
        i: 9007199254740991,
        big: "9007199254740993",
        f: 1.5,
        n: "1.1",
        b: "AP8=",
        d: "2026-08-20",
        dt: "2026-08-20T09:00:00.000001",
        t: true,
        a: [1, 2],
        s: { x: 1, y: "y" },
        j: { k: [1, null] },
        na: [],
        nan: "NaN",
      },
    ],
  ),
  queryCase(
    "values as cells",
    "SELECT STRUCT(1 AS x, 'y' AS y) AS s, JSON '{\"k\":1}' AS j, CAST(NULL AS ARRAY<INT64>) AS na, NULL AS n",
    [[[1, "y"], '{"k":1}', null, null]],
    { encoding: "cells" },
  ),
  queryCase(
    "with parameters of each form, used once and twice",
    "SELECT @s AS s, @n + @n AS n, @t AS t, ARRAY_LENGTH(@a) AS a, @none IS NULL AS none",
    [{ s: "x", n: 14, t: 5, a: 2, none: true }],
    {
      parameters: {
        s: { type: STRING, value: "x" },
        n: { type: INT64, value: "7" },
        t: { type: TIMESTAMP, value: "5" },
        a: { type: arrayOf(INT64), value: ["1", null] },
        none: { type: STRING, value: null },
      },
    },
  ),
  {
    name: "fails in the same words",
    async run(bench) {
      for (const [text, message] of [
        ["SELECT 1 / x FROM UNNEST([0]) AS x", "division by zero"],
        ["SELECT 1 << x FROM UNNEST([-1]) AS x", "Bitwise shift by a negative number"],
        [
          "SELECT DATE_TRUNC(x, WEEK) FROM UNNEST([DATE '0001-01-01']) AS x",
          "Truncating to WEEK leaves the range of dates",
        ],
        [
          "SELECT TIMESTAMP_ADD(TIMESTAMP '9999-12-31', INTERVAL x DAY) FROM UNNEST([5]) AS x",
          "The result of adding or subtracting an INTERVAL is out of the range of its type",
        ],
      ] as const) {
        await assert.rejects(bench.ask(text), { code: "query_failed", message });
      }
    },
  },
  {
    name: "runs a query compiled once with different values",
    async run(bench) {
      const query = bench.compile("SELECT @n * 2 AS d", new Map([["n", INT64]]));
      for (const [value, answer] of [
        ["1", 2],
        ["21", 42],
      ] as const) {
        const text = await readText(await bench.startCompiled(query, { parameters: { n: { type: INT64, value } } }));
        assert.deepEqual(JSON.parse(text), [{ d: answer }]);
      }
    },
  },
];
