import type { Query } from "./ast.ts";
import { type Diagnostic, GoogleSqlError } from "./diagnostic.ts";
import { joinDoubledApostrophes } from "./lexer/doubled-apostrophes.ts";
import { lex } from "./lexer/lex.ts";
import type { Token } from "./lexer/token.ts";
import { MAX_QUERY_LENGTH, MAX_TOKENS } from "./limits.ts";
import { Cursor, type Rules } from "./parser/cursor.ts";
import { parseBinary, parseExpression } from "./parser/expression.ts";
import { parseQueryRule } from "./parser/query.ts";
import { refuseStatement } from "./parser/statement.ts";

const RULES: Rules = {
  query: parseQueryRule,
  expression: parseExpression,
  operand: (cursor) => parseBinary(cursor, 1),
};

/** A query of the grammar, and what in it this language refuses. */
export interface Syntax {
  readonly query: Query;
  readonly refusals: readonly Diagnostic[];
}

/**
 * Reads the one query a text holds; a `;` may end it. Names are not looked up. Takes time linear in the text's length,
 * and its use of the stack is bounded by {@link MAX_NESTING_DEPTH}, or by `maxDepth` where that is less.
 *
 * @throws GoogleSqlError `syntax_error` where the text leaves the grammar, `unsupported` for what is known but no part
 * of this language, `too_complex` beyond the limits of `limits.ts`.
 */
export function parseQuery(text: string, maxDepth?: number): Query {
  return queryOf(text, parseSyntax(text, maxDepth));
}

/**
 * The same for a query that a client put together: many write an apostrophe in a text as two (`'it''s'`), as other
 * dialects have it, which is an error of this language's grammar.
 *
 * @throws GoogleSqlError as `parseQuery`.
 */
export function parseClientQuery(text: string, maxDepth?: number): Query {
  checkText(text);
  return queryOf(text, parseTokens(text, joinDoubledApostrophes(text, lexAll(text)), maxDepth));
}

function queryOf(text: string, { query, refusals }: Syntax): Query {
  const [first, ...others] = refusals;
  if (first !== undefined) throw new GoogleSqlError(text, [first, ...others]);
  return query;
}

/**
 * Reads a text as {@link parseQuery} does, but hands back what is refused though it is of the grammar: NATURAL JOIN,
 * say. The tree does not show such parts, so it must not be run when there are any.
 *
 * @throws GoogleSqlError as `parseQuery`.
 */
export function parseSyntax(text: string, maxDepth?: number): Syntax {
  checkText(text);
  return parseTokens(text, lexAll(text), maxDepth);
}

function parseTokens(text: string, tokens: readonly Token[], maxDepth?: number): Syntax {
  const cursor = new Cursor(text, tokens, RULES, maxDepth);
  refuseStatement(cursor);
  const query = parseQueryRule(cursor);
  const isEnded = cursor.take(";");
  if (cursor.token.kind === "end") return { query, refusals: cursor.refusals };
  if (!isEnded) throw cursor.expected("end of input");
  throw cursor.error("Syntax error: Only one query is allowed", cursor.token);
}

function lexAll(text: string): readonly Token[] {
  const tokens = lex(text, MAX_TOKENS);
  const last = tokens.at(-1);
  if (last === undefined || last.kind === "end" || last.kind === "error") return tokens;
  const message = `Query has more than ${MAX_TOKENS} tokens`;
  throw new GoogleSqlError(text, [{ code: "too_complex", message, span: { start: last.start, end: last.end } }]);
}

/** Readers of bytes put U+DC00 and a byte that is no UTF-8 in its place. */
function describeLone(code: number): string {
  const byte = code - 0xdc00;
  const isByte = byte >= 0x80 && byte <= 0xff;
  return isByte ? `a byte that is not UTF-8: 0x${byte.toString(16).toUpperCase()}` : "half of a surrogate pair";
}

function checkText(text: string): void {
  if (text.length > MAX_QUERY_LENGTH) {
    const message = `Query is longer than ${MAX_QUERY_LENGTH} characters`;
    const span = { start: MAX_QUERY_LENGTH, end: text.length };
    throw new GoogleSqlError(text, [{ code: "too_complex", message, span }]);
  }
  if (text.isWellFormed()) return;
  const lone = text.search(/\p{Surrogate}/u);
  const message = `Syntax error: Text holds ${describeLone(text.charCodeAt(lone))}`;
  throw new GoogleSqlError(text, [{ code: "syntax_error", message, span: { start: lone, end: lone + 1 } }]);
}
