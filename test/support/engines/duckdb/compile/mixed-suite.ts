/** Tests of fields with values of several shapes, in a short and a long form. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { splitMembers, splitValues } from "../../../../../src/values/json/split-json.ts";
import { mixedCases } from "./mixed-cases.ts";
import { everyShape, openShapesEngine, type Shape, type ShapesEngine } from "./shapes-engine.ts";

const kinds: readonly Shape[] = [5, 2.5, "text", true, [1, 2], ["a"], [true], { a: 1 }, [{ a: 1 }, { a: 2 }], []];

/** The values of fields with one shape, two shapes or none. */
const fewShapes: readonly (readonly Shape[])[] = [
  ...kinds.map((x) => [x]),
  ...kinds.flatMap((first, i) => [kinds[(i + 1) % kinds.length], kinds[(i + 4) % kinds.length]].map((x) => [first, x])),
  [undefined],
];

/** Queries that pass the value through: a condition on their column is a condition on the field. */
const passedOn: readonly string[] = [
  "(SELECT STRUCT(m.x AS v) AS s FROM $T) CROSS JOIN (SELECT 0) WHERE $(s.v)",
  "(SELECT AS STRUCT m.x AS v FROM $T) s WHERE $(s.v)",
  "(SELECT ARRAY_AGG(STRUCT(m.x AS v)) AS a FROM $T) CROSS JOIN UNNEST(a) AS s WHERE $(s.v)",
  "(SELECT STRUCT(STRUCT(m.x AS v) AS u) AS s FROM $T UNION ALL SELECT STRUCT(STRUCT(m.x AS v) AS u) FROM $T) " +
    "WHERE $(s.u.v)",
  "(SELECT MIN(m.x) AS lo, MAX(m.x) AS hi, ANY_VALUE(m.x) AS one FROM $T) WHERE $(lo) OR $(hi) OR $(one)",
  "(SELECT MAX_BY(m.x, m.n) AS v, ARRAY_AGG(m.x) AS a FROM $T) WHERE $(v) OR $(a[SAFE_OFFSET(0)])",
  "(SELECT FIRST_VALUE(m.x) OVER w AS f, LAG(m.x) OVER w AS v, MAX(m.x) OVER w AS hi " +
    "FROM $T WINDOW w AS (ORDER BY m.n)) WHERE $(f) OR $(v) OR $(hi)",
  "(SELECT IF(m.n = 0, m.x, NULL) AS v, COALESCE(m.x, m.y) AS c, NULLIF(m.x, m.y) AS o FROM $T) WHERE $(v) " +
    "OR $(c) OR $(o)",
  "(SELECT CASE m.n WHEN 0 THEN m.x ELSE m.y END AS v, WITH(w AS m.x, w) AS o FROM $T) WHERE $(v) OR $(o)",
  "(SELECT r FROM $T CROSS JOIN UNNEST(m.x) AS r) WHERE $(r)",
];

/** Conditions on `v`, each for a different shape. */
const asked = [
  "v + 1 > 2",
  "UPPER(v) LIKE 'A%'",
  "v.a = 1",
  "ARRAY_LENGTH(v) > 0",
  "v = 'text'",
  "v IN (1, 2)",
  "NOT v",
];

function throughOthers(): readonly string[] {
  const all = `(${asked.join(" OR ")})`;
  return passedOn.map((from) => {
    const where = from.replaceAll(/\$\(([^)]+\)?\]?)\)/g, (_, v: string) => all.replaceAll(/\bv\b/g, v));
    return `SELECT COUNT(*) FROM ${where}`;
  });
}

/** Queries that must not fail for any shape, in addition to those whose rows are known. */
const furtherQueries: readonly string[] = [
  "SELECT m.x.a.b.c, m.x[0][0].a FROM $T",
  "SELECT ABS(m.x), ROUND(m.x), -m.x, m.x * m.x, m.x / 2, MOD(m.x, 2), DIV(m.x, 2) FROM $T",
  "SELECT m.x AND TRUE, NOT m.x, m.x IS TRUE FROM $T",
  "SELECT REGEXP_CONTAINS(m.x, 't'), SUBSTR(m.x, m.x), SPLIT(m.x, 'e'), FORMAT('%d %s', m.n, m.x) FROM $T",
  "SELECT TIMESTAMP_TRUNC(SAFE_CAST(m.x AS TIMESTAMP), DAY), DATE_ADD(m.x, INTERVAL 1 DAY) FROM $T WHERE FALSE",
  "SELECT ARRAY_CONCAT(m.x, m.x), ARRAY_REVERSE(m.x), [m.x, m.x] FROM $T",
  "SELECT ARRAY(SELECT v + 1 FROM UNNEST(m.x) v), EXISTS(SELECT 1 FROM UNNEST(m.x) v WHERE v = 'a') FROM $T",
  "SELECT m.x = m.y, m.x < m.y, m.x IN (m.y, 5), COALESCE(m.y, m.x) FROM $T",
  "SELECT m.x FROM $T UNION ALL SELECT 1.5",
  "SELECT m.x FROM $T UNION DISTINCT SELECT 'x' ORDER BY x",
  "SELECT m.x FROM $T EXCEPT DISTINCT SELECT m.n FROM $T",
  "SELECT JSON_QUERY(m.x, '$.a'), JSON_VALUE_ARRAY(m.x), TO_JSON(m.x), JSON_TYPE(m.x) FROM $T",
  "SELECT PERCENTILE_CONT(m.x, 0.5) OVER (), PERCENTILE_DISC(m.x, 0.5) OVER () FROM $T",
  "SELECT STDDEV(m.x), CORR(m.x, m.n), BIT_OR(m.x), APPROX_TOP_COUNT(m.x, 2), " +
    "HLL_COUNT.EXTRACT(HLL_COUNT.INIT(m.x)) FROM $T",
  "SELECT * FROM (SELECT m.x, m.n FROM $T) PIVOT(COUNT(n) FOR x IN (5, 6))",
  "SELECT * FROM (SELECT m.x, m.n FROM $T) UNPIVOT(v FOR k IN (x, n))",
  "SELECT m.x, COUNT(*) FROM $T GROUP BY ROLLUP(m.x) ORDER BY m.x",
  "SELECT CASE m.x WHEN TRUE THEN 1 WHEN 'a' THEN 2 END FROM $T",
  "FROM $T |> WHERE m.x > 1 |> AGGREGATE SUM(m.x) GROUP BY m.x |> ORDER BY x",
  ...throughOthers(),
];

function over(sql: string, source: string, where: string): string {
  return sql.replaceAll("$T", `${source} t CROSS JOIN ${where}`).replaceAll("$S", source);
}

/**
 * `isWhole`: all cases in all places; otherwise each case with its values in columns, and every place with some of
 * the cases.
 */
export function testMixedFields(isWhole: boolean): void {
  let engine: ShapesEngine;
  beforeAll(async () => {
    engine = await openShapesEngine();
    await engine.store("forth", everyShape);
    await engine.store("back", [...everyShape].reverse());
    await engine.store("narrow", everyShape, { isNarrow: true });
    await engine.storeRecords("few", fewShapes);
  });
  afterAll(() => engine.close());

  /** Every so many cases, starting with a different one in each place. */
  const some = <T>(all: readonly T[], every: number, place: number): readonly T[] =>
    isWhole ? all : all.filter((_, index) => (index + place) % every === 0);

  /** `value:value` for each row in the answer's form, without a last value of 0. */
  async function expectRows(sql: string, expected: string): Promise<void> {
    const text = await engine.text(sql, "objects");
    const rows = [...splitValues(text)].map((row) => [...splitMembers(row)].join(":")).join(" ");
    expect(expected.includes(":") ? rows : rows.replaceAll(/:0( |$)/g, "$1")).toBe(expected);
  }

  describe.each([
    ["forth", some(mixedCases, 4, 3)],
    ["back", some(mixedCases, 8, 0)],
    ["narrow", some(mixedCases, 6, 0)],
  ] as const)("in the source %s", (source, cases) => {
    it.each(cases)("%s", (_, sql, expected) => expectRows(over(sql, source, "UNNEST(t.metadata) m"), expected));
  });

  // Those that take the record itself out of the source are left out.
  const fieldCases = mixedCases.filter(([, sql]) => sql.includes("$T"));
  describe.each([
    ["forth", some(fieldCases, 8, 1)],
    ["back", some(fieldCases, 8, 2)],
  ] as const)("at the top level of the source %s", (source, cases) => {
    it.each(cases)("%s", async (_, sql, expected) => {
      const top = over(sql, source, "(SELECT 1) o").replaceAll("m.x", "t.x").replaceAll("m.n", "CAST(t.id AS INT64)");
      await expectRows(top, expected);
    });
  });

  it("fails a cast of a value that is not of the type", async () => {
    for (const n of [2, 4, 5, 6]) {
      const sql = over(`SELECT CAST(m.x AS INT64) FROM $T WHERE m.n = ${n}`, "forth", "UNNEST(t.metadata) m");
      await expect(engine.text(sql)).rejects.toThrow(/Bad (int64 )?value/);
    }
  });

  it("is compared with parameters as text", async () => {
    for (const source of ["forth", "narrow"]) {
      const sql = over("SELECT m.n FROM $T WHERE m.x = @p ORDER BY m.n", source, "UNNEST(t.metadata) m");
      expect(await engine.text(sql, "cells", { p: "200" })).toBe("[0],[1]");
    }
  });

  describe("that has one or two shapes supports every query", () => {
    const queries = [
      ...mixedCases.map(([, sql]) => sql).filter((sql) => !/ CAST\(m\.x AS INT64\)|AS STRUCT/.test(sql)),
      ...furtherQueries,
    ];
    const cases = fewShapes.map((shapes, i) => [JSON.stringify(shapes), some(queries, 40, 7 * i), `r${i}`] as const);
    it.each(cases)("%s", async (_, asked, record) => {
      const failed: string[] = [];
      for (const sql of asked) {
        const below = over(sql, "few", `UNNEST(t.${record}) m`).replaceAll("s.metadata", `s.${record}`);
        await engine.text(below).catch((error: unknown) => failed.push(`${sql}: ${String(error)}`));
      }
      expect(failed).toEqual([]);
    });
  });
}
