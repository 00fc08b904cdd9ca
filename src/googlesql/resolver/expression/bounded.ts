import type { Expr } from "../../resolved.ts";
import { BOOL, STRING } from "../../types.ts";
import { isErrorExpr, type Resolution } from "../resolution.ts";
import { call } from "./expr.ts";
import { literal } from "./literal.ts";

/**
 * A constant that must be a number from 0 to `most`, and not NULL. Any other is reported where it is a literal; by a
 * parameter's value the query fails, with the same message.
 */
export function bounded(resolution: Resolution, value: Expr, message: string, most?: number): Expr {
  const { type, span } = value;
  if (isErrorExpr(value)) return value;
  if (value.kind === "Literal") {
    const number = Number(value.value ?? -1);
    return number >= 0 && number <= (most ?? number) ? value : resolution.fail("invalid_query", message, span);
  }
  const bounds = most === undefined ? [0] : [0, most];
  const operands = [value, ...bounds.map((bound) => literal(type, String(bound), span))];
  const isWithin = call(most === undefined ? "$greater_or_equal" : "$between", operands, BOOL, span);
  const failure = call("ERROR", [literal(STRING, message, span)], type, span);
  // biome-ignore lint/suspicious/noThenProperty: a branch of CASE is never awaited
  return { kind: "Case", type, branches: [{ when: isWithin, then: value }], else: failure, span };
}
