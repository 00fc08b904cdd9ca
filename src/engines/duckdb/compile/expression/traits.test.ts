import { expect, it } from "vitest";
import type { Expr } from "../../../../googlesql/resolved.ts";
import { FLOAT64, INT64, type SqlType } from "../../../../googlesql/types.ts";
import type { Compilation } from "../compilation.ts";
import type { Scope } from "../scope.ts";
import { isNeverNaN } from "./traits.ts";

it("a written number is none if it says so", () => {
  const scope: Scope = { kind: "block", parent: undefined, find: () => undefined };
  const literal = (value: string | null, type: SqlType = FLOAT64): Expr => {
    return { kind: "Literal", type, value, span: { start: 0, end: 0 } };
  };
  const values = [literal("1.5"), literal("NaN"), literal("Infinity"), literal(null), literal("NaN", INT64)];
  expect(values.map((value) => isNeverNaN({} as Compilation, value, scope))).toEqual([true, false, true, true, true]);
});
