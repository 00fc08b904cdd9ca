import { DECIMAL_TYPES, formatDecimal, parseDecimal } from "../../../values/decimal.ts";
import { canonicalJson } from "../../../values/json/json-parser.ts";
import { isInt64, shortestFloat64 } from "../../../values/number-text.ts";
import type { Literal, TypedLiteral } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Expr, LiteralExpr } from "../../resolved.ts";
import {
  BIGNUMERIC,
  BOOL,
  BYTES,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  JSON_TYPE,
  NUMERIC,
  type SqlType,
  STRING,
  TIME,
  TIMESTAMP,
} from "../../types.ts";
import { convertLiteral } from "../call/coerce.ts";
import { nullExpr, type Resolution } from "../resolution.ts";

/** Any decimal of so many digits comes back from a double. */
const DOUBLE_DIGITS = 15;

/** An integer as `String` would write it. */
const SHORT_INTEGER = /^(?:0|[1-9]\d{0,14})$/;

/** A literal of the text. `sign` is -1 for one that a unary minus stands before. */
export function resolveLiteral(resolution: Resolution, node: Literal, sign: 1 | -1, span: Span): Expr {
  switch (node.kind) {
    case "NullLiteral":
      return nullExpr(span);
    case "BoolLiteral":
      return literal(BOOL, String(node.value), span);
    case "IntLiteral": {
      if (sign === 1 && SHORT_INTEGER.test(node.text)) return literal(INT64, node.text, span);
      if (/^\d{1,15}$/.test(node.text)) return literal(INT64, String(sign * Number(node.text) + 0), span);
      const value = BigInt(node.text) * BigInt(sign);
      if (!isInt64(value)) return resolution.fail("invalid_query", `Invalid integer literal: ${node.text}`, span);
      return literal(INT64, value.toString(), span);
    }
    case "FloatLiteral": {
      const value = Number(node.text) * sign;
      if (!Number.isFinite(value))
        return resolution.fail("invalid_query", `Invalid floating point literal: ${node.text}`, span);
      const result = literal(FLOAT64, shortestFloat64(value), span);
      if (node.text.length <= DOUBLE_DIGITS) return result;
      return { ...result, digits: sign === -1 ? `-${node.text}` : node.text };
    }
    case "StringLiteral":
      return literal(STRING, node.value, span);
    case "BytesLiteral":
      return literal(BYTES, Buffer.from(node.value).toString("base64"), span);
    case "MaxLiteral":
      return resolution.fail("invalid_query", "MAX stands in type parameters only", span);
  }
}

export function literal(type: SqlType, value: string, span: Span): LiteralExpr {
  return { kind: "Literal", type, value, span };
}

const TYPES: Readonly<Record<TypedLiteral["type"], SqlType>> = {
  DATE,
  DATETIME,
  TIME,
  TIMESTAMP,
  NUMERIC,
  BIGNUMERIC,
  JSON: JSON_TYPE,
};

/** `DATE '2024-01-01'` and its like. */
export function resolveTypedLiteral(resolution: Resolution, node: TypedLiteral): Expr {
  const type = TYPES[node.type];
  if (node.type === "JSON") return resolveJson(resolution, node);
  const value = typedValue(resolution, node.type, node.value);
  return value === undefined
    ? resolution.fail("invalid_query", `Invalid ${node.type} literal`, node.span)
    : literal(type, value, node.span);
}

function typedValue(resolution: Resolution, type: TypedLiteral["type"], text: string): string | undefined {
  if (type === "NUMERIC" || type === "BIGNUMERIC") {
    const value = parseDecimal(text, DECIMAL_TYPES[type], true);
    return value === undefined ? undefined : formatDecimal(value, DECIMAL_TYPES[type]);
  }
  const value = convertLiteral(resolution, text, STRING, TYPES[type]);
  return value === "invalid" || value === null ? undefined : value;
}

/** A JSON literal, in canonical text. */
function resolveJson(resolution: Resolution, node: TypedLiteral): Expr {
  try {
    return literal(JSON_TYPE, canonicalJson(node.value), node.span);
  } catch (error) {
    const reason = String(error instanceof Error ? error.message : error).replace(/^Invalid JSON:? ?/, "");
    return resolution.fail("invalid_query", `Invalid JSON literal: ${reason}`, node.span);
  }
}
