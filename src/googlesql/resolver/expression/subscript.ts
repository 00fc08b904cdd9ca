import type { Subscript } from "../../ast.ts";
import type { Expr } from "../../resolved.ts";
import { INT64, JSON_TYPE, STRING } from "../../types.ts";
import { asMixed, coerce, coerceOrFail, isLenientExpr, typeName } from "../call/coerce.ts";
import { type ExprContext, resolveExpression } from "../context.ts";
import { errorExpr, isErrorExpr, nullExpr } from "../resolution.ts";
import { call } from "./expr.ts";
import { accessField } from "./field.ts";
import { asList } from "./mixed.ts";

const ARRAY_FUNCTIONS: Readonly<Record<string, string>> = {
  PLAIN: "$array_at_offset",
  OFFSET: "$array_at_offset",
  SAFE_OFFSET: "$safe_array_at_offset",
  ORDINAL: "$array_at_ordinal",
  SAFE_ORDINAL: "$safe_array_at_ordinal",
};

/** `base[index]` of an array, a JSON value or a struct. */
export function resolveSubscript(context: ExprContext, node: Subscript): Expr {
  const { resolution } = context;
  const base = resolveExpression(context, node.base);
  const index = resolveExpression(context, node.index);
  const { span } = node;
  if (isErrorExpr(base) || isErrorExpr(index)) return errorExpr(span);
  if (base.type.kind === "UNKNOWN" && base.kind !== "Parameter") return nullExpr(span);
  if (base.type.kind === "JSON" && node.mode === "PLAIN") {
    const key = coerce(resolution, index, INT64) ?? coerce(resolution, index, STRING);
    if (key !== undefined) return call("$json_subscript", [base, key], JSON_TYPE, span);
    return resolution.fail(
      "type_mismatch",
      `A subscript of JSON must be INT64 or STRING, but it is ${typeName(index.type)}`,
      index.span,
    );
  }
  if (base.type.kind === "MIXED") return mixedElement(context, base, index, node);
  if (base.type.kind === "ARRAY") {
    const name = ARRAY_FUNCTIONS[node.mode];
    if (name === undefined)
      return resolution.fail("unsupported", `Subscript access using [${node.mode}()] is not supported on arrays`, span);
    const at = coerceOrFail(resolution, index, INT64, "An array position");
    if (base.type.element.kind === "RECORD") return recordElement(base, at, node, name);
    // Events may have shorter lists at any time.
    const isSafe = name.startsWith("$safe") || isLenientExpr(resolution, base);
    return call(isSafe ? safeName(name) : name, [base, at], base.type.element, span);
  }
  if (base.type.kind === "STRUCT" && (node.mode === "PLAIN" || node.mode === "OFFSET" || node.mode === "ORDINAL")) {
    const position =
      index.kind === "Literal" && index.type.kind === "INT64"
        ? Number(index.value) - (node.mode === "ORDINAL" ? 1 : 0)
        : -1;
    const field = base.type.fields[position];
    if (field !== undefined) return { kind: "Field", base, index: position, type: field.type, span };
    return resolution.fail(
      "invalid_query",
      "A subscript of a STRUCT must be a literal position of one of its fields",
      index.span,
    );
  }
  if (
    base.type.kind === "RECORD" &&
    index.kind === "Literal" &&
    index.value === (node.mode.endsWith("ORDINAL") ? "1" : "0")
  )
    return base;
  const mixed = asMixed(resolution, base);
  if (mixed !== undefined) return mixedElement(context, mixed, index, node);
  return resolution.fail(
    "type_mismatch",
    `Subscript access is not supported on a value with type ${typeName(base.type)}`,
    span,
  );
}

function safeName(name: string): string {
  return name.startsWith("$safe") ? name : name.replace("$", "$safe_");
}

/** An element of a list, NULL where there is none. A name is a field of a record. */
function mixedElement(context: ExprContext, base: Expr, index: Expr, node: Subscript): Expr {
  const { resolution } = context;
  if (index.kind === "Literal" && index.type.kind === "STRING" && index.value !== null && node.mode === "PLAIN")
    return accessField(resolution, base, { kind: "Identifier", name: index.value, isQuoted: true, span: index.span });
  const name = ARRAY_FUNCTIONS[node.mode];
  if (name === undefined)
    return resolution.fail("unsupported", `Subscript access using [${node.mode}()] is not supported here`, node.span);
  const at = coerceOrFail(resolution, index, INT64, "An array position");
  const array = asList(base);
  const element = array.type.kind === "ARRAY" ? array.type.element : array.type;
  return call(safeName(name), [array, at], element, node.span);
}

/**
 * An element of a log record's array: NULL where the event has none, and position 0 from the ordinal 1 too, so that
 * paths can be joined.
 */
function recordElement(base: Expr, at: Expr, node: Subscript, name: string): Expr {
  if (base.type.kind !== "ARRAY") return base;
  if (!name.endsWith("ordinal")) return call("$safe_array_at_offset", [base, at], base.type.element, node.span);
  if (at.kind !== "Literal" || at.value === null)
    return call("$safe_array_at_ordinal", [base, at], base.type.element, node.span);
  const offset: Expr = { ...at, value: (BigInt(at.value) - 1n).toString() };
  return call("$safe_array_at_offset", [base, offset], base.type.element, node.span);
}
