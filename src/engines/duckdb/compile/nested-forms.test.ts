import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  compileText,
  openEdgeDatabase,
  refusalOf,
  type TestDatabase,
} from "../../../../test/support/engines/duckdb/compile/compile-text.ts";
import { nestedCalls, nestedRow } from "../../../../test/support/engines/nested-calls.ts";

const nested = (levels: number, form: (inner: string) => string, innermost: string) =>
  Array.from({ length: levels }).reduce<string>(form, innermost);

const rows = "FROM UNNEST([STRUCT('a' AS s, '$.a' AS path, 1 AS n, TIMESTAMP '2026-01-01' AS t)])";

describe("forms in each other's operands", () => {
  let edge: TestDatabase;
  beforeAll(async () => {
    edge = await openEdgeDatabase();
  });
  afterAll(() => edge.database.close());

  // What plans one of them twice would plan the innermost 2^40 times.
  it.each([
    ["BETWEEN", (inner: string) => `IF(${inner} BETWEEN 1 AND 3, n, 2)`, "n", 1],
    ["JSON_QUERY", (inner: string) => `JSON_QUERY(${inner}, '$.a')`, "s", null],
    ["JSON_QUERY by a path", (inner: string) => `JSON_QUERY(${inner}, path)`, "'{}'", null],
  ])("are planned in no time: %s", async (_, form, innermost, expected) => {
    const text = nested(40, form, innermost);
    expect(await edge.rows(`SELECT ${text} ${rows}`).catch(String)).toEqual([[expected]]);
  });

  it.each([
    ["LEFT", (inner: string) => `LEFT(${inner}, n)`],
    ["RIGHT", (inner: string) => `RIGHT(${inner}, n)`],
    ["SUBSTR", (inner: string) => `SUBSTR(${inner}, n, n)`],
  ])("are printed once each: %s", (_, form) => {
    const lengthOf = (levels: number) => compileText(`SELECT ${nested(levels, form, "s")} ${rows}`).sql.length;
    expect(lengthOf(17) - lengthOf(16)).toBe(lengthOf(3) - lengthOf(2));
  });

  it("are printed once each, whatever the function is", () => {
    const tried = nestedCalls.flatMap(({ name, form, innermost }) => {
      const text = (levels: number) => `SELECT ${nested(levels, form, innermost)} AS v FROM ${nestedRow}`;
      if (refusalOf(() => compileText(text(12))) !== undefined) return [];
      return [{ name, ratio: compileText(text(12)).sql.length / compileText(text(6)).sql.length }];
    });
    expect(tried.length).toBeGreaterThan(200);
    expect(tried.filter(({ ratio }) => ratio > 2.1)).toEqual([]);
  });

  it("may be computed inside each other's computation up to 12 times", () => {
    const later = (inner: string) => `TIMESTAMP_ADD(t, INTERVAL UNIX_SECONDS(${inner}) SECOND)`;
    const text = (levels: number) => `SELECT ${nested(levels, later, "TIMESTAMP_ADD(t, INTERVAL n SECOND)")} ${rows}`;
    expect(compileText(text(10)).columns).toHaveLength(1);
    const message = "The query nests computations too deeply: more than 12 inside each other";
    expect(() => compileText(text(11))).toThrow(
      expect.objectContaining({ diagnostics: [{ code: "too_complex", message, span: { start: 0, end: 0 } }] }) as Error,
    );
  });
});
