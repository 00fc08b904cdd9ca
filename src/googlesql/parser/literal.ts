import type { Expression, Literal, Parameter, SystemVariable, TypedLiteral } from "../ast.ts";
import type { Cursor } from "./cursor.ts";

const TYPED_LITERALS: Readonly<Record<string, TypedLiteral["type"]>> = {
  DATE: "DATE",
  DATETIME: "DATETIME",
  TIME: "TIME",
  TIMESTAMP: "TIMESTAMP",
  NUMERIC: "NUMERIC",
  DECIMAL: "NUMERIC",
  BIGNUMERIC: "BIGNUMERIC",
  BIGDECIMAL: "BIGNUMERIC",
  JSON: "JSON",
};

/** One or more string literals in a row, which are one string. */
export function parseString(cursor: Cursor): Extract<Literal, { kind: "StringLiteral" }> {
  const { start } = cursor.token;
  let { value } = cursor.advance();
  while (cursor.token.kind === "string" || cursor.token.kind === "bytes") {
    checkAdjacentLiteral(cursor, "string");
    value += cursor.advance().value;
  }
  return { kind: "StringLiteral", span: cursor.spanFrom(start), value };
}

function parseBytes(cursor: Cursor): Literal {
  const { start } = cursor.token;
  const parts = [cursor.advance().bytes ?? new Uint8Array()];
  while (cursor.token.kind === "string" || cursor.token.kind === "bytes") {
    checkAdjacentLiteral(cursor, "bytes");
    parts.push(cursor.advance().bytes ?? new Uint8Array());
  }
  return { kind: "BytesLiteral", span: cursor.spanFrom(start), value: concatenate(parts) };
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const value = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    value.set(part, at);
    at += part.length;
  }
  return value;
}

function checkAdjacentLiteral(cursor: Cursor, kind: "string" | "bytes"): void {
  const { token } = cursor;
  if (token.kind !== kind) {
    throw cursor.error("Syntax error: string and bytes literals cannot be concatenated.", token);
  }
  if (token.start === cursor.previousEnd) {
    const message = `Syntax error: concatenated ${kind} literals must be separated by whitespace or comments`;
    throw cursor.error(message, token);
  }
}

/** A literal, parameter, system variable or typed literal, if one begins here. */
export function parseLiteral(cursor: Cursor): Expression | undefined {
  const { token } = cursor;
  switch (token.kind) {
    case "integer":
      cursor.advance();
      return { kind: "IntLiteral", span: cursor.spanFrom(token.start), text: token.value };
    case "float":
      cursor.advance();
      return { kind: "FloatLiteral", span: cursor.spanFrom(token.start), text: token.value };
    case "string":
      return parseString(cursor);
    case "bytes":
      return parseBytes(cursor);
    case "reserved":
      return parseKeywordLiteral(cursor);
    case "symbol":
      return parseVariable(cursor);
    case "keyword":
      return parseTypedLiteral(cursor);
    default:
      return undefined;
  }
}

function parseKeywordLiteral(cursor: Cursor): Literal | undefined {
  const { code, start } = cursor.token;
  if (code !== "NULL" && code !== "TRUE" && code !== "FALSE") return undefined;
  cursor.advance();
  const span = cursor.spanFrom(start);
  return code === "NULL" ? { kind: "NullLiteral", span } : { kind: "BoolLiteral", span, value: code === "TRUE" };
}

function parseTypedLiteral(cursor: Cursor): TypedLiteral | undefined {
  if (cursor.peek().kind !== "string") return undefined;
  const { code, start } = cursor.token;
  const type = TYPED_LITERALS[code];
  if (type === undefined) return undefined;
  cursor.advance();
  const { value } = parseString(cursor);
  return { kind: "TypedLiteral", span: cursor.spanFrom(start), type, value };
}

/** `@name`, `?` or `@@name.more`, if one begins here. */
export function parseVariable(cursor: Cursor): Parameter | SystemVariable | undefined {
  const { code, start } = cursor.token;
  if (code === "?") {
    cursor.advance();
    return {
      kind: "Parameter",
      span: cursor.spanFrom(start),
      name: undefined,
      position: cursor.nextPositionalParameter(),
    };
  }
  if (code === "@") {
    if (cursor.isHint()) throw cursor.unexpected();
    cursor.advance();
    const { name } = cursor.identifier();
    return { kind: "Parameter", span: cursor.spanFrom(start), name, position: undefined };
  }
  if (code === "@@") {
    cursor.advance();
    const path = cursor.path();
    return { kind: "SystemVariable", span: cursor.spanFrom(start), path };
  }
  return undefined;
}
