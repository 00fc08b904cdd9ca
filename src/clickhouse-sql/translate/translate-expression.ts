import type { Expression } from "../../googlesql/ast.ts";
import { type BinaryOperator, binary, call, cast, isNull, logical, text } from "../../lql/sql-nodes.ts";
import type { ChExpression } from "../clickhouse-ast.ts";
import { anyNullable, same } from "./function-table.ts";
import type { SelectScope } from "./select-scope.ts";
import { readUnit, toInterval, toTimestamp } from "./time-functions.ts";
import { readAttribute, translateCall } from "./translate-call.ts";
import { commonKind, isTime, orElse, type Typed, toCondition, toText, toValue, typed } from "./typed.ts";

/** An expression as GoogleSQL has it. Recursion is as deep as the parser's, and one level more for each alias. */
export function translateExpression(scope: SelectScope, written: ChExpression): Typed {
  scope.count.add(scope, written.span);
  const { span } = written;
  switch (written.kind) {
    case "null":
      return { ...typed("null", { kind: "NullLiteral", span }, true), isLiteral: true };
    case "bool":
      return { ...typed("bool", { kind: "BoolLiteral", value: written.value, span }), isLiteral: true };
    case "number":
      return translateNumber(written.text, span);
    case "string":
      return { ...typed("string", text(written.value, span)), isLiteral: true };
    case "name":
      return scope.readName(written);
    case "call":
      return translateCall(scope, written);
    case "subscript":
      return translateSubscript(scope, written);
    case "array":
      return translateArray(written.items.map(scope.translate), span);
    case "cast":
      return translateCast(scope, written);
    case "interval":
      return translateInterval(scope, written);
    case "case":
      return translateCase(scope, written);
    case "negate": {
      const { node, kind, isNullable, isLiteral } = toValue(scope.translate(written.operand), span);
      const negated = typed(kind, { kind: "UnaryOperation", operator: "-", operand: node, span }, isNullable);
      return isLiteral === true ? { ...negated, isLiteral } : negated;
    }
    case "concat": {
      const parts = written.operands.map((each) => toText(scope.translate(each), span));
      return typed("string", same("CONCAT", { args: parts, span }), anyNullable(parts));
    }
    case "binary":
      return translateBinary(written, scope.translate(written.left), scope.translate(written.right));
    default:
      return typed("bool", translateTest(scope, written));
  }
}

type Written<Kind extends ChExpression["kind"]> = Extract<ChExpression, { readonly kind: Kind }>;

function translateNumber(digits: string, span: ChExpression["span"]): Typed {
  const isWhole = /^(?:\d+|0[xX][0-9a-fA-F]+)$/.test(digits);
  const node: Expression = isWhole
    ? { kind: "IntLiteral", text: digits, span }
    : { kind: "FloatLiteral", text: digits, span };
  return { ...typed(isWhole ? "integer" : "float", node), isLiteral: true };
}

function translateSubscript(scope: SelectScope, { base, index, span }: Written<"subscript">): Typed {
  if (base.kind === "name" && base.name === "log_attributes") {
    if (index.kind === "string") return readAttribute(scope, index.value, span);
    throw scope.error("unsupported", "A key of log_attributes must be a text as a literal", index.span);
  }
  const list = scope.translate(base);
  if (list.kind !== "array") throw scope.error("type_mismatch", "Only arrays and log_attributes have items", span);
  const at = {
    kind: "Subscript",
    base: list.node,
    mode: "SAFE_ORDINAL",
    index: scope.translate(index).node,
    span,
  } as const;
  return orElse(cast(at, "STRING", false, span), "string", text("", span), span);
}

function translateArray(items: readonly Typed[], span: ChExpression["span"]): Typed {
  const elements = items.map((item) => toValue(item, span).node);
  return typed("array", { kind: "ArrayConstructor", elements, span });
}

const types: readonly (readonly [RegExp, string])[] = [
  [/^u?int\d+$/, "toInt64"],
  [/^float\d+$/, "toFloat64"],
  [/^(?:string|fixedstring.*)$/, "toString"],
  [/^datetime64/, "toDateTime64"],
  [/^datetime/, "toDateTime"],
  [/^date(?:32)?$/, "toDate"],
  [/^bool(?:ean)?$/, "toBool"],
];

function translateCast(scope: SelectScope, { operand, type, span }: Written<"cast">): Typed {
  const plain = type
    .toLowerCase()
    .replace(/^(?:nullable|lowcardinality)\((.*)\)$/, "$1")
    .trim();
  const name = types.find(([pattern]) => pattern.test(plain))?.[1];
  if (name === undefined) throw scope.error("unsupported", `CAST to ${type.slice(0, 100)} is not supported`, span);
  const asked = { kind: "call", name, parameters: undefined, isDistinct: false, isStar: false } as const;
  return translateCall(scope, { ...asked, args: [operand], span });
}

function translateInterval(scope: SelectScope, { count, unit, span }: Written<"interval">): Typed {
  const name = readUnit(unit);
  if (name === undefined) throw scope.error("type_mismatch", `${unit} is no unit of time`, span);
  return typed("null", toInterval(scope.translate(count).node, name, span));
}

function translateCase({ translate }: SelectScope, { operand, branches, otherwise, span }: Written<"case">): Typed {
  const subject = operand === undefined ? undefined : toValue(translate(operand), span).node;
  const values = branches.map(({ result }) => toValue(translate(result), span));
  const last = otherwise === undefined ? undefined : toValue(translate(otherwise), span);
  const translated = branches.map(({ when }, index) => {
    const condition = translate(when);
    const then = values[index]?.node ?? condition.node;
    return { when: subject === undefined ? toCondition(condition, span) : toValue(condition, span).node, then };
  });
  const all = last === undefined ? values : [...values, last];
  const node: Expression = { kind: "Case", operand: subject, branches: translated, else: last?.node, span };
  return typed(commonKind(all), node, last === undefined || anyNullable(all));
}

function translateBinary({ operator, span }: Written<"binary">, left: Typed, right: Typed): Typed {
  const isNullable = anyNullable([left, right]);
  const [a, b] = [toValue(left, span), toValue(right, span)];
  if (operator === "/") return typed("float", call("IEEE_DIVIDE", [a.node, b.node], span), isNullable);
  if (operator === "%") return typed(commonKind([a, b]), call("MOD", [a.node, b.node], span), isNullable);
  if (operator !== "+" && operator !== "-" && operator !== "*") {
    return typed("bool", compare(operator, left, right, span), isNullable);
  }
  const node = binary(operator, a.node, b.node, span);
  const kind = isTime(a) || a.kind === "date" ? a.kind : commonKind([a, b]);
  return typed(kind, node, isNullable);
}

/** A text that is compared with a time is read as one. */
function compare(operator: BinaryOperator, left: Typed, right: Typed, span: ChExpression["span"]): Expression {
  const [a, b] = [toValue(left, span), toValue(right, span)];
  const read = (value: Typed, other: Typed) =>
    isTime(other) && value.kind === "string" ? toTimestamp(value, span) : value.node;
  return binary(operator, read(a, b), read(b, a), span);
}

/** Conditions of several operands. */
function translateTest(
  { translate }: SelectScope,
  written: Written<"not" | "and" | "or" | "between" | "in" | "like" | "isNull">,
): Expression {
  const { span } = written;
  const value = (each: ChExpression) => toValue(translate(each), span);
  switch (written.kind) {
    case "not":
      return { kind: "UnaryOperation", operator: "NOT", operand: toCondition(translate(written.operand), span), span };
    case "and":
    case "or": {
      const operands = written.operands.map((each) => toCondition(translate(each), span));
      return logical(written.kind === "and" ? "AND" : "OR", operands, span);
    }
    case "between": {
      const operand = value(written.operand);
      const bound = (each: ChExpression) => {
        const read = value(each);
        return isTime(operand) && read.kind === "string" ? toTimestamp(read, span) : read.node;
      };
      const [low, high] = [bound(written.low), bound(written.high)];
      return { kind: "Between", isNegated: written.isNegated, operand: operand.node, low, high, span };
    }
    case "in": {
      const set = { kind: "List", items: written.items.map((item) => value(item).node) } as const;
      return { kind: "In", isNegated: written.isNegated, operand: value(written.operand).node, set, span };
    }
    case "like": {
      const fold = (node: Expression) => (written.isCaseless ? call("LOWER", [node], span) : node);
      const [operand, expression] = [fold(value(written.operand).node), fold(value(written.pattern).node)];
      return { kind: "Like", isNegated: written.isNegated, operand, pattern: { kind: "Single", expression }, span };
    }
    case "isNull":
      return isNull(value(written.operand).node, span, written.isNegated);
  }
}
