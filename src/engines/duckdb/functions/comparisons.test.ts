import { expect, it } from "vitest";
import { compileText } from "../../../../test/support/engines/duckdb/compile/compile-text.ts";

const sizeOf = (condition: string) => compileText(`SELECT ${condition} FROM UNNEST([1]) AS v`).sql.length;

it("AND and OR of what may fail, however deep they are nested, become as much SQL as they have operands", () => {
  const nested = (depth: number) => {
    let condition = "1 / v > 0";
    for (let at = 0; at < depth; at++) condition = `(${condition} ${at % 2 === 0 ? "AND" : "OR"} 1 / (v + ${at}) > 0)`;
    return condition;
  };
  expect(sizeOf(nested(120))).toBeLessThan(sizeOf(nested(60)) * 3);
});

it("AND repeats no operand before what may fail that is another value the next time, or reads rows", () => {
  for (const first of ["RAND() > 0.5", "(SELECT COUNT(*) FROM UNNEST([1])) > 0"]) {
    expect(compileText(`SELECT ${first} AND 1 / v > 0 FROM UNNEST([1]) AS v`).sql).not.toContain("IS FALSE");
  }
  expect(compileText("SELECT v > 0 AND 1 / v > 0 FROM UNNEST([1]) AS v").sql).toMatch(/IS FALSE/i);
});
