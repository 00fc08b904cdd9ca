/** Small builders of GoogleSQL's syntax tree: LQL becomes the same tree that SQL becomes, values as literal nodes. */
import type {
  CastExpression,
  Expression,
  FieldAccess,
  FunctionArgument,
  FunctionCall,
  Identifier,
  SelectExpression,
} from "../googlesql/ast.ts";
import type { Span } from "../googlesql/diagnostic.ts";
import { formatIsoTimestamp } from "../values/iso-timestamp.ts";

export function identifier(name: string, span: Span): Identifier {
  return { kind: "Identifier", name, isQuoted: true, span };
}

/** `a.b.c` as an expression. */
export function fieldOf(path: readonly string[], span: Span): Expression {
  const [first = "", ...rest] = path;
  return rest.reduce<Expression>(
    (base, name): FieldAccess => {
      return { kind: "FieldAccess", base, field: identifier(name, span), span };
    },
    identifier(first, span),
  );
}

export function text(value: string, span: Span): Expression {
  return { kind: "StringLiteral", value, span };
}

export function integer(value: number, span: Span): Expression {
  return { kind: "IntLiteral", text: String(value), span };
}

/** A number as FLOAT64; a negative one is the negation of a literal, as in SQL. */
export function float(source: string, span: Span): Expression {
  const digits = source.replace(/^-/, "");
  const literal: Expression = { kind: "FloatLiteral", text: digits.includes(".") ? digits : `${digits}.0`, span };
  return source.startsWith("-") ? { kind: "UnaryOperation", operator: "-", operand: literal, span } : literal;
}

export function timestamp(us: bigint, span: Span): Expression {
  return { kind: "TypedLiteral", type: "TIMESTAMP", value: formatIsoTimestamp(us), span };
}

export function call(
  name: string,
  args: readonly Expression[],
  span: Span,
  more: Partial<FunctionCall> = {},
): FunctionCall {
  return {
    kind: "FunctionCall",
    name: { kind: "Path", parts: [{ ...identifier(name, span), isQuoted: false }], span },
    isSafe: false,
    isStar: false,
    isDistinct: false,
    arguments: args.map((value): FunctionArgument => ({ kind: "Argument", value, span })),
    orderBy: [],
    span,
    ...more,
  };
}

export function cast(
  operand: Expression,
  type: "STRING" | "FLOAT64" | "INT64" | "TIMESTAMP",
  isSafe: boolean,
  span: Span,
): CastExpression {
  const name = { kind: "Path", parts: [{ ...identifier(type, span), isQuoted: false }], span } as const;
  return { kind: "Cast", isSafe, operand, type: { kind: "NamedType", name, parameters: [], span }, span };
}

export type BinaryOperator = "+" | "-" | "*" | "=" | "!=" | ">" | ">=" | "<" | "<=";

export function binary(operator: BinaryOperator, left: Expression, right: Expression, span: Span): Expression {
  return { kind: "BinaryOperation", operator, left, right, span };
}

export function logical(operator: "AND" | "OR", operands: readonly Expression[], span: Span): Expression {
  return { kind: "LogicalOperation", operator, operands, span };
}

export function isNull(operand: Expression, span: Span, isNegated = false): Expression {
  return { kind: "IsTest", isNegated, operand, test: "NULL", span };
}

export function between(operand: Expression, low: Expression, high: Expression, span: Span): Expression {
  return { kind: "Between", isNegated: false, operand, low, high, span };
}

export function select(expression: Expression, alias: string | undefined, span: Span): SelectExpression {
  const item = { kind: "SelectExpression", expression, span } as const;
  return alias === undefined ? item : { ...item, alias: identifier(alias, span) };
}
