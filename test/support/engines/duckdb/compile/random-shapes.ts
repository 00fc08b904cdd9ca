/** Tests of random queries over fields with values of random shapes, in a short and a long form. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EventValue } from "../../../../../src/engines/contract/query-engine.ts";
import { GoogleSqlError } from "../../../../../src/googlesql/diagnostic.ts";
import { openShapesEngine, type Shape, type ShapesEngine } from "./shapes-engine.ts";

const SEED = 20260820;

const numbers = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer({ min: -4000, max: 4000 }).map((n) => n / 8),
  fc.constantFrom(0, -0, 1e5, 1e21, 1e-7, 0.00012, 5e-324, 2 ** 53, -(2 ** 60), 123456789.125),
  fc.constantFrom(2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n + 1n, 10n ** 30n),
);
const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom(
    "200",
    "1.5",
    "-3",
    "1e3",
    "true",
    "FALSE",
    "NaN",
    "inf",
    "",
    "[1]",
    "{}",
    "null",
    '"',
    "\\",
    "\u0000\u001f",
  ),
);
const scalars: fc.Arbitrary<EventValue> = fc.oneof(numbers, texts, fc.boolean());
const records: fc.Arbitrary<EventValue> = fc.record(
  { a: scalars, b: fc.oneof(scalars, fc.array(scalars, { maxLength: 2 })), "odd/~ key": scalars },
  { requiredKeys: ["a"] },
);
const shape: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 6, arbitrary: scalars },
  { weight: 2, arbitrary: fc.array(scalars, { maxLength: 4 }) },
  { weight: 1, arbitrary: records },
  { weight: 1, arbitrary: fc.array(records, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

const literal = fc.constantFrom("200", "1.5", "0", "'200'", "'a'", "'true'", "TRUE", "9007199254740993", "-3");
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constant("$X") },
  { weight: 1, arbitrary: fc.constantFrom("$X[0]", "$X.a", "$X.b", "$X[SAFE_OFFSET(1)]", "$X.a[0]", "$X.`odd/~ key`") },
  { weight: 1, arbitrary: literal.map((other) => `COALESCE($X, ${other})`) },
  { weight: 1, arbitrary: fc.constantFrom("IF($N > 3, $X, NULL)", "GREATEST($X, $X)", "CASE WHEN $N < 5 THEN $X END") },
);
const condition = fc.oneof(
  fc.tuple(value, fc.constantFrom("=", "<", ">=", "!="), fc.oneof(literal, value)).map((parts) => parts.join(" ")),
  fc.tuple(value, literal, literal).map(([x, a, b]) => `${x} IN (${a}, ${b})`),
  value.map((x) => `${x} IS NULL`),
  value.map((x) => `${x} LIKE '%a%'`),
  fc.tuple(value, literal).map(([x, a]) => `EXISTS(SELECT 1 FROM UNNEST(${x}) v WHERE v = ${a})`),
  fc.tuple(value, literal).map(([x, a]) => `${a} IN UNNEST(${x})`),
);
const expression = fc.oneof(
  value,
  condition,
  fc
    .tuple(
      fc.constantFrom(
        "UPPER",
        "LENGTH",
        "ABS",
        "ROUND",
        "TO_JSON_STRING",
        "ARRAY_LENGTH",
        "TO_JSON",
        "SIGN",
        "REVERSE",
      ),
      value,
    )
    .map(([name, x]) => `${name}(${x})`),
  fc
    .tuple(fc.constantFrom("INT64", "FLOAT64", "NUMERIC", "BOOL", "STRING", "TIMESTAMP"), value)
    .map(([type, x]) => `SAFE_CAST(${x} AS ${type})`),
  value.map((x) => `${x} + 1`),
  value.map((x) => `CONCAT(${x}, '-')`),
  value.map((x) => `FORMAT('%t %s', ${x}, $X)`),
);
const query = fc.oneof(
  fc.tuple(expression, condition).map(([e, c]) => `SELECT $N, ${e} FROM $T WHERE ${c} OR $N < 6 ORDER BY $N`),
  fc.tuple(expression, value).map(([e, x]) => `SELECT $N, ${e} FROM $T ORDER BY ${x}, $N`),
  fc
    .tuple(fc.constantFrom("MIN", "MAX", "COUNT", "APPROX_COUNT_DISTINCT", "COUNTIF"), value)
    .map(([f, x]) => `SELECT ${f}(${x}), COUNT(DISTINCT ${x}) FROM $T`),
  value.map((x) => `SELECT STRING_AGG(${x}, '|' ORDER BY $N), ARRAY_AGG(${x} ORDER BY ${x}, $N) FROM $T`),
  value.map((x) => `SELECT k, COUNT(*), MAX(n) FROM (SELECT ${x} AS k, $N AS n FROM $T) GROUP BY k ORDER BY k`),
  value.map((x) => `SELECT DISTINCT ${x} AS k FROM $T ORDER BY k`),
  value.map((x) => `SELECT $N, RANK() OVER (ORDER BY ${x}), LAG(${x}) OVER (ORDER BY $N) FROM $T ORDER BY $N`),
  fc
    .tuple(value, literal)
    .map(([x, a]) => `SELECT $N, pos, v, v = ${a}, v.a FROM $T, UNNEST(${x}) v WITH OFFSET pos ORDER BY $N, pos`),
  fc.tuple(value, literal).map(([x, a]) => `SELECT k FROM (SELECT ${x} AS k FROM $T UNION ALL SELECT ${a}) ORDER BY k`),
);

interface RandomShapes {
  readonly storeCount: number;
  readonly runCount: number;
}

/** Runs `runCount` random queries over `storeCount` stores of random shapes. */
export function testRandomShapes({ storeCount, runCount }: RandomShapes): void {
  let engine: ShapesEngine;
  beforeAll(async () => {
    engine = await openShapesEngine();
    const stores = fc.sample(fc.array(shape, { minLength: 2, maxLength: 10 }), { numRuns: storeCount, seed: SEED });
    for (const [i, shapes] of stores.entries()) {
      const numbered = shapes.map((x, n) => ({ n, x }));
      await engine.store(`forth${i}`, numbered);
      await engine.store(`back${i}`, [...numbered].reverse());
    }
    await engine.storeRecords("narrow", stores, { isNarrow: true });
  }, 60_000);
  afterAll(() => engine.close());

  /** The rows, or the type error of the query itself, which does not depend on the events. */
  function answer(sql: string): Promise<string> {
    return engine.text(sql, "cells").catch((error: unknown) => {
      if (error instanceof GoogleSqlError) return error.diagnostics.map(({ code }) => code).join();
      throw error;
    });
  }

  it("never fail, and return the same rows from columns, JSON and the top level, in any arrival order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(storeCount - 1), query, async (i, sql) => {
        const below = (name: string, record = "metadata") => {
          const table = `${name} t CROSS JOIN UNNEST(t.${record}) m`;
          return answer(sql.replaceAll("$T", table).replaceAll("$X", "m.x").replaceAll("$N", "m.n"));
        };
        const top = sql
          .replaceAll("$T", `forth${i} t, UNNEST([1])`)
          .replaceAll("$X", "t.x")
          .replaceAll("$N", "CAST(t.id AS INT64)");
        const fromColumns = await below(`forth${i}`);
        expect(await below("narrow", `r${i}`)).toBe(fromColumns);
        expect(await below(`back${i}`)).toBe(fromColumns);
        expect(await answer(top)).toBe(fromColumns);
      }),
      { numRuns: runCount },
    );
  }, 120_000);
}
