import type { Expression, Query } from "../../../src/googlesql/ast.ts";
import { type Diagnostic, GoogleSqlError, positionAt } from "../../../src/googlesql/diagnostic.ts";
import { parseQuery } from "../../../src/googlesql/parse.ts";

/** A syntax tree, or a part of one, without the positions of its nodes: what two ways to write one thing share. */
export function withoutSpans(value: unknown): unknown {
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(withoutSpans);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "span");
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutSpans(inner)]));
}

/** The tree of a query, without positions. */
export function treeOf(text: string): unknown {
  return withoutSpans(parseQuery(text));
}

/** The one expression of `SELECT expression`. */
export function parseExpressionText(text: string): Expression {
  return firstExpression(parseQuery(`SELECT ${text}`));
}

function firstExpression(query: Query): Expression {
  const item = query.body.kind === "Select" ? query.body.items[0] : undefined;
  if (item?.kind !== "SelectExpression") throw new TypeError("not a query of one expression");
  return item.expression;
}

/** The tree of an expression, without positions. */
export function expressionTreeOf(text: string): unknown {
  return withoutSpans(parseExpressionText(text));
}

/** Returns the diagnostics of a text. */
export function diagnose(text: string): readonly Diagnostic[] {
  try {
    parseQuery(text);
    return [];
  } catch (error) {
    if (error instanceof GoogleSqlError) return error.diagnostics;
    throw error;
  }
}

/** The first problem of a text as `message [line:column]`. */
export function problemOf(text: string): string | undefined {
  const [first] = diagnose(text);
  if (first === undefined) return undefined;
  const { line, column } = positionAt(text, first.span.start);
  return `${first.message} [${line}:${column}]`;
}
