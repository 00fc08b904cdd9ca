/** Functions of numbers. Results that are no number where their arguments are fail. */
import { toInt64 } from "./arithmetic.ts";
import { literalOf } from "./literal.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

function kindOf({ types }: CallContext): string {
  return types[0]?.kind ?? "UNKNOWN";
}

function refuseKind(context: CallContext): never {
  return context.refuse(`values of the type ${kindOf(context)}`);
}

function absolute(context: CallContext): string {
  const [value = ""] = context.args;
  switch (kindOf(context)) {
    case "INT64":
      return toInt64(context, `abs(toInt128(${value}))`);
    case "FLOAT64":
    case "NUMERIC":
      return `abs(${value})`;
    default:
      return refuseKind(context);
  }
}

function sign(context: CallContext): string {
  const [value = ""] = context.args;
  switch (kindOf(context)) {
    case "INT64":
      return `toInt64(sign(${value}))`;
    case "FLOAT64":
      return context.bind([value], (x) => `if(isNaN(${x}), ${x}, toFloat64(sign(${x})))`);
    default:
      return refuseKind(context);
  }
}

/** The value as FLOAT64, which INT64 becomes for these functions. */
export function double(context: CallContext, index = 0): string {
  const value = context.args[index] ?? "";
  const kind = context.types[index]?.kind;
  if (kind === "FLOAT64") return value;
  return kind === "INT64" || kind === "UNKNOWN" ? `toFloat64(${value})` : refuseKind(context);
}

function rounded(name: "ceil" | "floor" | "trunc"): PrintCall {
  return (context) => {
    if (context.type.kind !== "FLOAT64") return refuseKind(context);
    if (context.args.length > 1) return context.refuse("a number of digits");
    return `${name}(${double(context)})`;
  };
}

/** Halves away from zero; ClickHouse rounds them to even. */
function round(context: CallContext): string {
  if (context.type.kind !== "FLOAT64") return refuseKind(context);
  if (context.args.length > 1 && literalOf(context, 1) !== "0") return context.refuse("a number of digits");
  if (context.args.length > 2) return context.refuse("a mode");
  return context.bind([double(context)], (x) => {
    return `if(isFinite(${x}), trunc(${x}) + if(abs(${x} - trunc(${x})) >= 0.5, sign(${x}), 0), ${x})`;
  });
}

function squareRoot(context: CallContext): string {
  if (context.type.kind !== "FLOAT64") return refuseKind(context);
  return context.bind([double(context)], (x) => {
    return context.failIf(`${x} < 0`, "SQRT of a negative number", `sqrt(${x})`);
  });
}

function isFloat(name: "isNaN" | "isInfinite"): PrintCall {
  return (context) => `(${name}(${double(context)}) != 0)`;
}

/** GREATEST and LEAST: NULL if any argument is, otherwise NaN if any is. */
function extreme(name: "greatest" | "least"): PrintCall {
  return (context) => {
    const { args, types } = context;
    const kinds = new Set(types.map(({ kind }) => kind));
    const isPlain = [...kinds].every((kind) => PLAIN.has(kind));
    if (!isPlain) return refuseKind(context);
    return context.bind(args, (...values) => {
      const isMissing = values.map((value) => `isNull(${value})`).join(" OR ");
      const nans = kinds.has("FLOAT64")
        ? [`${values.map((value) => `isNaN(${value})`).join(" OR ")}, CAST('nan', 'Float64')`]
        : [];
      return `multiIf(${[`${isMissing}, NULL`, ...nans].join(", ")}, ${name}(${values.join(", ")}))`;
    });
  };
}

const PLAIN: ReadonlySet<string> = new Set([..."INT64 FLOAT64 STRING BYTES DATE TIME DATETIME TIMESTAMP".split(" ")]);

function ieeeDivide(context: CallContext): string {
  if (context.type.kind !== "FLOAT64") return refuseKind(context);
  return `(${double(context)} / ${double(context, 1)})`;
}

function bitCount(context: CallContext): string {
  return kindOf(context) === "INT64" ? `toInt64(bitCount(${context.args[0]}))` : refuseKind(context);
}

export const numberFunctions: FunctionTable = {
  ABS: absolute,
  BIT_COUNT: bitCount,
  CEIL: rounded("ceil"),
  FLOOR: rounded("floor"),
  GREATEST: extreme("greatest"),
  IEEE_DIVIDE: ieeeDivide,
  IS_INF: isFloat("isInfinite"),
  IS_NAN: isFloat("isNaN"),
  LEAST: extreme("least"),
  ROUND: round,
  SIGN: sign,
  SQRT: squareRoot,
  TRUNC: rounded("trunc"),
};
