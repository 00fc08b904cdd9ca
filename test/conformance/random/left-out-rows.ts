/**
 * Queries with expressions that fail for rows of a table which the query leaves out before it computes them: by
 * WHERE, a join, a sub-query or DISTINCT, over sub-selects, common tables and literals. Each is written twice: with
 * what fails, and with forms that have NULL instead. Both have the same answer.
 */
import type { ScratchEngine } from "../../../src/engines/contract/scratch-engine.ts";
import { parseQuery } from "../../../src/googlesql/parse.ts";
import { resolveQuery } from "../../../src/googlesql/resolver/resolve.ts";
import { Random } from "./random.ts";

/** Fails where `s` is no number or `n` is even, beside its form that does not. `#` is the row. */
const FAILING: readonly (readonly [failing: string, total: string])[] = [
  ["CAST(#.s AS INT64)", "SAFE_CAST(#.s AS INT64)"],
  ["CAST(CONCAT(#.s, '0') AS INT64)", "SAFE_CAST(CONCAT(#.s, '0') AS INT64)"],
  ["CAST(PARSE_NUMERIC(#.s) AS INT64)", "CAST(SAFE.PARSE_NUMERIC(#.s) AS INT64)"],
  ["DIV(6, MOD(#.n, 2))", "SAFE.DIV(6, MOD(#.n, 2))"],
  ["CAST(10 / MOD(#.n, 2) AS INT64)", "CAST(SAFE_DIVIDE(10, MOD(#.n, 2)) AS INT64)"],
  ["EXTRACT(DAY FROM PARSE_DATE('%d', #.s))", "EXTRACT(DAY FROM SAFE.PARSE_DATE('%d', #.s))"],
];

/** Conditions that leave out the rows for which these fail. */
const LEAVING_OUT = [
  "MOD(#.n, 2) = 1",
  "#.s = FORMAT('%d', #.n - DIV(#.n, 2))",
  "#.s != 'x' AND #.s != 'y'",
  "#.s < 'a'",
  "#.s IN ('1', '2', '3')",
  "REGEXP_CONTAINS(#.s, r'^[0-9]+$')",
  "#.s BETWEEN '0' AND '9'",
  "#.n IN (1, 3, 5)",
  "#.s IN (SELECT k FROM UNNEST(['1', '2', '3']) AS k)",
  "EXISTS (SELECT 1 FROM UNNEST(['1', '2', '3']) AS k WHERE k = #.s)",
  "#.s NOT IN (SELECT k FROM UNNEST(['x', 'y']) AS k)",
  "#.s IN (SELECT s FROM texts WHERE s < 'a')",
];

const ROWS = "[STRUCT('1' AS s, 1 AS n), ('x', 2), ('2', 3), ('y', 4), ('3', 5)]";
const BASES = [
  "texts",
  "literals",
  `(SELECT s, n, 0 AS v FROM UNNEST(${ROWS}))`,
  "(SELECT s, o + 1 AS n, o AS v FROM UNNEST(['1', 'x', '2', 'y', '3']) AS s WITH OFFSET AS o)",
];

/** Rows that still hold what fails: the table `#`, with rows taken away. */
const FIRST_STEPS = [
  "SELECT #.* FROM @ AS # WHERE {leave}",
  "SELECT #.* FROM @ AS # WHERE {leave}",
  "SELECT #.* FROM @ AS # WHERE {leave} AND {fail} {test}",
  "SELECT #.* FROM @ AS # JOIN UNNEST(['1', '2', '3']) AS k ON k = #.s",
  "SELECT s, n, v FROM @ AS # JOIN (SELECT s FROM texts WHERE s < 'a') USING (s)",
  "SELECT #.* FROM @ AS # JOIN {base} AS o ON o.s = #.s AND o.n IN (1, 3, 5) AND {fail} {test}",
  "SELECT #.* FROM @ AS #, {base} AS o WHERE {leave} AND o.n = 1",
  "SELECT #.* FROM @ AS # LEFT JOIN {base} AS o ON o.s = #.s AND o.n IN (1, 3, 5) WHERE o.s IS NOT NULL",
  "SELECT d.* FROM (SELECT DISTINCT #.* FROM @ AS #) AS d WHERE d.s < 'a'",
  "SELECT #.s, #.n, k AS v FROM @ AS #, UNNEST([{fail}]) AS k WHERE {leave}",
  "SELECT #.s, #.n, k AS v FROM @ AS # JOIN UNNEST([0, 1, 2, 3, 6, 10]) AS k ON k = {fail} WHERE {leave} AND k > 0",
];

const STEPS = [
  "SELECT #.s, #.n, {fail} AS v FROM @ AS #",
  "SELECT #.s, #.n, {fail} AS v FROM @ AS #",
  "SELECT #.* FROM @ AS # WHERE {fail} {test}",
  "SELECT #.* FROM @ AS # WHERE #.v + 1 {test}",
  "SELECT #.* FROM @ AS # WHERE {fail} {test} AND LENGTH(#.s) = 1",
  "SELECT #.* FROM @ AS # WHERE #.n > 0",
  "SELECT #.* FROM @ AS # JOIN UNNEST([0, 1, 2, 3, 6, 10]) AS k ON k = {fail}",
  "SELECT #.* FROM @ AS # JOIN UNNEST([0, 1, 2, 3, 6, 10]) AS k ON k = #.v AND k != 7",
  "SELECT #.* FROM @ AS # LEFT JOIN {base} AS o ON o.n = {fail}",
  "SELECT #.* FROM @ AS #, {base} AS o WHERE {fail} > o.n",
  "SELECT #.* FROM @ AS # CROSS JOIN {base} AS o WHERE #.v > 0 AND #.n = o.n",
  "SELECT MIN(g.s) AS s, MIN(g.n) AS n, v FROM (SELECT #.s, #.n, {fail} AS v FROM @ AS #) AS g GROUP BY v HAVING MAX(g.s) > '0'",
  "SELECT #.* FROM @ AS # ORDER BY {fail}, #.n, #.s LIMIT 4",
  "SELECT * FROM @ UNION ALL SELECT '1', 1, 1",
  "SELECT #.s, #.n, ROW_NUMBER() OVER (ORDER BY {fail}, #.n, #.s) AS v FROM @ AS #",
  "SELECT #.* FROM @ AS # WHERE TRUE QUALIFY ROW_NUMBER() OVER (PARTITION BY {fail} ORDER BY #.n, #.s, #.v) = 1",
  "SELECT DISTINCT * FROM @",
  "WITH w AS (SELECT #.s, #.n, {fail} AS v FROM @ AS #) SELECT x.* FROM w AS x JOIN w USING (n) WHERE x.v < 100",
  "SELECT #.s, #.n, (SELECT MAX(k) FROM UNNEST([1, 2, 3]) AS k WHERE k <= {fail}) AS v FROM @ AS #",
  "SELECT #.* FROM @ AS # WHERE EXISTS (SELECT 1 FROM UNNEST([0, 1, 2, 3, 6, 10]) AS k WHERE k = {fail})",
  "SELECT #.* FROM @ AS # WHERE {fail} IN (SELECT n FROM texts)",
  "SELECT #.* FROM @ AS # WHERE #.n IN (SELECT v FROM @ AS o) AND #.n = 1",
  "SELECT #.* FROM @ AS #, UNNEST(GENERATE_ARRAY(1, LEAST(2, {fail}))) AS k WHERE k > 0",
  "SELECT #.* FROM @ AS # WHERE CASE WHEN #.n > 2 THEN {fail} < 50 ELSE TRUE END",
];

const TESTS = ["> 0", "< 100", "IS NOT NULL", "!= 77"];

/** The two texts of one query: what fails stands in the first only. */
function writeLeftOut(random: Random): readonly [failing: string, total: string] {
  let texts = same(random.pick(BASES));
  const steps = 2 + random.below(5);
  for (let step = 0; step < steps; step++) {
    const parts: Readonly<Record<string, Texts>> = {
      leave: same(random.pick(LEAVING_OUT)),
      fail: random.pick(FAILING),
      test: same(random.pick(TESTS)),
      base: same(random.pick(BASES)),
    };
    const shape = random.pick(step === 0 ? FIRST_STEPS : STEPS);
    const write = (form: 0 | 1) => {
      const filled = shape.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name]?.[form] ?? "");
      return `(${filled.replaceAll("#", `r${step}`).split("@").join(texts[form])})`;
    };
    texts = [write(0), write(1)];
  }
  const whole = (text: string) =>
    `WITH literals AS (SELECT s, n, 0 AS v FROM UNNEST(${ROWS})) SELECT q.s, q.n, q.v FROM ${text} AS q`;
  return [whole(texts[0]), whole(texts[1])];
}

type Texts = readonly [failing: string, total: string];

const same = (text: string): Texts => [text, text];

const TIMEOUT_MS = 30_000;

/** The queries whose two texts an engine answers differently, with the answers. */
export async function compareLeftOut(engine: ScratchEngine, seed: number, count: number): Promise<readonly unknown[]> {
  const compile = (text: string) => {
    const query = resolveQuery(parseQuery(text), text, { tables: engine.tables });
    return engine.compile(query, { text });
  };
  const ask = async (text: string) => {
    try {
      const rows = JSON.parse(await engine.run(compile(text), [], TIMEOUT_MS)) as readonly unknown[];
      return rows.map((row) => JSON.stringify(row)).sort();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  await engine.createTable("texts", compile(`SELECT s, n, 0 AS v FROM UNNEST(${ROWS}) ORDER BY n`));
  const random = new Random(seed);
  const differing: unknown[] = [];
  for (let at = 0; at < count; at++) {
    const [failing, total] = writeLeftOut(random);
    const [found, expected] = [await ask(failing), await ask(total)];
    if (JSON.stringify(found) !== JSON.stringify(expected) || typeof expected === "string") {
      differing.push({ failing, found, expected });
    }
  }
  return differing;
}
