import type { Expression } from "../../googlesql/ast.ts";
import { binary, call, cast, integer, isNull, text } from "../../lql/sql-nodes.ts";
import type { ChExpression } from "../clickhouse-ast.ts";
import {
  anyNullable,
  argument,
  type CallToTranslate,
  type FunctionRow,
  type FunctionRows,
  row,
  same,
} from "./function-table.ts";
import { type Kind, orElse, type Typed, toText, typed } from "./typed.ts";

/** A function that both languages have, of texts. */
const texts = (kind: Kind, name: string, args: number | readonly [number, number]): FunctionRow =>
  row(args, (asked) => {
    const values = asked.args.map((value, index) => (index === 0 ? toText(value, asked.span) : value));
    return typed(kind, same(name, { ...asked, args: values }), anyNullable(asked.args));
  });

const caselessPosition = row(2, ({ args, span }) => {
  const lower = args.map(({ node }) => call("LOWER", [node], span));
  return typed("integer", call("STRPOS", lower, span));
});

const split = row(2, (asked) => typed("array", same("SPLIT", { ...asked, args: asked.args.toReversed() })));

const emptiness = (operator: "=" | "!="): FunctionRow =>
  row(1, (asked) => {
    const { span } = asked;
    const { node, kind, isNullable } = argument(asked, 0);
    const isList = kind === "array";
    const [left, right] = isList ? [call("ARRAY_LENGTH", [node], span), integer(0, span)] : [node, text("", span)];
    return typed("bool", binary(operator, left, right, span), isNullable);
  });

/** The path of JSONPath that keys behind the first argument name: texts are members, numbers count from 1. */
function jsonPath({ written, refuse }: CallToTranslate): string {
  const steps = written.args.slice(1).map((key: ChExpression) => {
    if (key.kind === "string") return `."${key.value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
    if (key.kind === "number" && /^[1-9]\d*$/.test(key.text)) return `[${Number(key.text) - 1}]`;
    return refuse(`The keys of ${written.name} must be texts, or positions from 1, as literals`, key);
  });
  return `$${steps.join("")}`;
}

/** The scalar, or the JSON, at the path; NULL where there is none. */
function atPath(name: "JSON_VALUE" | "JSON_QUERY", asked: CallToTranslate): Expression {
  return call(name, [argument(asked, 0).node, text(jsonPath(asked), asked.span)], asked.span);
}

/** The value at a path: a text as it is, anything else as JSON. */
function jsonText(asked: CallToTranslate): Expression {
  return call("COALESCE", [atPath("JSON_VALUE", asked), atPath("JSON_QUERY", asked)], asked.span);
}

function jsonNumber(kind: "integer" | "float", asked: CallToTranslate): Typed {
  const { span } = asked;
  const number = cast(atPath("JSON_VALUE", asked), "FLOAT64", true, span);
  if (kind === "float") return orElse(number, kind, integer(0, span), span);
  return orElse(cast(call("TRUNC", [number], span), "INT64", true, span), kind, integer(0, span), span);
}

/** Functions of texts, of lists of them, and of JSON in texts. */
export const textFunctions: FunctionRows = {
  lower: texts("string", "LOWER", 1),
  upper: texts("string", "UPPER", 1),
  lowerutf8: texts("string", "LOWER", 1),
  upperutf8: texts("string", "UPPER", 1),
  trim: texts("string", "TRIM", 1),
  trimboth: texts("string", "TRIM", 1),
  trimleft: texts("string", "LTRIM", 1),
  trimright: texts("string", "RTRIM", 1),
  reverse: texts("string", "REVERSE", 1),
  startswith: texts("bool", "STARTS_WITH", 2),
  endswith: texts("bool", "ENDS_WITH", 2),
  match: texts("bool", "REGEXP_CONTAINS", 2),
  replaceall: texts("string", "REPLACE", 3),
  replace: texts("string", "REPLACE", 3),
  replaceregexpall: texts("string", "REGEXP_REPLACE", 3),
  position: texts("integer", "STRPOS", 2),
  positionutf8: texts("integer", "STRPOS", 2),
  positioncaseinsensitive: caselessPosition,
  positioncaseinsensitiveutf8: caselessPosition,
  lengthutf8: texts("integer", "CHAR_LENGTH", 1),
  length: row(1, (asked) => {
    const { node, kind, isNullable } = argument(asked, 0);
    const name = kind === "array" ? "ARRAY_LENGTH" : "BYTE_LENGTH";
    return typed("integer", call(name, [node], asked.span), isNullable);
  }),
  substring: texts("string", "SUBSTR", [2, 3]),
  substr: texts("string", "SUBSTR", [2, 3]),
  substringutf8: texts("string", "SUBSTR", [2, 3]),
  left: texts("string", "LEFT", 2),
  right: texts("string", "RIGHT", 2),
  extract: row(2, (asked) => orElse(same("REGEXP_EXTRACT", asked), "string", text("", asked.span), asked.span)),
  concat: row([1, 100], (asked) => {
    const parts = asked.args.map((value) => toText(value, asked.span));
    return typed("string", same("CONCAT", { ...asked, args: parts }), anyNullable(asked.args));
  }),
  empty: emptiness("="),
  notempty: emptiness("!="),
  splitbychar: split,
  splitbystring: split,
  arraystringconcat: row([1, 2], (asked) => {
    const [list, by = text("", asked.span)] = asked.args.map(({ node }) => node);
    return typed("string", call("ARRAY_TO_STRING", list === undefined ? [] : [list, by], asked.span));
  }),
  has: row(2, (asked) => {
    const set = { kind: "UnnestSet", array: argument(asked, 0).node } as const;
    return typed("bool", { kind: "In", isNegated: false, operand: argument(asked, 1).node, set, span: asked.span });
  }),
  jsonextractstring: row([1, 50], (asked) => orElse(jsonText(asked), "string", text("", asked.span), asked.span)),
  jsonextractraw: row([1, 50], (asked) =>
    orElse(atPath("JSON_QUERY", asked), "string", text("", asked.span), asked.span),
  ),
  jsonextractint: row([1, 50], (asked) => jsonNumber("integer", asked)),
  jsonextractuint: row([1, 50], (asked) => jsonNumber("integer", asked)),
  jsonextractfloat: row([1, 50], (asked) => jsonNumber("float", asked)),
  jsonextractbool: row([1, 50], (asked) => {
    const value = call("IFNULL", [atPath("JSON_VALUE", asked), text("", asked.span)], asked.span);
    return typed("bool", binary("=", value, text("true", asked.span), asked.span));
  }),
  jsonhas: row([1, 50], (asked) => typed("bool", isNull(atPath("JSON_QUERY", asked), asked.span, true))),
};
