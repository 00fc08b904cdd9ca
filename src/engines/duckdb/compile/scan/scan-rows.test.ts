/** Scans that need more than their own clause on DuckDB, by the rows that they answer. */
import { type Case, type Failure, testRows } from "../../../../../test/support/engines/duckdb/compile/row-cases.ts";

const nan = "CAST('NaN' AS FLOAT64)";
const oneOf = (id: string) => `(SELECT metadata FROM edge_logs WHERE id = '${id}')`;

const cases: Readonly<Record<string, readonly Case[]>> = {
  "DISTINCT rows sorted by a number that may be NaN": [
    [
      `SELECT DISTINCT y, x FROM UNNEST([STRUCT('b' AS y, ${nan} AS x), ('a', 1.5), ('a', 1.5), ('a', ${nan})]) ORDER BY y, x`,
      '[["a","NaN"],["a",1.5],["b","NaN"]]',
    ],
  ],
  "DISTINCT rows sorted by a number of a sub-query": [
    [
      "SELECT DISTINCT (SELECT CAST(y AS FLOAT64) FROM UNNEST([x, 9]) AS y LIMIT 1) AS v, 'k' AS k " +
        "FROM UNNEST([2, 1, 2]) AS x ORDER BY k, v",
      '[[1,"k"],[2,"k"]]',
    ],
  ],
  "rows sorted by a constant, too": [
    [
      "SELECT ARRAY(SELECT y FROM (SELECT 'k' AS k, y FROM UNNEST([x, 3]) AS y) ORDER BY k, y DESC) FROM UNNEST([1]) AS x",
      "[[[3,1]]]",
    ],
    [
      "SELECT ARRAY_AGG(x ORDER BY k, x DESC), ARRAY_AGG(x ORDER BY x DESC)[OFFSET(0)] FROM (SELECT 'k' AS k, x FROM UNNEST([1, 3, 2]) AS x)",
      "[[[3,2,1],3]]",
    ],
  ],
  "NULL instead of what a missing row of a join would compute": [
    [
      "SELECT a.id, b.two FROM edge_logs AS a LEFT JOIN (SELECT id, 2 AS two FROM edge_logs) AS b " +
        "ON a.id = b.id AND a.id = 'a' ORDER BY a.id",
      '[["a",2],["b",null],["c",null],["d",null]]',
    ],
    [
      "SELECT a.one, b.two, COUNT(*) FROM (SELECT id, 1 AS one FROM edge_logs) AS a " +
        "FULL JOIN (SELECT id, 2 AS two FROM edge_logs) AS b ON a.id = b.id AND b.id = 'a' GROUP BY 1, 2 ORDER BY 1, 2",
      "[[null,2,3],[1,null,3],[1,2,1]]",
    ],
    [
      "SELECT a.id, b.m FROM edge_logs AS a LEFT JOIN (SELECT id, IFNULL(event_message, 'none') AS m FROM edge_logs " +
        "ORDER BY timestamp LIMIT 1) AS b ON a.id = b.id ORDER BY a.id LIMIT 2",
      '[["a","first"],["b",null]]',
    ],
  ],
  "rows after an OFFSET without a limit": [
    [
      "SELECT x FROM (SELECT x FROM UNNEST([1, 2, 3, 4]) AS x ORDER BY x LIMIT ALL OFFSET 1) WHERE x > 2 " +
        "ORDER BY x LIMIT ALL OFFSET 1",
      "[[4]]",
    ],
    ["SELECT COUNT(*) FROM ((SELECT 1 AS x LIMIT ALL OFFSET 1) UNION ALL (SELECT 2))", "[[1]]"],
    ["SELECT COUNT(*) FROM ((SELECT 1 AS x LIMIT 0) UNION ALL (SELECT 2) UNION ALL (SELECT 3 LIMIT 0))", "[[1]]"],
  ],
  "leaves of records of a UNION ALL": [
    [
      "SELECT m.request.path AS p, COUNT(*) FROM (SELECT metadata FROM edge_logs UNION ALL SELECT metadata FROM edge_logs " +
        "WHERE id = 'a'), UNNEST(metadata) AS m GROUP BY p ORDER BY p",
      '[["/a",3],["/b",1]]',
    ],
    [
      "SELECT x.request.path, y.request.path FROM (SELECT a.metadata AS l, b.metadata AS r FROM edge_logs AS a, " +
        "edge_logs AS b WHERE a.id = 'a' AND b.id = 'b' UNION ALL SELECT a.metadata, b.metadata FROM edge_logs AS a, " +
        "edge_logs AS b WHERE a.id = 'b' AND b.id = 'b'), UNNEST(l) AS x, UNNEST(r) AS y ORDER BY 1",
      '[["/a","/b"],["/b","/b"]]',
    ],
    [
      `SELECT m.request.path, m.request.headers.rare FROM (SELECT metadata FROM edge_logs WHERE id = 'c' UNION ALL ` +
        `SELECT ${oneOf("a")}), UNNEST(metadata) AS m ORDER BY 2`,
      '[["/a","r1"],["/a","r3"]]',
    ],
  ],
  "all columns of a set operation that compares rows": [
    ["SELECT COUNT(*) FROM (SELECT 1 AS a, 2 AS b UNION DISTINCT SELECT 1, 3)", "[[2]]"],
    ["SELECT a FROM (SELECT 1 AS a, 2 AS b EXCEPT DISTINCT SELECT 1, 3)", "[[1]]"],
    ["SELECT a FROM (SELECT DISTINCT a, b FROM UNNEST([STRUCT(1 AS a, 2 AS b), (1, 3), (1, 3)]))", "[[1],[1]]"],
    [
      "SELECT a FROM (SELECT DISTINCT a, b FROM UNNEST([STRUCT(1 AS a, 2 AS b), (1, 3)]) UNION ALL SELECT 1, 2)",
      "[[1],[1],[1]]",
    ],
    ["SELECT COUNT(*) FROM (SELECT project FROM edge_logs GROUP BY project)", "[[2]]"],
    ["SELECT COUNT(*) FROM (SELECT COUNT(*) AS n, MAX(id) FROM edge_logs)", "[[1]]"],
    ["SELECT COUNT(*) FROM UNNEST([1, 2]) GROUP BY GROUPING SETS ((), ())", "[[2],[2]]"],
  ],
  "each unpaired row of a FULL JOIN in a correlated sub-query": [
    [
      "SELECT (SELECT STRING_AGG(CONCAT(IFNULL(b, '-'), IFNULL(c, '-')), ' ' ORDER BY b, c) FROM UNNEST(['x', 'y']) AS b " +
        "FULL JOIN UNNEST(['y', 'z', 'w']) AS c ON b = c AND e.id < 'c') FROM edge_logs AS e WHERE id IN ('a', 'd') ORDER BY id",
      '[["-w -z x- yy"],["-w -y -z x- y-"]]',
    ],
  ],
  "aggregates of a query around theirs": [
    [
      "SELECT (SELECT STRING_AGG(e.id, @p) FROM UNNEST([1, 2])) FROM edge_logs AS e ORDER BY id LIMIT 1",
      '[["a-a"]]',
      { p: "-" },
    ],
    ["SELECT (SELECT STRING_AGG(e.id, '+') FROM UNNEST([1, 2])) FROM edge_logs AS e ORDER BY id LIMIT 1", '[["a+a"]]'],
    [
      "SELECT (SELECT COVAR_POP(e.a, e.b) FROM UNNEST([1, 2])), (SELECT MAX_BY(e.a, e.b) FROM UNNEST([1, 2])), " +
        "(SELECT APPROX_TOP_SUM(e.a, e.b, 1) FROM UNNEST([1, 2])) FROM UNNEST([STRUCT(1.5 AS a, 2.5 AS b)]) AS e",
      "[[0,1.5,[[1.5,5]]]]",
    ],
    [
      "SELECT ARRAY(SELECT SUM(x * e) OVER (ORDER BY x) FROM UNNEST([1, 2]) AS x) FROM UNNEST([1, 10]) AS e ORDER BY e",
      "[[[1,3]],[[10,30]]]",
    ],
    [
      "SELECT (SELECT COUNT(*) FROM UNNEST(['x', 'y']) AS b JOIN UNNEST(['x', 'z']) AS c ON b LIKE ANY (c, e)) " +
        "FROM UNNEST(['q', 'y']) AS e ORDER BY e",
      "[[1],[3]]",
    ],
  ],
  "DISTINCT values in the order of a query around": [
    [
      "SELECT (SELECT STRING_AGG(DISTINCT e.id, ',' ORDER BY e.id) FROM UNNEST([1, 2])) FROM edge_logs AS e ORDER BY id LIMIT 1",
      '[["a"]]',
    ],
    [
      "SELECT (SELECT STRING_AGG(DISTINCT x, ',' ORDER BY x DESC) FROM UNNEST([e.id, 'b']) AS x) FROM edge_logs AS e ORDER BY id LIMIT 1",
      '[["b,a"]]',
    ],
    ["SELECT DISTINCT ROUND(RAND() * 0) AS r FROM UNNEST([1, 2, 3]) ORDER BY r", "[[0]]"],
    ["SELECT APPROX_TOP_COUNT(x, 1)[OFFSET(0)].value FROM UNNEST([1, 3, 3]) AS x", "[[3]]"],
  ],
  "FULL JOINs that read a variable": [
    [
      "SELECT WITH(v AS x + 1, (SELECT COUNT(*) FROM UNNEST([1, 2]) AS a FULL JOIN UNNEST([2]) AS b ON a = b AND v + v > 4)) " +
        "FROM UNNEST([1, 2]) AS x ORDER BY x",
      "[[3],[2]]",
    ],
  ],
  "aggregates over nothing of their own": [
    ["SELECT (SELECT SUM(e) + SUM(x) FROM UNNEST([1, 2]) AS x) FROM UNNEST([10]) AS e", "[[23]]"],
    ["SELECT (SELECT SUM(e) FROM (SELECT x + 1 AS y FROM UNNEST([1, 2]) AS x)) FROM UNNEST([10]) AS e", "[[20]]"],
    [
      "SELECT (SELECT STRING_AGG(x, ',' ORDER BY e, x DESC) FROM UNNEST(['p', 'q']) AS x) FROM UNNEST([1, 2]) AS e",
      '[["q,p"],["q,p"]]',
    ],
    [
      "SELECT ARRAY(SELECT MAX(x) FROM UNNEST([e, 3]) AS x GROUP BY GROUPING SETS ((), (), ())) FROM UNNEST([1, 5]) AS e " +
        "ORDER BY e",
      "[[[3,3,3]],[[5,5,5]]]",
    ],
  ],
  "outer joins by sub-queries": [
    [
      "SELECT a, b FROM UNNEST([1, 2]) AS a RIGHT JOIN UNNEST([2, 3]) AS b " +
        "ON a < b AND EXISTS (SELECT 1 FROM UNNEST([5]) AS c WHERE c = a + b) ORDER BY b",
      "[[null,2],[2,3]]",
    ],
    [
      "SELECT a, b FROM UNNEST([1, 2]) AS a FULL JOIN UNNEST([2, 3]) AS b " +
        "ON EXISTS (SELECT 1 FROM UNNEST([5]) AS c WHERE c = a + b) ORDER BY a, b",
      "[[null,2],[1,null],[2,3]]",
    ],
    [
      "SELECT a, b FROM UNNEST([1, 2]) AS a LEFT JOIN UNNEST([2, 3]) AS b " +
        "ON a = 1 AND (SELECT MAX(c) FROM UNNEST([b]) AS c) = 3 ORDER BY a",
      "[[1,3],[2,null]]",
    ],
  ],
  "definitions that others read": [
    [
      "WITH v AS (SELECT id, event_message AS m FROM edge_logs), " +
        "w AS (SELECT a.id, b.m FROM v AS a JOIN v AS b USING (id)) SELECT COUNT(x.m), MIN(y.m) FROM w AS x JOIN w AS y USING (id)",
      '[[4,"first"]]',
    ],
  ],
  "elements of arrays with their places, also of missing ones": [
    [
      "SELECT a, b, o FROM UNNEST([1, 2, 3] AS a, ['x'] AS b, mode => 'PAD') WITH OFFSET AS o ORDER BY o",
      '[[1,"x",0],[2,null,1],[3,null,2]]',
    ],
    ["SELECT a, b, o FROM UNNEST([1, 2] AS a, ['x'] AS b, mode => 'TRUNCATE') WITH OFFSET AS o", '[[1,"x",0]]'],
    [
      "SELECT i, a, o FROM (SELECT 1 AS i, [5, 6] AS l UNION ALL SELECT 2, []) LEFT JOIN UNNEST(l) AS a WITH OFFSET AS o ORDER BY i, o",
      "[[1,5,0],[1,6,1],[2,null,null]]",
    ],
    [
      "SELECT i, a, o FROM (SELECT 1 AS i, [5, 6] AS l UNION ALL SELECT 2, [4]) LEFT JOIN UNNEST(l) AS a WITH OFFSET AS o " +
        "ON a > 5 OR o > 5 ORDER BY i",
      "[[1,6,1],[2,null,null]]",
    ],
    [
      "SELECT ARRAY(SELECT CONCAT(a, b) FROM UNNEST(l) AS a, UNNEST(l) AS b), ARRAY(SELECT a FROM UNNEST(l) AS a " +
        "WITH OFFSET AS o WHERE o > 0), (SELECT STRING_AGG(CONCAT(a, b), ' ') FROM UNNEST(l) AS a, UNNEST(l) AS b) FROM (SELECT ['y', 'x', 'z'] AS l)",
      '[[["yy","yx","yz","xy","xx","xz","zy","zx","zz"],["x","z"],"yy yx yz xy xx xz zy zx zz"]]',
    ],
  ],
  "elements of arrays that have to be as long as each other": [
    ["SELECT a, b FROM UNNEST([1, 2] AS a, ['x', 'y'] AS b, mode => 'STRICT') ORDER BY a", '[[1,"x"],[2,"y"]]'],
  ],
  "recursions whose step hides the rows before it": [
    [
      "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL (FROM r |> WHERE n < 3 |> AGGREGATE MAX(n) + 1 AS n |> WHERE n > 0)) " +
        "SELECT n FROM r ORDER BY n",
      "[[1],[2],[3]]",
    ],
    [
      "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL (FROM r |> WHERE n < 3 |> AGGREGATE COUNT(*) AS c GROUP BY n " +
        "|> SELECT n + c AS n)) SELECT n FROM r ORDER BY n",
      "[[1],[2],[3]]",
    ],
  ],
};

const failures: readonly Failure[] = [
  [
    "SELECT a, b FROM UNNEST([1, 2] AS a, ['x'] AS b, mode => 'STRICT')",
    "Unnested arrays under STRICT mode must have equal lengths",
  ],
];

testRows("on DuckDB a scan answers", cases, failures);
