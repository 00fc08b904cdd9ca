import { expect, it } from "vitest";
import type { CallExpr, Expr } from "../../../../googlesql/resolved.ts";
import { STRING } from "../../../../googlesql/types.ts";
import { detectorsOf } from "./redaction.ts";

const span = { start: 0, end: 0 };
const literal = (value: string | null): Expr => ({ kind: "Literal", type: STRING, value, span });
const parameter: Expr = { kind: "Parameter", key: "p", type: STRING, span };

const redact = (...others: readonly Expr[]): CallExpr => {
  return { kind: "Call", function: "$redact", arguments: [parameter, ...others], isSafe: false, type: STRING, span };
};

it("the detectors of a call are written in it", () => {
  expect(detectorsOf(redact(literal("email,ip")))).toBe("email,ip");
  for (const call of [redact(literal(null)), redact(parameter), redact()]) {
    expect(() => detectorsOf(call)).toThrow("$redact lists its detectors");
  }
});
