import type { Expression } from "../../googlesql/ast.ts";
import type { Span } from "../../googlesql/diagnostic.ts";
import { binary, call, cast, integer, text } from "../../lql/sql-nodes.ts";

/**
 * The kind of a value in ClickHouse. `seconds` is a time without a fraction (DateTime), which only its text shows; `map` is
 * `log_attributes` as a whole.
 */
export type Kind = "bool" | "integer" | "float" | "string" | "time" | "seconds" | "date" | "array" | "map" | "null";

/** An expression of GoogleSQL, and what it is in ClickHouse. */
export interface Typed {
  readonly node: Expression;
  readonly kind: Kind;
  /** ClickHouse's columns hold no NULL unless they are Nullable: then aggregates of no rows are NULL, not 0. */
  readonly isNullable: boolean;
  readonly isLiteral?: boolean;
  /** The number, or NULL, that the text was made of. */
  readonly number?: Pick<Typed, "node" | "kind">;
}

export function typed(kind: Kind, node: Expression, isNullable = false): Typed {
  return { kind, node, isNullable };
}

export function literalText(value: string, span: Span): Typed {
  return { kind: "string", node: text(value, span), isNullable: false, isLiteral: true };
}

export function isTime({ kind }: Typed): boolean {
  return kind === "time" || kind === "seconds";
}

export function isNumber({ kind }: Typed): boolean {
  return kind === "integer" || kind === "float";
}

/** A condition: numbers are true unless they are 0. */
export function toCondition(value: Typed, span: Span): Expression {
  if (value.kind === "null") return { kind: "BoolLiteral", value: false, span };
  if (!isNumber(value)) return value.node;
  return binary("!=", value.node, integer(0, span), span);
}

/** A value: what is true or false is 1 or 0. */
export function toValue(value: Typed, span: Span): Typed {
  return value.kind === "bool" ? { ...value, kind: "integer", node: cast(value.node, "INT64", false, span) } : value;
}

/** The value as it is answered: times as text, of microseconds or seconds, in UTC and without a zone. */
export function toAnswer(value: Typed, span: Span): Expression {
  if (!isTime(value)) return toValue(value, span).node;
  const format = value.kind === "time" ? "%Y-%m-%dT%H:%M:%E6S" : "%Y-%m-%dT%H:%M:%S";
  return call("FORMAT_TIMESTAMP", [text(format, span), value.node], span);
}

/** The value as text. */
export function toText(value: Typed, span: Span): Typed {
  const { kind, node, isNullable } = toValue(value, span);
  if (kind === "string") return value;
  if (kind === "array" || kind === "map") return typed("string", call("TO_JSON_STRING", [node], span), isNullable);
  if (kind !== "time" && kind !== "seconds") return typed("string", cast(node, "STRING", false, span), isNullable);
  const format = kind === "time" ? "%Y-%m-%d %H:%M:%E6S" : "%Y-%m-%d %H:%M:%S";
  return typed("string", call("FORMAT_TIMESTAMP", [text(format, span), node], span), isNullable);
}

/** `IFNULL(value, other)`, without NULL. */
export function orElse(value: Expression, kind: Kind, other: Expression, span: Span): Typed {
  return typed(kind, call("IFNULL", [value, other], span));
}

/** The value of an aggregate of no rows in ClickHouse; undefined for kinds where that is NULL here too. */
export function emptyOf(kind: Kind, span: Span): Expression | undefined {
  switch (kind) {
    case "integer":
    case "float":
      return integer(0, span);
    case "string":
      return text("", span);
    default:
      return undefined;
  }
}

/** The kind that several values have in common: their own, or that of numbers. */
export function commonKind(values: readonly Typed[]): Kind {
  const kinds = new Set(values.map(({ kind }) => kind).filter((kind) => kind !== "null"));
  const [first = "null"] = kinds;
  if (kinds.size <= 1) return first;
  const all = [...kinds];
  if (all.every((kind) => kind === "integer" || kind === "float" || kind === "bool")) {
    return kinds.has("float") ? "float" : "integer";
  }
  if (all.every((kind) => kind === "time" || kind === "seconds")) return "time";
  return first;
}
