/** Calls that say what another form of the language says, which is all that engines compute. */
import type { CallExpr, Expr } from "../../resolved.ts";

/** Functions and operators that others stand for, `SAFE_` ones with their errors as NULL. */
const SAME: Readonly<Record<string, string>> = {
  IFNULL: "COALESCE",
  SAFE_ADD: "$add",
  SAFE_MULTIPLY: "$multiply",
  SAFE_NEGATE: "$negate",
  SAFE_SUBTRACT: "$subtract",
};

/** Functions named after the type that they convert to; dates and times may have a time zone behind them. */
const CONVERSIONS: ReadonlySet<string> = new Set(["DATE", "DATETIME", "STRING", "TIME", "TIMESTAMP"]);
const CONVERTED: ReadonlySet<string> = new Set(["DATE", "DATETIME", "TIME", "TIMESTAMP"]);

/** Whether common calls of the function have another form. */
export const hasCanonicalForm = (name: string): boolean => SAME[name] !== undefined || CONVERSIONS.has(name);

/** The call in the form that engines compute. */
export function canonicalCall(call: CallExpr): Expr {
  const { function: name, arguments: operands, type, span } = call;
  const same = SAME[name];
  if (same !== undefined) return { ...call, function: same, isSafe: call.isSafe || name.startsWith("SAFE_") };
  const [operand, timeZone] = operands;
  if (!CONVERSIONS.has(name) || operand === undefined || !CONVERTED.has(operand.type.kind)) return call;
  if (timeZone !== undefined && timeZone.type.kind !== "STRING") return call;
  return { kind: "Cast", operand, isSafe: call.isSafe, isImplicit: false, timeZone, type, span };
}
