/** Where a consumer may put an expression. */

/** One expression as places print it. */
export interface PlacedExpression {
  readonly table: string;
  readonly expression: string;
  /** The same, or a comparison of it where its type cannot be grouped and ordered. */
  readonly key: string;
}

type Places = Readonly<Record<string, (placed: PlacedExpression) => string>>;

/** Places of a scalar expression. */
export const scalarPlaces: Places = {
  "an aggregate": ({ table, expression }) => `SELECT COUNT(${expression}) FROM ${table}`,
  WHERE: ({ table, expression }) => `SELECT COUNT(*) FROM ${table} WHERE (${expression}) IS NOT NULL`,
  "WHERE beside a condition": ({ table, expression }) =>
    `SELECT COUNT(*) FROM ${table} WHERE id >= 0 AND (${expression}) IS NOT NULL AND id < 1000000`,
  "WHERE beside OR": ({ table, expression }) =>
    `SELECT COUNT(*) FROM ${table} WHERE id < 0 OR (${expression}) IS NOT NULL`,
  SELECT: ({ table, expression }) => `SELECT id, (${expression}) IS NULL FROM ${table} ORDER BY id LIMIT 5`,
  "SELECT of all rows": ({ table, expression }) =>
    `SELECT COUNT(x), COUNT(*) FROM (SELECT ${expression} AS x, id FROM ${table})`,
  "GROUP BY": ({ table, key }) =>
    `SELECT COUNT(*), SUM(n) FROM (SELECT ${key} AS g, COUNT(*) AS n FROM ${table} GROUP BY g)`,
  "ORDER BY": ({ table, key }) => `SELECT id FROM ${table} ORDER BY ${key}, id LIMIT 3`,
  HAVING: ({ table, expression }) =>
    `SELECT MOD(id, 2) AS g FROM ${table} GROUP BY g HAVING COUNT(${expression}) > 0 ORDER BY g`,
  "JOIN ON": ({ table, expression }) =>
    `SELECT COUNT(*) FROM ${table} JOIN (SELECT 1 AS one) ON (${expression}) IS NOT NULL`,
  "LEFT JOIN ON": ({ table, expression }) =>
    `SELECT COUNT(one), COUNT(*) FROM ${table} LEFT JOIN (SELECT 1 AS one) ON (${expression}) IS NOT NULL`,
  "a join with itself": ({ table, expression }) =>
    `SELECT COUNT(*) FROM ${table} AS a JOIN (SELECT id AS i FROM ${table} WHERE (${expression}) IS NOT NULL) AS b ON a.id = b.i`,
  "a join by it": ({ table, key }) =>
    `SELECT COUNT(*) FROM (SELECT ${key} AS k FROM ${table} WHERE id < 90) AS a JOIN (SELECT ${key} AS k FROM ${table} WHERE id < 90) AS b ON a.k = b.k`,
  EXISTS: ({ table, expression }) => `SELECT EXISTS(SELECT 1 FROM ${table} WHERE (${expression}) IS NOT NULL)`,
  "IN a sub-query": ({ table, expression }) =>
    `SELECT COUNT(*) FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE (${expression}) IS NOT NULL)`,
  "a scalar sub-query": ({ table, expression }) => `SELECT (SELECT COUNT(${expression}) FROM ${table})`,
  "a correlated sub-query": ({ table, expression }) =>
    `SELECT COUNT(*) FROM ${table} AS o WHERE EXISTS(SELECT 1 FROM (SELECT (${expression}) IS NULL AS n) WHERE NOT n)`,
  QUALIFY: ({ table, expression }) =>
    `SELECT COUNT(*) FROM (SELECT id FROM ${table} WHERE TRUE QUALIFY COUNT(${expression}) OVER () > 0)`,
  "a window's argument": ({ table, expression }) =>
    `SELECT MAX(n) FROM (SELECT COUNT(${expression}) OVER (ORDER BY id) AS n FROM ${table})`,
  "a window's order": ({ table, key }) =>
    `SELECT MAX(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY ${key}, id) AS n FROM ${table})`,
  "a window's partition": ({ table, key }) =>
    `SELECT MAX(n) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY ${key} ORDER BY id) AS n FROM ${table})`,
  CASE: ({ table, expression }) => `SELECT COUNT(CASE WHEN id >= 0 THEN ${expression} END) FROM ${table}`,
  IF: ({ table, expression }) => `SELECT COUNT(*) FROM ${table} WHERE IF(id < 0, FALSE, (${expression}) IS NOT NULL)`,
  COALESCE: ({ table, expression }) => `SELECT COUNTIF(COALESCE((${expression}) IS NULL, TRUE)) FROM ${table}`,
  DISTINCT: ({ table, key }) => `SELECT COUNT(*) FROM (SELECT DISTINCT ${key} AS g FROM ${table})`,
  "a union": ({ table, expression }) =>
    `SELECT COUNT(x) FROM (SELECT (${expression}) IS NULL AS x FROM ${table} UNION ALL SELECT FALSE FROM ${table})`,
  "WITH, read twice": ({ table, expression }) =>
    `WITH x AS (SELECT id, (${expression}) IS NULL AS e FROM ${table}) SELECT COUNTIF(a.e), COUNT(*) FROM x AS a JOIN x AS b ON a.id = b.id`,
  "over a limit": ({ table, expression }) =>
    `SELECT COUNT(${expression}) FROM (SELECT * FROM ${table} ORDER BY id LIMIT 100)`,
  UNNEST: ({ table, expression }) =>
    `SELECT COUNT(*) FROM ${table}, UNNEST([(${expression}) IS NULL, TRUE]) AS u WHERE NOT u`,
  "a WITH expression": ({ table, expression }) =>
    `SELECT COUNTIF(WITH(x AS (${expression}) IS NULL, one AS 1 + 0, x OR x OR one + one = 3)) FROM ${table}`,
  "pipe WHERE": ({ table, expression }) =>
    `FROM ${table} |> WHERE (${expression}) IS NOT NULL |> AGGREGATE COUNT(*) AS n`,
  "pipe EXTEND": ({ table, expression }) => `FROM ${table} |> EXTEND ${expression} AS e |> AGGREGATE COUNT(e) AS n`,
  "pipe SELECT, SET and ORDER BY": ({ table, key }) =>
    `FROM ${table} |> SELECT id, ${key} AS e |> SET id = id + 1 |> ORDER BY e, id |> LIMIT 3 |> AGGREGATE SUM(id) AS n`,
  "pipe AGGREGATE": ({ table, expression, key }) =>
    `FROM ${table} |> AGGREGATE COUNT(${expression}) AS n GROUP BY ${key} AS k |> AGGREGATE SUM(n) AS n`,
};

/** Places of an aggregate. */
export const aggregatePlaces: Places = {
  SELECT: ({ table, expression }) => `SELECT (${expression}) IS NULL FROM ${table}`,
  "GROUP BY": ({ table, expression }) =>
    `SELECT MOD(id, 2) AS g, (${expression}) IS NULL FROM ${table} GROUP BY g ORDER BY g`,
  ROLLUP: ({ table, expression }) =>
    `SELECT COUNT(*) FROM (SELECT MOD(id, 2) AS g, (${expression}) IS NULL AS e FROM ${table} GROUP BY ROLLUP(g))`,
  HAVING: ({ table, expression }) =>
    `SELECT MOD(id, 2) AS g FROM ${table} GROUP BY g HAVING (${expression}) IS NOT NULL ORDER BY g`,
  "below WHERE": ({ table, expression }) =>
    `SELECT (${expression}) IS NULL FROM (SELECT * FROM ${table} WHERE id >= 0)`,
  "a sub-query": ({ table, expression }) =>
    `SELECT COUNT(*) FROM ${table} WHERE (SELECT (${expression}) IS NOT NULL FROM ${table})`,
  "pipe AGGREGATE": ({ table, expression }) => `FROM ${table} |> AGGREGATE ${expression} AS a |> SELECT a IS NULL`,
};

/** Places of a call with OVER. */
export const windowPlaces: Places = {
  SELECT: ({ table, expression }) => `SELECT COUNT(x), COUNT(*) FROM (SELECT ${expression} AS x FROM ${table})`,
  QUALIFY: ({ table, expression }) =>
    `SELECT COUNT(*) FROM (SELECT id FROM ${table} WHERE TRUE QUALIFY (${expression}) IS NOT NULL)`,
  "pipe EXTEND": ({ table, expression }) => `FROM ${table} |> EXTEND ${expression} AS x |> AGGREGATE COUNT(x) AS n`,
};
