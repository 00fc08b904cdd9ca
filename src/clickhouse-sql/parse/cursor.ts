import type { DiagnosticCode, GoogleSqlError, Span } from "../../googlesql/diagnostic.ts";
import { MAX_LIST_ITEMS, MAX_NESTING_DEPTH } from "../../googlesql/limits.ts";
import { type ChToken, lex } from "./lex.ts";
import { refuse } from "./refuse.ts";

/** A place among the tokens of a text. */
export class Cursor {
  readonly text: string;
  readonly #tokens: readonly ChToken[];
  readonly #maxDepth: number;
  #at = 0;
  #depth = 0;

  constructor(text: string, maxDepth = MAX_NESTING_DEPTH) {
    this.text = text;
    this.#tokens = lex(text);
    this.#maxDepth = Math.min(maxDepth, MAX_NESTING_DEPTH);
  }

  get token(): ChToken {
    return this.peek(0);
  }

  peek(ahead: number): ChToken {
    const last = this.#tokens.length - 1;
    return this.#tokens[Math.min(this.#at + ahead, last)] ?? { kind: "end", value: "", start: 0, end: 0 };
  }

  next(): ChToken {
    const { token } = this;
    this.#at++;
    return token;
  }

  isSymbol(value: string): boolean {
    return this.token.kind === "symbol" && this.token.value === value;
  }

  isWord(value: string, ahead = 0): boolean {
    const { kind, value: word } = this.peek(ahead);
    return kind === "word" && word.toUpperCase() === value;
  }

  takeSymbol(value: string): boolean {
    if (!this.isSymbol(value)) return false;
    this.#at++;
    return true;
  }

  takeWord(value: string): boolean {
    if (!this.isWord(value)) return false;
    this.#at++;
    return true;
  }

  expectSymbol(value: string): void {
    if (!this.takeSymbol(value)) throw this.expected(JSON.stringify(value));
  }

  expectWord(value: string): void {
    if (!this.takeWord(value)) throw this.expected(value);
  }

  spanFrom(start: number): Span {
    return { start, end: this.#tokens[this.#at - 1]?.end ?? start };
  }

  /** Throws `too_complex` where `parse` would nest too deeply. */
  enter<T>(parse: () => T): T {
    if (this.#depth >= this.#maxDepth) {
      throw this.error("too_complex", `Query is more than ${this.#maxDepth} levels deep`);
    }
    this.#depth++;
    try {
      return parse();
    } finally {
      this.#depth--;
    }
  }

  /** Items between commas, at least one. */
  list<T>(parse: () => T): readonly T[] {
    const items = [parse()];
    while (this.takeSymbol(",")) {
      if (items.length >= MAX_LIST_ITEMS)
        throw this.error("too_complex", `More than ${MAX_LIST_ITEMS} items in a list`);
      items.push(parse());
    }
    return items;
  }

  expected(what: string): GoogleSqlError {
    const { kind, value } = this.token;
    const found = kind === "end" ? "the end of the query" : JSON.stringify(value.slice(0, 100));
    return this.error("syntax_error", `Syntax error: Expected ${what} but got ${found}`);
  }

  error(code: DiagnosticCode, message: string, span: Span = this.token): GoogleSqlError {
    return refuse(this.text, code, message, { start: span.start, end: span.end });
  }
}
