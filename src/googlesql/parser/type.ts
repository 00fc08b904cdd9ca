import type { Expression, Literal, TypeSyntax } from "../ast.ts";
import type { Token } from "../lexer/token.ts";
import type { Cursor } from "./cursor.ts";
import { parseLiteral, parseString, parseVariable } from "./literal.ts";

type StructFieldSyntax = Extract<TypeSyntax, { kind: "StructTypeSyntax" }>["fields"][number];

/** A type as CAST, constructors and typed literals take it. */
export function parseType(cursor: Cursor): TypeSyntax {
  cursor.enter();
  const type = parseTypeInside(cursor);
  cursor.leave();
  return type;
}

function parseTypeInside(cursor: Cursor): TypeSyntax {
  const { start } = cursor.token;
  if (cursor.is("ARRAY") || cursor.is("RANGE")) {
    const kind = cursor.advance().code === "ARRAY" ? "ArrayTypeSyntax" : "RangeTypeSyntax";
    cursor.expect("<");
    const element = parseType(cursor);
    cursor.expect(">");
    const collation = parseCollation(cursor);
    return { kind, span: cursor.spanFrom(start), element, ...(collation && { collation }) };
  }
  if (cursor.take("STRUCT")) {
    const fields = parseStructFields(cursor);
    const collation = parseCollation(cursor);
    return { kind: "StructTypeSyntax", span: cursor.spanFrom(start), fields, ...(collation && { collation }) };
  }
  const name = cursor.is("INTERVAL") ? cursor.pathOf([cursor.takeIdentifier()]) : cursor.path();
  const parameters = cursor.take("(") ? parseParameters(cursor) : [];
  const collation = parseCollation(cursor);
  return { kind: "NamedType", span: cursor.spanFrom(start), name, parameters, ...(collation && { collation }) };
}

/** `<a INT64, STRING>`, or `<>`. */
function parseStructFields(cursor: Cursor): StructFieldSyntax[] {
  cursor.expect("<");
  const fields: StructFieldSyntax[] = [];
  if (cursor.take(">")) return fields;
  do {
    if (cursor.isIdentifier() && canBeginType(cursor, cursor.peek())) {
      fields.push({ name: cursor.takeIdentifier(), type: parseType(cursor) });
    } else {
      fields.push({ type: parseType(cursor) });
    }
  } while (cursor.take(","));
  cursor.expect(">");
  return fields;
}

function canBeginType(cursor: Cursor, token: Token): boolean {
  const { code } = token;
  return cursor.isIdentifier(token) || code === "ARRAY" || code === "STRUCT" || code === "RANGE" || code === "INTERVAL";
}

function parseParameters(cursor: Cursor): Literal[] {
  const parameters = [parseParameter(cursor)];
  while (cursor.is(",")) {
    const comma = cursor.advance();
    if (cursor.is(")")) {
      throw cursor.error("Syntax error: Trailing comma in type parameter list is not allowed.", comma);
    }
    parameters.push(parseParameter(cursor));
  }
  cursor.expect(")");
  return parameters;
}

function parseParameter(cursor: Cursor): Literal {
  const { token } = cursor;
  if (token.code === "MAX") {
    cursor.advance();
    return { kind: "MaxLiteral", span: { start: token.start, end: token.end } };
  }
  const literal = token.kind === "symbol" || token.kind === "keyword" ? undefined : parseLiteral(cursor);
  switch (literal?.kind) {
    case "IntLiteral":
    case "FloatLiteral":
    case "BoolLiteral":
    case "StringLiteral":
    case "BytesLiteral":
      return literal;
    default:
      throw cursor.unexpected(token);
  }
}

/** `COLLATE 'und:ci'`, if it stands here. */
export function parseCollation(cursor: Cursor): Expression | undefined {
  if (!cursor.take("COLLATE")) return undefined;
  if (cursor.token.kind === "string") return parseString(cursor);
  const variable = parseVariable(cursor);
  if (variable === undefined) throw cursor.unexpected();
  return variable;
}
