/**
 * Queries over a field that carried every shape, with their answers: `everyShape` is at `m.x`, the number of the event
 * at `m.n`.
 */

const WIDE = 9007199254740993n;
const ODD_TEXT = 'q"\\\u0001\u2028é';

/**
 * The rows of each query as one text, values as the answer writes them with a colon between them: what is compared is
 * what is answered, digit by digit. `$T` is the source with `metadata` as `m`, `$S` its name. A second column of 0 is
 * left out.
 */
export const mixedCases: readonly (readonly [what: string, sql: string, expected: string])[] = [
  [
    "a bare column answers each row's own value",
    "SELECT m.n, m.x FROM $T ORDER BY m.n",
    `0:200 1:"200" 2:"abc" 3:1.5 4:true 5:[1,"b",2.5] 6:[{"a":7,"name":"rec"}] 7:[{"a":8},{"a":9}] 8:null ` +
      `9:${WIDE} 10:"" 11:"true" 12:[] 13:-3 14:1e21 15:18446744073709551616 16:${JSON.stringify(ODD_TEXT)}`,
  ],
  [
    "ORDER BY puts NULL first, then numbers, texts, booleans, lists and records",
    "SELECT m.n, 0 FROM $T ORDER BY m.x",
    "8 13 3 0 9 15 14 10 1 2 16 11 4 5 12 6 7",
  ],
  ["ORDER BY DESC puts them the other way round", "SELECT m.n, 0 FROM $T ORDER BY m.x DESC LIMIT 4", "7 6 12 5"],
  ["MIN and MAX follow that order", "SELECT MIN(m.x), MAX(m.x) FROM $T", '-3:[{"a":8},{"a":9}]'],
  [
    "SUM sees numbers and texts that read as numbers",
    "SELECT 0, SUM(m.x) FROM $T WHERE m.n < 9 OR m.n IN (10, 11, 12, 13)",
    "0:398.5",
  ],
  ["AVG sees them too", "SELECT 0, AVG(m.x) FROM $T WHERE m.n < 4", "0:133.83333333333334"],
  ["COUNT counts every value", "SELECT COUNT(m.x), COUNT(DISTINCT m.x) FROM $T", "16:16"],
  ["COUNTIF sees booleans and texts that read as such", "SELECT COUNTIF(m.x), LOGICAL_OR(m.x) FROM $T", "2:true"],
  ["APPROX_QUANTILES sees numbers", "SELECT 0, APPROX_QUANTILES(m.x, 1) FROM $T WHERE m.n < 9", "0:[1.5,200]"],
  [
    "STRING_AGG sees texts",
    "SELECT 0, STRING_AGG(m.x, '|' ORDER BY m.n) FROM $T WHERE m.n < 9",
    '0:"200|200|abc|1.5|true"',
  ],
  [
    "ARRAY_AGG keeps the values",
    "SELECT 0, ARRAY_AGG(m.x ORDER BY m.n) FROM $T WHERE m.n < 8",
    '0:[200,"200","abc",1.5,true,[1,"b",2.5],[{"a":7,"name":"rec"}],[{"a":8},{"a":9}]]',
  ],
  ["ARRAY_AGG orders by the values", "SELECT 0, ARRAY_AGG(m.n ORDER BY m.x DESC LIMIT 3) FROM $T", "0:[7,6,12]"],
  ["MAX_BY goes by the values", "SELECT MAX_BY(m.n, m.x), MIN_BY(m.n, m.x) FROM $T", "7:13"],
  ["ANY_VALUE with HAVING MAX goes by the values", "SELECT 0, ANY_VALUE(m.n HAVING MAX m.x) FROM $T", "0:7"],
  [
    "an equation with a number finds it as number and as text",
    "SELECT m.n, 0 FROM $T WHERE m.x = 200 ORDER BY m.n",
    "0 1",
  ],
  [
    "an equation with a text finds it as number and as text",
    "SELECT m.n, 0 FROM $T WHERE m.x = '200' ORDER BY m.n",
    "0 1",
  ],
  ["an equation with a number beyond doubles is exact", `SELECT m.n, 0 FROM $T WHERE m.x = ${WIDE}`, "9"],
  ["an inequation sees numbers", "SELECT m.n, 0 FROM $T WHERE m.x > 4 ORDER BY m.n", "0 1 9 14 15"],
  ["a fraction is compared as it is", "SELECT m.n, 0 FROM $T WHERE m.x > 1 AND m.x < 2", "3"],
  ["BETWEEN sees numbers", "SELECT m.n, 0 FROM $T WHERE m.x BETWEEN 1 AND 300 ORDER BY m.n", "0 1 3"],
  ["IN a list of numbers", "SELECT m.n, 0 FROM $T WHERE m.x IN (200, -3) ORDER BY m.n", "0 1 13"],
  [
    "IN a list of texts and numbers compares texts",
    "SELECT m.n, 0 FROM $T WHERE m.x IN ('abc', 1.5, 200) ORDER BY m.n",
    "0 1 2 3",
  ],
  ["IN a query", "SELECT m.n, 0 FROM $T WHERE m.x IN (SELECT 200) ORDER BY m.n", "0 1"],
  [
    "IN a query over itself",
    "SELECT COUNT(*), 0 FROM $T WHERE m.x IN (SELECT u.x FROM $S s, UNNEST(s.metadata) u)",
    "16",
  ],
  ["LIKE sees texts", "SELECT m.n, 0 FROM $T WHERE m.x LIKE '%b%'", "2"],
  ["a boolean condition", "SELECT m.n, 0 FROM $T WHERE m.x ORDER BY m.n", "4 11"],
  ["an equation with a boolean", "SELECT m.n, 0 FROM $T WHERE m.x = TRUE ORDER BY m.n", "4 11"],
  ["IS NULL is where there is no value", "SELECT m.n, 0 FROM $T WHERE m.x IS NULL", "8"],
  [
    "arithmetic sees numbers",
    "SELECT m.n, m.x + 1 FROM $T WHERE m.n < 9 ORDER BY m.n",
    "0:201 1:201 2:null 3:2.5 4:null 5:null 6:null 7:null 8:null",
  ],
  [
    "a text function sees texts",
    "SELECT m.n, UPPER(m.x) FROM $T WHERE m.n < 9 ORDER BY m.n",
    '0:"200" 1:"200" 2:"ABC" 3:"1.5" 4:"TRUE" 5:null 6:null 7:null 8:null',
  ],
  [
    "CONCAT and ||",
    "SELECT m.n, CONCAT(m.x, '-', m.x || '!') FROM $T WHERE m.n < 4 ORDER BY m.n",
    '0:"200-200!" 1:"200-200!" 2:"abc-abc!" 3:"1.5-1.5!"',
  ],
  [
    "UNNEST sees lists, and every other value as a list of one",
    "SELECT m.n, x FROM $T, UNNEST(m.x) x WHERE m.n < 8 ORDER BY m.n, x",
    '0:200 1:"200" 2:"abc" 3:1.5 4:true 5:1 5:2.5 5:"b" 6:{"a":7,"name":"rec"} 7:{"a":8} 7:{"a":9}',
  ],
  [
    "UNNEST with an outer join keeps rows without elements",
    "SELECT m.n, x FROM $T LEFT JOIN UNNEST(m.x) x WHERE m.n IN (8, 12) ORDER BY m.n",
    "8:null 12:null",
  ],
  [
    "UNNEST with offsets",
    "SELECT pos, x FROM $T, UNNEST(m.x) x WITH OFFSET pos WHERE m.n = 5 ORDER BY pos",
    '0:1 1:"b" 2:2.5',
  ],
  [
    "fields of what UNNEST gives",
    "SELECT m.n, x.a FROM $T, UNNEST(m.x) x WHERE x.a IS NOT NULL ORDER BY m.n, x.a",
    "6:7 7:8 7:9",
  ],
  ["a field access sees records", "SELECT m.n, m.x.a FROM $T WHERE m.x.a IS NOT NULL ORDER BY m.n", "6:7 7:8"],
  ["a field that no record has", "SELECT COUNT(m.x.nope), COUNT(m.x.nope.deeper) FROM $T", "0:0"],
  [
    "a subscript sees elements",
    "SELECT m.n, m.x[1] FROM $T WHERE m.n IN (0, 5, 7) ORDER BY m.n",
    '0:null 5:"b" 7:{"a":9}',
  ],
  ["a subscript never fails", "SELECT COUNT(m.x[OFFSET(7)]), COUNT(m.x[ORDINAL(1)]) FROM $T", "0:15"],
  ["a field of an element", "SELECT m.n, m.x[1].a FROM $T WHERE m.n IN (5, 7) ORDER BY m.n", "5:null 7:9"],
  [
    "ARRAY_LENGTH",
    "SELECT m.n, ARRAY_LENGTH(m.x) FROM $T WHERE m.n IN (0, 5, 7, 8, 12) ORDER BY m.n",
    "0:1 5:3 7:2 8:null 12:0",
  ],
  ["a value IN UNNEST", "SELECT m.n, 0 FROM $T WHERE 'b' IN UNNEST(m.x) OR 200 IN UNNEST(m.x) ORDER BY m.n", "0 1 5"],
  [
    "ARRAY_TO_STRING",
    "SELECT m.n, ARRAY_TO_STRING(m.x, '+') FROM $T WHERE m.n IN (0, 5) ORDER BY m.n",
    '0:"200" 5:"1+b+2.5"',
  ],
  [
    "SAFE_CAST to INT64",
    "SELECT m.n, SAFE_CAST(m.x AS INT64) FROM $T WHERE m.n IN (0,1,2,3,4,5,9,14,15) ORDER BY m.n",
    `0:200 1:200 2:null 3:2 4:null 5:null 9:"${WIDE}" 14:null 15:null`,
  ],
  [
    "SAFE_CAST to FLOAT64",
    "SELECT m.n, SAFE_CAST(m.x AS FLOAT64) FROM $T WHERE m.n IN (0,1,2,3,4,5,9,14,15) ORDER BY m.n",
    "0:200 1:200 2:null 3:1.5 4:null 5:null 9:9007199254740992 14:1e+21 15:18446744073709552000",
  ],
  [
    "SAFE_CAST to NUMERIC",
    "SELECT m.n, SAFE_CAST(m.x AS NUMERIC) FROM $T WHERE m.n IN (0,1,2,3,9) ORDER BY m.n",
    `0:"200" 1:"200" 2:null 3:"1.5" 9:"${WIDE}"`,
  ],
  [
    "CAST to STRING takes every scalar",
    "SELECT m.n, CAST(m.x AS STRING) FROM $T WHERE m.n IN (0,2,4,5,6,14,15) ORDER BY m.n",
    '0:"200" 2:"abc" 4:"true" 5:null 6:null 14:"1e+21" 15:"18446744073709551616"',
  ],
  [
    "SAFE_CAST to an array",
    "SELECT m.n, SAFE_CAST(m.x AS ARRAY<INT64>) FROM $T WHERE m.n IN (0, 5) ORDER BY m.n",
    "0:[200] 5:[1,null,3]",
  ],
  ["CAST of what fits", "SELECT m.n, CAST(m.x AS INT64) FROM $T WHERE m.n < 2 ORDER BY m.n", "0:200 1:200"],
  [
    "GROUP BY makes one group of a value",
    "SELECT COUNT(*), k.x FROM (SELECT m.x FROM $T UNION ALL SELECT m.x FROM $T) k WHERE k.x IS NOT NULL " +
      "GROUP BY k.x ORDER BY k.x LIMIT 5",
    "2:-3 2:1.5 2:200 2:9007199254740993 2:18446744073709551616",
  ],
  ["DISTINCT", "SELECT COUNT(*), 0 FROM (SELECT DISTINCT m.x FROM $T)", "17"],
  [
    "HAVING on a group",
    "SELECT COUNT(*), k.x FROM (SELECT m.x FROM $T) k GROUP BY k.x HAVING k.x > 300 ORDER BY k.x LIMIT 1",
    `1:${WIDE}`,
  ],
  [
    "windows order and partition by it",
    "SELECT m.n, RANK() OVER (ORDER BY m.x) FROM $T WHERE m.n < 5 ORDER BY m.n",
    "0:2 1:3 2:4 3:1 4:5",
  ],
  [
    "windows partition by it",
    "SELECT m.n, COUNT(*) OVER (PARTITION BY m.x) FROM $T WHERE m.n < 5 ORDER BY m.n",
    "0:1 1:1 2:1 3:1 4:1",
  ],
  [
    "a window's value",
    "SELECT m.n, LAG(m.x) OVER (ORDER BY m.n) FROM $T WHERE m.n < 4 ORDER BY m.n",
    '0:null 1:200 2:"200" 3:"abc"',
  ],
  [
    "MAX as a window",
    "SELECT m.n, MAX(m.x) OVER (ORDER BY m.n) FROM $T WHERE m.n < 4 ORDER BY m.n",
    '0:200 1:"200" 2:"abc" 3:"abc"',
  ],
  [
    "a RANGE frame sees numbers",
    "SELECT m.n, COUNT(*) OVER (ORDER BY m.x RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM $T WHERE m.n < 4 " +
      "ORDER BY m.n",
    "0:2 1:2 2:1 3:1",
  ],
  ["a join on it", "SELECT COUNT(*), 0 FROM $T JOIN (SELECT u.x FROM $S s, UNNEST(s.metadata) u) j ON m.x = j.x", "16"],
  [
    "a join with numbers",
    "SELECT m.n, 0 FROM $T JOIN (SELECT 200 AS k UNION ALL SELECT -3) j ON m.x = j.k ORDER BY m.n",
    "0 1 13",
  ],
  [
    "COALESCE with a number",
    "SELECT m.n, COALESCE(m.x, 0) FROM $T WHERE m.n < 9 ORDER BY m.n",
    "0:200 1:200 2:0 3:1.5 4:0 5:0 6:0 7:0 8:0",
  ],
  [
    "COALESCE with a text",
    "SELECT m.n, COALESCE(m.x, '-') FROM $T WHERE m.n IN (0, 5, 8) ORDER BY m.n",
    '0:"200" 5:"-" 8:"-"',
  ],
  [
    "IF and CASE",
    "SELECT IF(m.n = 0, m.x, NULL), CASE WHEN m.n = 5 THEN m.x END FROM $T WHERE m.n IN (0, 5) ORDER BY m.n",
    '200:null null:[1,"b",2.5]',
  ],
  [
    "CASE of a value",
    "SELECT m.n, CASE m.x WHEN 200 THEN 'n' WHEN 1.5 THEN 'f' END FROM $T WHERE m.n < 4 ORDER BY m.n",
    '0:"n" 1:"n" 2:null 3:"f"',
  ],
  [
    "UNION ALL with itself keeps the values",
    "SELECT COUNT(*), MAX(x) FROM (SELECT m.x FROM $T UNION ALL SELECT m.x FROM $T)",
    '34:[{"a":8},{"a":9}]',
  ],
  [
    "UNION ALL of records keeps their values, and sees each as what it is asked for",
    "SELECT m.n, SAFE_CAST(m.x AS INT64) FROM (SELECT metadata FROM $S UNION ALL SELECT metadata FROM $S WHERE FALSE) u, " +
      "UNNEST(u.metadata) m WHERE m.x IN (200, 1.5, -3) OR m.x = TRUE ORDER BY m.x DESC, m.n",
    "4:null 11:null 1:200 0:200 3:2 13:-3",
  ],
  [
    "UNION ALL with numbers sees numbers",
    "SELECT 0, SUM(x) FROM (SELECT m.x FROM $T WHERE m.n < 4 UNION ALL SELECT 1)",
    "0:402.5",
  ],
  [
    "UNION ALL with lists keeps the values",
    "SELECT 0, x FROM (SELECT m.x FROM $T WHERE m.n = 0 UNION ALL SELECT [1, 2]) ORDER BY x",
    "0:200 0:[1,2]",
  ],
  ["INTERSECT", "SELECT COUNT(*), 0 FROM (SELECT m.x FROM $T INTERSECT DISTINCT SELECT m.x FROM $T)", "17"],
  [
    "through a common table expression",
    "WITH c AS (SELECT m.n AS n, m.x AS v FROM $T), d AS (SELECT * FROM c) SELECT n, v + 1 FROM d " +
      "WHERE v = 200 ORDER BY n",
    "0:201 1:201",
  ],
  [
    "through a sub-query and a group",
    "SELECT v, SUM(v) FROM (SELECT m.x AS v FROM $T WHERE m.n < 2) GROUP BY v ORDER BY v",
    '200:200 "200":200',
  ],
  [
    "GREATEST and LEAST of such values",
    "SELECT GREATEST(m.x, m.x), LEAST(m.x, m.x) FROM $T WHERE m.n = 5",
    '[1,"b",2.5]:[1,"b",2.5]',
  ],
  [
    "TO_JSON_STRING",
    "SELECT m.n, TO_JSON_STRING(m.x) FROM $T WHERE m.n IN (0, 2, 5, 8) ORDER BY m.n",
    String.raw`0:"200" 2:"\"abc\"" 5:"[1,\"b\",2.5]" 8:"null"`,
  ],
  [
    "TO_JSON",
    "SELECT m.n, TO_JSON(m.x) FROM $T WHERE m.n IN (0, 2, 6) ORDER BY m.n",
    '0:200 2:"abc" 6:[{"a":7,"name":"rec"}]',
  ],
  [
    "JSON_VALUE reads records and texts",
    `SELECT m.n, JSON_VALUE(m.x, '$[0].a') FROM $T WHERE m.n IN (0, 6) ORDER BY m.n`,
    '0:null 6:"7"',
  ],
  [
    "FORMAT",
    "SELECT m.n, FORMAT('%t', m.x) FROM $T WHERE m.n IN (0, 2, 3, 5) ORDER BY m.n",
    String.raw`0:"200" 2:"abc" 3:"1.5" 5:"[1,\"b\",2.5]"`,
  ],
  [
    "CONTAINS_SUBSTR looks everywhere",
    "SELECT m.n, 0 FROM $T WHERE CONTAINS_SUBSTR(m.x, 'B') OR CONTAINS_SUBSTR(m.x, 'rec') ORDER BY m.n",
    "2 5 6",
  ],
  [
    "a struct of it",
    "SELECT m.n, STRUCT(m.x AS v) FROM $T WHERE m.n IN (0, 5) ORDER BY m.n",
    '0:{"v":200} 5:{"v":[1,"b",2.5]}',
  ],
  [
    "SELECT AS STRUCT and a star",
    "SELECT r.v, r.v.a FROM (SELECT AS STRUCT m.x AS v FROM $T WHERE m.n = 6) r",
    '[{"a":7,"name":"rec"}]:7',
  ],
  ["a date's text", "SELECT 0, COUNT(DATE_TRUNC(m.x, DAY)) FROM $T WHERE m.n NOT IN (1, 2)", "0:0"],
];
