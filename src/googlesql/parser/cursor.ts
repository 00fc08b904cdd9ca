import type { Expression, Identifier, Path, Query } from "../ast.ts";
import { type Diagnostic, type DiagnosticCode, GoogleSqlError, type Span } from "../diagnostic.ts";
import type { Token } from "../lexer/token.ts";
import { MAX_NESTING_DEPTH, MAX_SUBQUERIES, MAX_SUBQUERY_DEPTH } from "../limits.ts";
import { hintAt } from "./hints.ts";

/**
 * The rules that call each other in a circle. They are handed over here, so that the files of the grammar depend on
 * each other in one direction only.
 */
export interface Rules {
  /** A query without its surrounding parentheses. `first` is a parenthesised query that is already read. */
  query(cursor: Cursor, first?: Query): Query;
  /** Any expression. `first` is its first operand, where that is already read. */
  expression(cursor: Cursor, first?: Expression): Expression;
  /** An expression that binds tighter than comparisons: the operands of BETWEEN and IN. */
  operand(cursor: Cursor): Expression;
}

const MAX_SHOWN_SOURCE = 40;

/** The parser's place in the tokens of one text. */
export class Cursor {
  readonly text: string;
  readonly rules: Rules;
  token: Token;
  /** Where the token before `token` ended. */
  previousEnd = 0;
  /** The expression before a `.*` at which the last expression stopped. */
  starBase: Expression | undefined;
  /** How many calls with OVER have been read. */
  windowCalls = 0;
  /** The right side of a join in a pipe is being read. */
  isPipeJoin = false;
  readonly #tokens: readonly Token[];
  readonly #last: Token;
  #index = 0;
  readonly #maxDepth: number;
  #depth = 0;
  #subqueryDepth = 0;
  #subqueryCount = 0;
  readonly #refusals: Diagnostic[] = [];
  #positionalParameters = 0;

  constructor(text: string, tokens: readonly Token[], rules: Rules, maxDepth: number = MAX_NESTING_DEPTH) {
    const first = tokens[0];
    const last = tokens.at(-1);
    if (first === undefined || last === undefined) throw new RangeError("a text has at least the token of its end");
    this.text = text;
    this.rules = rules;
    this.#maxDepth = Math.min(maxDepth, MAX_NESTING_DEPTH);
    this.#tokens = tokens;
    this.#last = last;
    this.token = first;
  }

  /** The token `distance` after the current one; the last one beyond the end. */
  peek(distance = 1): Token {
    return this.#tokens[this.#index + distance] ?? this.#last;
  }

  /** Goes on to the next token and returns the one that was current. */
  advance(): Token {
    const token = this.token;
    this.previousEnd = token.end;
    this.#index++;
    this.token = this.#tokens[this.#index] ?? this.#last;
    return token;
  }

  /** Whether the current token is this keyword or symbol. */
  is(code: string): boolean {
    return this.token.code === code;
  }

  /** Goes past the current token if it is this keyword or symbol. */
  take(code: string): boolean {
    if (this.token.code !== code) return false;
    this.advance();
    return true;
  }

  /** Goes past the keywords or symbols if they all follow each other here. */
  takeAll(first: string, second: string): boolean {
    if (this.token.code !== first || this.peek().code !== second) return false;
    this.advance();
    this.advance();
    return true;
  }

  /** Goes past a keyword or symbol that must stand here. */
  expect(code: string): Token {
    if (this.token.code !== code) throw this.expected(describeCode(code));
    return this.advance();
  }

  isIdentifier(token: Token = this.token): boolean {
    return token.kind === "identifier" || token.kind === "quoted" || token.kind === "keyword";
  }

  /** Whether the token directly follows the one before it, without a blank. */
  isAdjacent(left: Token, right: Token): boolean {
    return left.end === right.start;
  }

  identifier(): Identifier {
    if (!this.isIdentifier()) throw this.unexpected();
    return this.takeIdentifier();
  }

  /** Reads the current token as a name, whatever its kind. */
  takeIdentifier(): Identifier {
    const { start, end, value, kind } = this.advance();
    return { kind: "Identifier", span: { start, end }, name: value, isQuoted: kind === "quoted" };
  }

  /** `a.b.c`. */
  path(): Path {
    const parts = [this.identifier()];
    while (this.take(".")) parts.push(this.identifier());
    return this.pathOf(parts);
  }

  pathOf(parts: readonly Identifier[]): Path {
    const start = parts[0]?.span.start ?? this.previousEnd;
    return { kind: "Path", span: { start, end: parts.at(-1)?.span.end ?? start }, parts };
  }

  /** `AS alias`, or a name alone. */
  optionalAlias(): Identifier | undefined {
    if (this.take("AS")) return this.identifier();
    return this.isIdentifier() ? this.takeIdentifier() : undefined;
  }

  /** `(a, b)`, at least one. */
  identifierList(): Identifier[] {
    this.expect("(");
    const identifiers = [this.identifier()];
    while (!this.is(")")) {
      if (!this.take(",")) throw this.expected('")" or ","');
      identifiers.push(this.identifier());
    }
    this.advance();
    return identifiers;
  }

  /** From `start` to the end of the token before the current one. */
  spanFrom(start: number): Span {
    return { start, end: this.previousEnd };
  }

  nextPositionalParameter(): number {
    this.#positionalParameters++;
    return this.#positionalParameters;
  }

  /** Must be called on the way into every construct that can stand inside itself, and `leave` on the way out. */
  enter(): void {
    this.#depth++;
    if (this.#depth > this.#maxDepth) {
      throw this.error(`Query is nested more than ${this.#maxDepth} levels deep`, this.token, "too_complex");
    }
  }

  /** As `enter`, for a query that is an operand. */
  enterSubquery(): void {
    this.#subqueryDepth++;
    if (++this.#subqueryCount > MAX_SUBQUERIES) {
      throw this.error(`Query has more than ${MAX_SUBQUERIES} sub-queries`, this.token, "too_complex");
    }
    if (this.#subqueryDepth > MAX_SUBQUERY_DEPTH) {
      const message = `Sub-queries are nested more than ${MAX_SUBQUERY_DEPTH} levels deep`;
      throw this.error(message, this.token, "too_complex");
    }
  }

  leaveSubquery(): void {
    this.#subqueryDepth--;
  }

  leave(levels = 1): void {
    this.#depth -= levels;
  }

  /** The error that the current token cannot stand here. */
  unexpected(token: Token = this.token): GoogleSqlError {
    return this.#special(token) ?? this.#mistake(`Unexpected ${describe(this.text, token)}`, token);
  }

  /** The error that something else had to stand in the current token's place. */
  expected(what: string): GoogleSqlError {
    const special = this.#special(this.token);
    if (special !== undefined) return special;
    // `.*` that nothing takes: the star is what is wrong.
    if (this.is(".") && this.peek().code === "*") return this.unexpected(this.peek());
    return this.#mistake(`Expected ${what} but got ${describe(this.text, this.token)}`, this.token);
  }

  #mistake(message: string, token: Token): GoogleSqlError {
    if (token !== this.token) return this.error(`Syntax error: ${message}`, token);
    const last = [-2, -1, 0].map((distance) => this.peek(distance));
    const hint = hintAt(last.map(({ start, end }) => this.text.slice(start, Math.min(end, start + MAX_SHOWN_SOURCE))));
    return this.error(`Syntax error: ${message}${hint}`, token);
  }

  /** The error for a token that cannot stand anywhere but in its one place. */
  #special(token: Token): GoogleSqlError | undefined {
    if (token.code === "OVER") return this.error("Syntax error: OVER keyword must follow a function call", token);
    if (token !== this.token || !this.isHint()) return undefined;
    return this.unsupported("Hints are not supported", token, "@");
  }

  /** Whether `@{...}` or `@5` begins here. */
  isHint(): boolean {
    return this.is("@") && (this.peek().code === "{" || this.peek().kind === "integer");
  }

  /** The error that a construct is known, but not part of this language. */
  unsupported(message: string, token: Token, name: string): GoogleSqlError {
    return this.error(message, token, "unsupported", name);
  }

  /** The refusals of text read so far that belongs to the grammar. */
  get refusals(): readonly Diagnostic[] {
    return this.#refusals;
  }

  /** Notes that the construct at `at` is refused though the grammar has it; parsing continues. */
  refuse(message: string, at: Token | Span, code: DiagnosticCode = "unsupported", name?: string): void {
    const span = { start: at.start, end: at.end };
    this.#refusals.push({ code, message, span, ...(name === undefined ? {} : { name }) });
  }

  error(message: string, at: Token | Span, code: DiagnosticCode = "syntax_error", name?: string): GoogleSqlError {
    const isLexical = "kind" in at && at.kind === "error";
    const span = { start: at.start, end: at.end };
    return new GoogleSqlError(this.text, [
      isLexical
        ? { code: "syntax_error", message: at.value, span }
        : { code, message, span, ...(name === undefined ? {} : { name }) },
    ]);
  }
}

function describeCode(code: string): string {
  return /^[A-Z]/.test(code) ? `keyword ${code}` : `"${code}"`;
}

function describe(text: string, token: Token): string {
  const source = text.slice(token.start, token.end);
  const shown = source.length > MAX_SHOWN_SOURCE ? `${source.slice(0, MAX_SHOWN_SOURCE)}...` : source;
  switch (token.kind) {
    case "end":
      return "end of statement";
    case "keyword":
    case "reserved":
      return `keyword ${token.code}`;
    case "quoted":
      return `identifier ${shown}`;
    case "integer":
      return `integer literal "${shown}"`;
    case "float":
      return `floating point literal "${shown}"`;
    case "string":
      return `string literal ${shown}`;
    case "bytes":
      return `bytes literal ${shown}`;
    case "identifier":
      return `identifier "${shown}"`;
    case "symbol":
    case "error":
      return `"${shown}"`;
  }
}
