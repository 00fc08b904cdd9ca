import { expect, it } from "vitest";
import type { Expr } from "../../../../googlesql/resolved.ts";
import { FLOAT64, INT64, type SqlType } from "../../../../googlesql/types.ts";
import type { Compilation, Scope } from "../compilation.ts";
import { isNeverNaN, lookUp } from "./traits.ts";

const scope: Scope = { compilation: {} as Compilation, kind: "select", parent: undefined, find: () => undefined };

it("a column that no query has is a problem of the query", () => {
  const column = { id: 7, name: "lost", type: INT64 };
  const diagnostics = [
    { code: "invalid_query", message: "Column lost cannot be read here", span: { start: 0, end: 0 } },
  ];
  expect(() => lookUp(column, scope)).toThrow(expect.objectContaining({ diagnostics }) as Error);
});

it("a written number is none if it says so", () => {
  const literal = (value: string | null, type: SqlType = FLOAT64): Expr => {
    return { kind: "Literal", type, value, span: { start: 0, end: 0 } };
  };
  const values = [literal("1.5"), literal("NaN"), literal("Infinity"), literal(null), literal("NaN", INT64)];
  expect(values.map((value) => isNeverNaN(value, scope))).toEqual([true, false, true, true, true]);
});
