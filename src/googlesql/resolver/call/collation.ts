import type { Expression, OrderItem } from "../../ast.ts";
import { functionFacts } from "../../catalogue/index.ts";
import type { Span } from "../../diagnostic.ts";
import type { AggregateCall, CallExpr, ComputedColumn, Expr } from "../../resolved.ts";
import { type ScalarType, type SqlType, STRING } from "../../types.ts";
import { isCollated, isGroupable } from "../../typing/same-type.ts";
import { call } from "../expression/expr.ts";
import { ERROR_TYPE, errorExpr, isErrorExpr, type Resolution } from "../resolution.ts";

/**
 * The collation that compares strings regardless of case, the only one of the "Collation concepts" page beside that
 * of code points.
 */
const CASE_INSENSITIVE = "und:ci";

const COLLATED: ScalarType = { kind: "STRING", collation: CASE_INSENSITIVE };

/** Reads `'und:ci'`, and `''` or `'binary'` for no collation, as ''; undefined where it was reported. */
function readCollation(resolution: Resolution, value: Expr): typeof CASE_INSENSITIVE | "" | undefined {
  return readName(
    resolution,
    value.kind === "Literal" && value.type.kind === "STRING" ? value.value : undefined,
    value.span,
  );
}

function readName(
  resolution: Resolution,
  name: string | null | undefined,
  span: Span,
): typeof CASE_INSENSITIVE | "" | undefined {
  if (name === "" || name === CASE_INSENSITIVE) return name;
  if (name === "binary") return "";
  resolution.report(
    "unsupported",
    typeof name === "string"
      ? `Unsupported collation ${JSON.stringify(name)}: it must be 'und:ci', or '' for none`
      : "A collation must be a literal: 'und:ci', or '' for none",
    span,
  );
  return undefined;
}

/** `STRING COLLATE 'und:ci'`, as CAST names it; the type itself where the collation is none. */
export function collatedType(resolution: Resolution, type: SqlType, collation: Expression | undefined): SqlType {
  if (collation === undefined) return type;
  if (type.kind !== "STRING") {
    resolution.report("type_mismatch", "COLLATE can only be applied to the type STRING", collation.span);
    return ERROR_TYPE;
  }
  const name = readName(resolution, collation.kind === "StringLiteral" ? collation.value : undefined, collation.span);
  if (name === undefined) return ERROR_TYPE;
  if (name === "") return STRING;
  resolution.hasCollation = true;
  return COLLATED;
}

/** The text, compared as one of the operands beside it is. */
export function inCollationOf(text: Expr, others: readonly Expr[]): Expr {
  const isPlain = text.type.kind === "STRING" && text.type.collation === undefined;
  return isPlain && others.some(({ type }) => type.kind === "STRING" && isCollated(type))
    ? call("COLLATE", [text], COLLATED, text.span)
    : text;
}

/** `COLLATE(text, 'und:ci')`: the text, of a type that compares by the collation. */
export function resolveCollate(resolution: Resolution, collate: CallExpr): Expr {
  const [text, collation] = collate.arguments;
  if (text === undefined || collation === undefined) return errorExpr(collate.span);
  const name = readCollation(resolution, collation);
  if (name === undefined) return errorExpr(collate.span);
  if (name === CASE_INSENSITIVE) resolution.hasCollation = true;
  return { ...collate, arguments: [text], type: name === "" ? STRING : COLLATED };
}

function keyOf(text: Expr): Expr {
  return call("$collation_key", [text], STRING, text.span);
}

/** A string with a collation as what it compares by; any other value as it is. */
export function comparedBy(value: Expr): Expr {
  return isCollatedString(value.type) ? keyOf(value) : value;
}

const isCollatedString = (type: SqlType): boolean => type.kind === "STRING" && type.collation !== undefined;

/** May values be distinguished at the top of a key, where a collation decides? */
export const isKeyType = (type: SqlType): boolean => isGroupable(type) || isCollatedString(type);

/**
 * Keys of groups as they are compared, and what shows them where that is another value: of the spellings in a group,
 * the first by code points.
 */
export function groupCollated(resolution: Resolution, keys: readonly ComputedColumn[], sets?: readonly unknown[]) {
  const collated = resolution.hasCollation ? keys.filter(({ column }) => isCollatedString(column.type)) : [];
  const [first] = collated;
  if (first === undefined) return { groupBy: keys, spellings: [] };
  if (sets !== undefined) {
    const message = "Grouping sets of strings with a collation are not supported";
    resolution.report("unsupported", message, first.expression.span);
  }
  const groupBy = keys.map((key) => {
    if (!collated.includes(key)) return key;
    return { column: resolution.newColumn("collation_key", STRING), expression: keyOf(key.expression) };
  });
  const spellings = collated.map(({ column, expression }) => ({ column, call: firstSpelling(expression) }));
  return { groupBy, spellings };
}

function firstSpelling(text: Expr): AggregateCall {
  const { span } = text;
  const codePoints = call("COLLATE", [text], STRING, span);
  const modifiers = { isDistinct: false, orderBy: [], isSafe: false, span } as const;
  const absent = { nullHandling: undefined, having: undefined, limit: undefined, filter: undefined };
  return { kind: "AggregateCall", function: "MIN", type: text.type, arguments: [codePoints], ...modifiers, ...absent };
}

/** A sort key: by the collation that ORDER BY names, or that its type has. */
export function collatedKey(resolution: Resolution, key: Expr, node: OrderItem["collation"], resolved?: Expr): Expr {
  if (isErrorExpr(key)) return key;
  if (node === undefined || resolved === undefined) return comparedBy(key);
  if (key.type.kind !== "STRING")
    return resolution.fail("type_mismatch", "COLLATE can only be applied to expressions of type STRING", node.span);
  const name = readCollation(resolution, resolved);
  if (name === undefined) return errorExpr(node.span);
  return name === "" ? key : keyOf(key);
}

/**
 * Returns the operands that an operator compares if a string among them has a collation; undefined if a problem was
 * reported.
 */
export function collatedOperands(
  resolution: Resolution,
  name: string,
  operands: readonly Expr[],
  span: Span,
): readonly Expr[] | undefined {
  // Functions that do not ignore the collation would have to hand it on.
  const { ignoresCollation, isComparison } = functionFacts(name);
  if (ignoresCollation === true || !operands.some((operand) => isCollated(operand.type))) return operands;
  const isPlain = (type: SqlType): boolean => type.kind === "STRING" || type.kind === "UNKNOWN";
  if (isComparison === true && operands.every((operand) => isPlain(operand.type)))
    return operands.map((operand) => (operand.type.kind === "STRING" ? keyOf(operand) : operand));
  const what = name.startsWith("$") ? "this operator" : name;
  resolution.report("unsupported", `Strings with a collation are not supported by ${what}`, span, { name });
  return undefined;
}
