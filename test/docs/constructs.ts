/**
 * A construct of the query language, and a query that uses it. Whether an engine has it is found out by compiling the
 * query.
 */
export interface Construct {
  readonly name: string;
  readonly query: string;
}

const numbers = "(SELECT 1 AS a, 2 AS b, 'x' AS c)";

/** In the order of the reference's pages: query syntax, pipe syntax, expressions, literals. */
export const constructs: readonly Construct[] = [
  { name: "SELECT without FROM", query: "SELECT 1 AS a" },
  { name: "SELECT DISTINCT", query: `SELECT DISTINCT a FROM ${numbers}` },
  { name: "SELECT AS STRUCT", query: "SELECT ARRAY(SELECT AS STRUCT 1 AS a, 2 AS b)" },
  { name: "SELECT AS VALUE", query: "SELECT AS VALUE STRUCT(1 AS a, 2 AS b)" },
  { name: "SELECT * EXCEPT", query: `SELECT * EXCEPT (a) FROM ${numbers}` },
  { name: "SELECT * REPLACE", query: `SELECT * REPLACE (a + 1 AS a) FROM ${numbers}` },
  { name: "expression.*", query: "SELECT s.* FROM (SELECT STRUCT(1 AS a, 2 AS b) AS s)" },
  { name: "WITH", query: "WITH t AS (SELECT 1 AS a) SELECT a FROM t" },
  {
    name: "WITH RECURSIVE",
    query: "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT n FROM t",
  },
  {
    name: "INNER, LEFT, RIGHT and FULL JOIN with ON",
    query: `SELECT 1 FROM ${numbers} x FULL JOIN ${numbers} y ON x.a = y.a`,
  },
  {
    name: "FULL JOIN that reads columns of the enclosing query",
    query:
      `SELECT (SELECT COUNT(*) FROM ${numbers} x FULL JOIN ${numbers} y ON x.a = y.a AND x.b = o.b) ` +
      `FROM ${numbers} o`,
  },
  {
    name: "LEFT JOIN with a sub-query in ON that reads both sides",
    query: `SELECT x.a FROM ${numbers} x LEFT JOIN ${numbers} y ON EXISTS(SELECT 1 FROM ${numbers} z WHERE z.a = x.a AND z.b = y.b)`,
  },
  {
    name: "FULL JOIN with a sub-query in ON that reads both sides",
    query: `SELECT x.a FROM ${numbers} x FULL JOIN ${numbers} y ON EXISTS(SELECT 1 FROM ${numbers} z WHERE z.a = x.a AND z.b = y.b)`,
  },
  {
    name: "FULL JOIN that reads WITH RECURSIVE in a correlated sub-query",
    query:
      "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 3) " +
      "SELECT (SELECT COUNT(*) FROM t x FULL JOIN t y ON x.n = y.n WHERE x.n = z.n) FROM t z",
  },
  { name: "JOIN with USING", query: `SELECT a FROM ${numbers} x JOIN ${numbers} y USING (a)` },
  { name: "CROSS JOIN and comma join", query: `SELECT 1 FROM ${numbers} x, ${numbers} y` },
  {
    name: "Parenthesised join",
    query: `SELECT 1 FROM ${numbers} x JOIN (${numbers} y JOIN ${numbers} z USING (a)) USING (a)`,
  },
  { name: "UNNEST, WITH OFFSET", query: "SELECT n, i FROM UNNEST([1, 2]) AS n WITH OFFSET AS i" },
  {
    name: "Paths through arrays",
    query: "SELECT p FROM (SELECT [STRUCT(1 AS price)] AS items) t, UNNEST(t.items.price) AS p",
  },
  { name: "Correlated join with an array", query: "SELECT n FROM (SELECT [1, 2] AS items) t, t.items AS n" },
  { name: "LEFT JOIN UNNEST", query: "SELECT n FROM (SELECT [1] AS items) t LEFT JOIN UNNEST(t.items) AS n" },
  {
    name: "Sub-queries: scalar, ARRAY, EXISTS, IN",
    query: "SELECT (SELECT 1), ARRAY(SELECT 1), EXISTS(SELECT 1), 1 IN (SELECT 1)",
  },
  {
    name: "WHERE, GROUP BY, HAVING",
    query: `SELECT a, COUNT(*) FROM ${numbers} WHERE b > 0 GROUP BY a HAVING COUNT(*) > 0`,
  },
  { name: "GROUP BY alias and ordinal", query: `SELECT a AS k, MAX(b) FROM ${numbers} GROUP BY k ORDER BY 2` },
  { name: "GROUP BY ALL", query: `SELECT a, MAX(b) FROM ${numbers} GROUP BY ALL` },
  { name: "GROUP BY ROLLUP", query: `SELECT a, b, COUNT(*) FROM ${numbers} GROUP BY ROLLUP (a, b)` },
  { name: "GROUP BY CUBE", query: `SELECT a, b, COUNT(*) FROM ${numbers} GROUP BY CUBE (a, b)` },
  {
    name: "GROUP BY GROUPING SETS",
    query: `SELECT a, b, GROUPING(a) FROM ${numbers} GROUP BY GROUPING SETS (a, (a, b), ())`,
  },
  {
    name: "Window functions, OVER",
    query: `SELECT SUM(a) OVER (PARTITION BY c ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM ${numbers}`,
  },
  {
    name: "RANGE frames with offsets, over INT64, FLOAT64 and NUMERIC",
    query: `SELECT SUM(a) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING) FROM ${numbers}`,
  },
  {
    name: "RANGE frames with offsets, over BIGNUMERIC",
    query:
      "SELECT COUNT(*) OVER (ORDER BY CAST(a AS BIGNUMERIC) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) " +
      `FROM ${numbers}`,
  },
  { name: "WINDOW", query: `SELECT RANK() OVER w FROM ${numbers} WINDOW w AS (ORDER BY a)` },
  { name: "QUALIFY", query: `SELECT a FROM ${numbers} WHERE TRUE QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1` },
  { name: "PIVOT", query: `SELECT * FROM (SELECT 1 AS v, 'x' AS k) PIVOT (SUM(v) FOR k IN ('x', 'y'))` },
  { name: "UNPIVOT", query: "SELECT * FROM (SELECT 1 AS x, 2 AS y) UNPIVOT (v FOR k IN (x, y))" },
  { name: "TABLESAMPLE", query: "WITH t AS (SELECT 1 AS a) SELECT a FROM t TABLESAMPLE SYSTEM (50 PERCENT)" },
  {
    name: "UNION, INTERSECT, EXCEPT",
    query: "SELECT 1 UNION ALL SELECT 2 UNION ALL (SELECT 1 INTERSECT DISTINCT SELECT 1)",
  },
  {
    name: "Set operations BY NAME and CORRESPONDING",
    query: "SELECT 1 AS a, 2 AS b UNION ALL BY NAME SELECT 3 AS b, 4 AS a",
  },
  { name: "ORDER BY with NULLS FIRST and LAST", query: `SELECT a FROM ${numbers} ORDER BY a DESC NULLS FIRST` },
  { name: "ORDER BY with COLLATE", query: `SELECT c FROM ${numbers} ORDER BY c COLLATE 'und:ci'` },
  { name: "LIMIT and OFFSET", query: `SELECT a FROM ${numbers} LIMIT 1 OFFSET 1` },
  {
    name: "FOR SYSTEM_TIME AS OF",
    query: "WITH t AS (SELECT 1 AS a) SELECT a FROM t FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP()",
  },
  { name: "FROM as a pipe query", query: `FROM ${numbers}` },
  { name: "|> SELECT", query: `FROM ${numbers} |> SELECT a` },
  { name: "|> EXTEND", query: `FROM ${numbers} |> EXTEND a + b AS d` },
  { name: "|> SET", query: `FROM ${numbers} |> SET a = 5` },
  { name: "|> DROP", query: `FROM ${numbers} |> DROP a` },
  { name: "|> RENAME", query: `FROM ${numbers} |> RENAME a AS z` },
  { name: "|> AS", query: `FROM ${numbers} |> AS t |> WHERE t.a = 1` },
  { name: "|> WHERE", query: `FROM ${numbers} |> WHERE a = 1` },
  { name: "|> LIMIT", query: `FROM ${numbers} |> LIMIT 1 OFFSET 1` },
  { name: "|> AGGREGATE ... GROUP BY", query: `FROM ${numbers} |> AGGREGATE SUM(a) AS s GROUP BY c` },
  {
    name: "|> AGGREGATE ... GROUP AND ORDER BY",
    query: `FROM ${numbers} |> AGGREGATE SUM(a) AS s GROUP AND ORDER BY c DESC`,
  },
  { name: "|> DISTINCT", query: `FROM ${numbers} |> DISTINCT` },
  { name: "|> ORDER BY", query: `FROM ${numbers} |> ORDER BY a DESC` },
  { name: "|> UNION, INTERSECT, EXCEPT", query: `FROM ${numbers} |> UNION ALL ${numbers}` },
  {
    name: "|> RECURSIVE UNION",
    query: "SELECT 1 AS n |> RECURSIVE UNION ALL (|> WHERE n < 3 |> SELECT n + 1 AS n)",
  },
  { name: "|> JOIN", query: `FROM ${numbers} |> JOIN ${numbers} USING (a)` },
  { name: "|> WINDOW", query: `FROM ${numbers} |> WINDOW SUM(a) OVER () AS s` },
  { name: "|> PIVOT", query: "SELECT 1 AS v, 'x' AS k |> PIVOT (SUM(v) FOR k IN ('x'))" },
  { name: "|> UNPIVOT", query: "SELECT 1 AS x, 2 AS y |> UNPIVOT (v FOR k IN (x, y))" },
  { name: "|> TABLESAMPLE", query: "WITH t AS (SELECT 1 AS a) FROM t |> TABLESAMPLE SYSTEM (50 PERCENT)" },
  { name: "|> WITH", query: "SELECT 1 AS a |> WITH t AS (SELECT 1 AS b) |> CROSS JOIN t" },
  { name: "CASE", query: "SELECT CASE 1 WHEN 1 THEN 'a' ELSE 'b' END, CASE WHEN TRUE THEN 1 END" },
  { name: "Type parameters in CAST", query: "SELECT CAST('abc' AS STRING(3)), CAST(1.25 AS NUMERIC(3, 1))" },
  { name: "Type parameters inside ARRAY and STRUCT in CAST", query: "SELECT CAST(['abc'] AS ARRAY<STRING(3)>)" },
  {
    name: "CAST, SAFE_CAST, FORMAT",
    query: "SELECT CAST('1' AS INT64), SAFE_CAST('x' AS INT64), CAST(DATE '2024-01-02' AS STRING FORMAT 'YYYY')",
  },
  { name: "value::type", query: "SELECT '1'::INT64" },
  { name: "EXTRACT", query: "SELECT EXTRACT(WEEK(MONDAY) FROM DATE '2024-01-02')" },
  { name: "SAFE. functions", query: "SELECT SAFE.SUBSTR('foo', 0, -2)" },
  { name: "LIKE ANY, SOME, ALL", query: "SELECT 'ab' LIKE ANY ('a%', 'b%'), 'ab' LIKE ALL ('a%')" },
  { name: "IS DISTINCT FROM", query: "SELECT 1 IS DISTINCT FROM NULL" },
  { name: "IN with a list, an array, a query", query: "SELECT 1 IN (1, 2), 1 IN UNNEST([1]), 1 IN (SELECT 1)" },
  {
    name: "Subscripts: OFFSET, SAFE_OFFSET, ORDINAL, SAFE_ORDINAL",
    query: "SELECT [1][OFFSET(0)], [1][SAFE_OFFSET(5)], [1][ORDINAL(1)], [1][0]",
  },
  { name: "Field access on STRUCT and JSON", query: "SELECT STRUCT(1 AS a).a, (JSON '{\"a\": [1]}').a[0]" },
  { name: "Lambdas", query: "SELECT ARRAY_TRANSFORM([1, 2], x -> x + 1)" },
  { name: "Named arguments", query: "SELECT PARSE_JSON('1.5', wide_number_mode => 'round')" },
  { name: "Chained calls", query: "SELECT ('ab').UPPER()" },
  { name: "WITH expression", query: "SELECT WITH(a AS 1, a + 1)" },
  { name: "Parameters, named", query: "SELECT @p" },
  { name: "String, raw, bytes and triple-quoted literals", query: "SELECT 'a', r'\\n', b'a', '''a'b''', rb'\\x'" },
  {
    name: "Typed literals",
    query: "SELECT DATE '2024-01-02', TIMESTAMP '2024-01-02 03:04:05+00', NUMERIC '1.5', JSON '{}'",
  },
  { name: "INTERVAL literals", query: "SELECT INTERVAL 5 DAY, INTERVAL '1-2' YEAR TO MONTH" },
  { name: "RANGE literals", query: "SELECT RANGE<DATE> '[2024-01-01, UNBOUNDED)'" },
  { name: "ARRAY and STRUCT constructors", query: "SELECT ARRAY<INT64>[1], STRUCT<a INT64>(1), (1, 2)" },
  { name: "System variables", query: "SELECT @@time_zone" },
];
