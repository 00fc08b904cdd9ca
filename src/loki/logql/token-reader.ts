import { refuseAt, scanLogql, type Token, type TokenKind } from "./scan-logql.ts";

/** Levels to which a query may nest. */
const maxDepth = 200;
/** Operators that a query may have: it is evaluated operand by operand. */
const maxLinks = 1_000;
/** Stages that a query may have, and those among them that parse: each is run over each line, in one go. */
const maxStages = { all: 100, parsing: 20 } as const;

/** Reads the tokens of a query one after the other. Each method throws `syntax_error` where it says that it expects. */
export class TokenReader {
  readonly #query: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  #links = 0;
  readonly #stages = { all: 0, parsing: 0 };

  constructor(query: string) {
    this.#query = query;
    this.#tokens = scanLogql(query);
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)] as Token;
  }

  /** Whether the next token is this symbol or word, which may be written in capitals. */
  isAt(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    if (token.kind === "name") return token.text.toLowerCase() === text;
    return (token.kind === "symbol" || token.kind === "flag") && token.text === text;
  }

  take(): Token {
    const token = this.peek();
    this.#next++;
    return token;
  }

  /** Takes the next token if it is this symbol or word. */
  takeIf(text: string): boolean {
    const isThere = this.isAt(text);
    if (isThere) this.#next++;
    return isThere;
  }

  expect(text: string): Token {
    if (!this.isAt(text)) this.refuse(`expected ${text}`);
    return this.take();
  }

  expectKind(kind: TokenKind, meaning: string): Token {
    if (this.peek().kind !== kind) this.refuse(`expected ${meaning}`);
    return this.take();
  }

  /** Reads items between parentheses, separated by commas. */
  list<T>(item: () => T): readonly T[] {
    this.expect("(");
    const items: T[] = [];
    if (!this.isAt(")")) {
      do items.push(item());
      while (this.takeIf(","));
    }
    this.expect(")");
    return items;
  }

  /** Runs a rule that may run itself, not deeper than a query may nest. */
  nested<T>(rule: () => T): T {
    if (++this.#depth > maxDepth) this.refuse(`the query nests deeper than ${maxDepth} levels`);
    const result = rule();
    this.#depth--;
    return result;
  }

  /** Runs the rule of an operand, of which a query may not have too many. */
  link<T>(rule: () => T): T {
    if (++this.#links > maxLinks) this.refuse(`the query has more than ${maxLinks} operators`);
    return rule();
  }

  /** Notes a stage, of which a query may not have too many. */
  noteStage(kind: keyof typeof maxStages, at: number): void {
    if (++this.#stages[kind] <= maxStages[kind]) return;
    this.refuse(
      `the query has more than ${maxStages[kind]} stages${kind === "parsing" ? " that parse lines" : ""}`,
      at,
    );
  }

  refuse(reason: string, at = this.peek().at): never {
    const { kind, text } = this.peek();
    const unexpected = at === this.peek().at ? `unexpected ${kind === "end" ? "end of the query" : text}, ` : "";
    refuseAt(this.#query, at, `syntax error: ${unexpected}${reason}`);
  }
}
