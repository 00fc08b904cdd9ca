import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { splitMembers, splitValues } from "../../../../shared/json-scan.ts";
import { mixedCases } from "../testing/mixed-cases.ts";
import { everyShape, openShapesEngine, type Shape, type ShapesEngine } from "../testing/shapes-engine.ts";

describe("a field that carried every shape", () => {
  let engine: ShapesEngine;
  beforeAll(async () => {
    engine = await openShapesEngine();
    await engine.store("forth", everyShape);
    await engine.store("back", [...everyShape].reverse());
    await engine.store("narrow", everyShape, { isNarrow: true });
  });
  afterAll(() => engine.close());

  /** `value:value` for each row, without a last one of 0, as the answer writes them. */
  async function rowsOf(sql: string): Promise<string> {
    const text = await engine.text(sql, "objects");
    return [...splitValues(text)].map((row) => [...splitMembers(row)].join(":")).join(" ");
  }

  function over(sql: string, source: string, where: string): string {
    return sql.replaceAll("$T", `${source} t CROSS JOIN ${where}`).replaceAll("$S", source);
  }

  describe.each(["forth", "back", "narrow"])("of the source %s", (source) => {
    it.each(mixedCases)("%s", async (_, sql, expected) => {
      const isSingle = !expected.includes(":");
      const rows = await rowsOf(over(sql, source, "UNNEST(t.metadata) m"));
      expect(isSingle ? rows.replaceAll(/:0( |$)/g, "$1") : rows).toBe(expected);
    });
  });

  describe.each(["forth", "back"])("at the top level of the source %s", (source) => {
    it.each(mixedCases)("%s", async (_, sql, expected) => {
      const isSingle = !expected.includes(":");
      const rows = await rowsOf(
        over(sql, source, "(SELECT 1) o").replaceAll("m.x", "t.x").replaceAll("m.n", "CAST(t.id AS INT64)"),
      );
      expect(isSingle ? rows.replaceAll(/:0( |$)/g, "$1") : rows).toBe(expected);
    });
  });

  it("is an error for a cast of a value that is no such type", async () => {
    for (const n of [2, 4, 5, 6]) {
      const sql = over(`SELECT CAST(m.x AS INT64) FROM $T WHERE m.n = ${n}`, "forth", "UNNEST(t.metadata) m");
      await expect(engine.text(sql)).rejects.toThrow(/Bad (int64 )?value/);
    }
  });

  it("meets parameters as texts", async () => {
    for (const source of ["forth", "narrow"]) {
      const sql = over("SELECT m.n FROM $T WHERE m.x = @p ORDER BY m.n", source, "UNNEST(t.metadata) m");
      expect(await engine.text(sql, "cells", { p: "200" })).toBe("[0],[1]");
    }
  });

  describe("of one shape or two takes every query", () => {
    const kinds: readonly Shape[] = [5, 2.5, "text", true, [1, 2], ["a"], [true], { a: 1 }, [{ a: 1 }, { a: 2 }], []];
    const stores = [
      ...kinds.map((x) => [x]),
      ...kinds.flatMap((first, i) =>
        [kinds[(i + 1) % kinds.length], kinds[(i + 4) % kinds.length]].map((x) => [first, x]),
      ),
      [undefined],
    ];
    const queries = [
      ...mixedCases.map(([, sql]) => sql).filter((sql) => !/ CAST\(m\.x AS INT64\)|AS STRUCT/.test(sql)),
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
      "SELECT STDDEV(m.x), CORR(m.x, m.n), BIT_OR(m.x), APPROX_TOP_COUNT(m.x, 2), HLL_COUNT.EXTRACT(HLL_COUNT.INIT(m.x)) FROM $T",
      "SELECT * FROM (SELECT m.x, m.n FROM $T) PIVOT(COUNT(n) FOR x IN (5, 6))",
      "SELECT * FROM (SELECT m.x, m.n FROM $T) UNPIVOT(v FOR k IN (x, n))",
      "SELECT m.x, COUNT(*) FROM $T GROUP BY ROLLUP(m.x) ORDER BY m.x",
      "SELECT CASE m.x WHEN TRUE THEN 1 WHEN 'a' THEN 2 END FROM $T",
      "FROM $T |> WHERE m.x > 1 |> AGGREGATE SUM(m.x) GROUP BY m.x |> ORDER BY x",
    ];

    it.each(stores.map((shapes) => [JSON.stringify(shapes), shapes] as const))("%s", async (_, shapes) => {
      const name = `only ${JSON.stringify(shapes)}`;
      await engine.store(
        name,
        shapes.map((x, n) => ({ n, x })),
      );
      const source = `\`${name}\``;
      const failed: string[] = [];
      for (const sql of queries) {
        const below = over(sql, source, "UNNEST(t.metadata) m");
        // What no event has carried, and what UNNEST gives of records alone, is a record without a value of its own.
        const isRecord = shapes.every(
          (x) => typeof x !== "number" && !/^(true|"|\[[^{])/.test(JSON.stringify(x) ?? ""),
        );
        if (isRecord && /ORDER BY m\.n, x$|v \+ 1|'abc', 1\.5/.test(sql)) continue;
        await engine.text(below).catch((error: unknown) => failed.push(`${sql}: ${String(error)}`));
      }
      expect(failed).toEqual([]);
    });
  });
});
