import type { Expression, FunctionCall, Identifier, Subscript } from "../ast.ts";
import { parseCall } from "./call.ts";
import { parseArray, parseInterval, parseRangeLiteral, parseStruct } from "./constructor.ts";
import type { Cursor } from "./cursor.ts";
import { parseLiteral } from "./literal.ts";
import { parseParenthesized, toExpression } from "./parenthesis.ts";
import { parseCase, parseCast, parseExists, parseExtract, parseWithExpression } from "./special-form.ts";
import { parseType } from "./type.ts";

/** Reserved words that are function names before a parenthesis. */
const FUNCTION_KEYWORDS: ReadonlySet<string> = new Set(["IF", "GROUPING", "LEFT", "RIGHT", "COLLATE", "RANGE"]);

const SUBSCRIPT_MODES: ReadonlySet<string> = new Set([
  ...["OFFSET", "SAFE_OFFSET", "ORDINAL", "SAFE_ORDINAL", "KEY", "SAFE_KEY"],
]);

/** Functions that are called without parentheses. */
const BARE_FUNCTIONS = /^current_(?:date|time|datetime|timestamp)$/i;
const SHORTEST_BARE_FUNCTION = "current_date".length;

/** An operand with everything that follows it directly: fields, subscripts, calls and casts. */
export function parsePrimary(cursor: Cursor): Expression {
  const { token } = cursor;
  if (cursor.isIdentifier()) {
    const literal = parseLiteral(cursor);
    if (literal !== undefined) return parseAccessors(cursor, token.start, literal);
    if (token.code === "SAFE_CAST" && cursor.peek().code === "(") {
      return parseAccessors(cursor, token.start, parseCast(cursor));
    }
    const name = cursor.takeIdentifier();
    const mayBeBare = token.kind === "identifier" && token.value.length >= SHORTEST_BARE_FUNCTION;
    if (mayBeBare && BARE_FUNCTIONS.test(token.value) && !cursor.is("(")) {
      return parseAccessors(cursor, token.start, callWithoutParentheses(cursor, name));
    }
    return parseAccessors(cursor, token.start, name, [name]);
  }
  return parseAccessors(cursor, token.start, parseReserved(cursor));
}

function callWithoutParentheses(cursor: Cursor, name: Identifier): FunctionCall {
  const { span } = name;
  const path = cursor.pathOf([name]);
  return {
    kind: "FunctionCall",
    span,
    name: path,
    isSafe: false,
    isStar: false,
    isDistinct: false,
    arguments: [],
    orderBy: [],
  };
}

function parseReserved(cursor: Cursor): Expression {
  const literal = parseLiteral(cursor);
  if (literal !== undefined) return literal;
  const { start, code } = cursor.token;
  switch (code) {
    case "(": {
      const content = parseParenthesized(cursor);
      return toExpression(cursor, start, content);
    }
    case "[":
    case "ARRAY":
      return parseArray(cursor);
    case "STRUCT":
      return parseStruct(cursor);
    case "CASE":
      return parseCase(cursor);
    case "CAST":
      return parseCast(cursor);
    case "EXTRACT":
      return parseExtract(cursor);
    case "EXISTS":
      return parseExists(cursor);
    case "INTERVAL":
      return parseInterval(cursor);
    case "WITH":
      return parseWithExpression(cursor);
    case "NEW":
      throw cursor.unsupported("NEW constructors are not supported", cursor.token, "NEW");
    default:
      return parseKeywordCall(cursor);
  }
}

function parseKeywordCall(cursor: Cursor): Expression {
  const { start, code } = cursor.token;
  if (code === "RANGE" && cursor.peek().code === "<") return parseRangeLiteral(cursor);
  if (!FUNCTION_KEYWORDS.has(code)) throw cursor.unexpected();
  return parseCall(cursor, { start, name: [cursor.takeIdentifier()] });
}

/**
 * Parses the accessors after `base`. `path` holds the names of a plain path, which a parenthesis makes the name of a
 * function. Each accessor counts as one level of nesting, since trees are walked along them.
 */
export function parseAccessors(cursor: Cursor, start: number, first: Expression, path?: Identifier[]): Expression {
  let base = first;
  let names = path;
  let levels = 0;
  for (;;) {
    const { code } = cursor.token;
    if (code === ".") {
      if (cursor.peek().code === "*") {
        cursor.starBase = base;
        break;
      }
      cursor.advance();
      base = parseDot(cursor, start, base, names);
      if (base.kind !== "FieldAccess") names = undefined;
    } else if (code === "[") {
      base = parseSubscript(cursor, start, base);
      names = undefined;
    } else if (code === "(") {
      if (names === undefined) throw refuseCall(cursor, base);
      base = parseCall(cursor, { start, name: names });
      names = undefined;
    } else if (code === "::") {
      cursor.advance();
      const type = parseType(cursor);
      base = { kind: "Cast", span: cursor.spanFrom(start), isSafe: false, operand: base, type };
      names = undefined;
    } else break;
    cursor.enter();
    levels++;
  }
  cursor.leave(levels);
  return base;
}

function refuseCall(cursor: Cursor, base: Expression): Error {
  const message =
    base.kind === "FunctionCall"
      ? "Syntax error: Double function call parentheses"
      : "Syntax error: Function call cannot be applied to this expression. Function calls require a path, e.g. a.b.c()";
  return cursor.error(message, cursor.token);
}

/**
 * Parses the part after a dot: a field, the method of a chained call, or `(path)(...)`, a method with a path for its
 * name.
 */
function parseDot(cursor: Cursor, start: number, base: Expression, names: Identifier[] | undefined): Expression {
  if (cursor.is("(")) {
    const { token } = cursor;
    cursor.advance();
    const { parts } = cursor.path();
    cursor.expect(")");
    if (!cursor.is("(")) {
      cursor.refuse("Generalized field access is not supported", token, "unsupported", ".(");
      return base;
    }
    return parseCall(cursor, { start, name: parts, receiver: base });
  }
  if (!cursor.isIdentifier() && !FUNCTION_KEYWORDS.has(cursor.token.code)) throw cursor.unexpected();
  const field = cursor.takeIdentifier();
  if (names === undefined && cursor.is("(")) {
    const isBareNumber = base.span.start === start && (base.kind === "IntLiteral" || base.kind === "FloatLiteral");
    if (isBareNumber) throw cursor.unexpected();
    return parseCall(cursor, { start, name: [field], receiver: base });
  }
  names?.push(field);
  return { kind: "FieldAccess", span: cursor.spanFrom(start), base, field };
}

function parseSubscript(cursor: Cursor, start: number, base: Expression): Subscript {
  cursor.expect("[");
  const written = cursor.rules.expression(cursor);
  cursor.expect("]");
  const span = cursor.spanFrom(start);
  const mode = readSubscriptMode(written);
  if (mode === undefined) return { kind: "Subscript", span, base, mode: "PLAIN", index: written };
  return { kind: "Subscript", span, base, mode: mode.mode, index: mode.index };
}

/** `OFFSET(i)` and its like are read as calls first. */
function readSubscriptMode(index: Expression): Pick<Subscript, "mode" | "index"> | undefined {
  if (index.kind !== "FunctionCall" || index.name.parts.length !== 1 || index.isChained === true) return undefined;
  const [name] = index.name.parts;
  const [argument] = index.arguments;
  if (name === undefined || name.isQuoted || argument === undefined || index.arguments.length !== 1) return undefined;
  const mode = name.name.toUpperCase();
  if (!isSubscriptMode(mode) || argument.name !== undefined || argument.value.kind === "Lambda") return undefined;
  return { mode, index: argument.value };
}

function isSubscriptMode(name: string): name is Subscript["mode"] {
  return SUBSCRIPT_MODES.has(name);
}
