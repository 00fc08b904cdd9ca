import { MAX_QUERY_LENGTH, MAX_TOKENS } from "../../googlesql/limits.ts";
import { refuse } from "./refuse.ts";

/** `value` is a word as written, a name or text without its quotes, a number, or a symbol. */
export interface ChToken {
  readonly kind: "word" | "quoted" | "string" | "number" | "symbol" | "end";
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const blank = /(?:\s+|--[^\n]*|#[ !][^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![A-Za-z0-9_])/y;
const symbol = /<=|>=|<>|!=|==|\|\||::|[()[\],.;+\-*/%<>=?:{}@$]/y;

/** The tokens of a text, in linear time. Throws `GoogleSqlError` where a character begins none. */
export function lex(text: string): readonly ChToken[] {
  checkText(text);
  const tokens: ChToken[] = [];
  for (let at = skipBlank(text, 0); ; at = skipBlank(text, at)) {
    const token = readToken(text, at);
    tokens.push(token);
    if (token.kind === "end") return tokens;
    if (tokens.length > MAX_TOKENS)
      throw refuse(text, "too_complex", `Query has more than ${MAX_TOKENS} tokens`, token);
    at = token.end;
  }
}

function checkText(text: string): void {
  if (text.length > MAX_QUERY_LENGTH) {
    const span = { start: MAX_QUERY_LENGTH, end: text.length };
    throw refuse(text, "too_complex", `Query is longer than ${MAX_QUERY_LENGTH} characters`, span);
  }
  if (text.isWellFormed()) return;
  const start = text.search(/\p{Surrogate}/u);
  throw refuse(text, "syntax_error", "Syntax error: Text holds half of a surrogate pair", { start, end: start + 1 });
}

function skipBlank(text: string, at: number): number {
  blank.lastIndex = at;
  return blank.test(text) ? blank.lastIndex : at;
}

function readToken(text: string, start: number): ChToken {
  if (start >= text.length) return { kind: "end", value: "", start, end: start };
  const quote = text[start];
  if (quote === "'") return readQuoted(text, start, "string");
  if (quote === '"' || quote === "`") return readQuoted(text, start, "quoted");
  for (const [kind, pattern] of [
    ["word", word],
    ["number", number],
    ["symbol", symbol],
  ] as const) {
    pattern.lastIndex = start;
    const [value] = pattern.exec(text) ?? [];
    if (value !== undefined) return { kind, value, start, end: start + value.length };
  }
  const shown = String.fromCodePoint(text.codePointAt(start) ?? 0);
  const message = `Syntax error: Unexpected ${JSON.stringify(shown)}`;
  throw refuse(text, "syntax_error", message, { start, end: start + shown.length });
}

const escapes: Readonly<Record<string, string>> = {
  ...{ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", a: "\x07", v: "\v", e: "\x1b" },
  ...{ "\\": "\\", "'": "'", '"': '"', "`": "`", "/": "/", "=": "=" },
};

/** A quote is doubled or escaped; a back-slash before any other character is one, so that `'\.'` is a pattern. */
function readQuoted(text: string, start: number, kind: "string" | "quoted"): ChToken {
  const quote = text[start];
  const parts: string[] = [];
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === quote) {
      if (text[at + 1] !== quote) return { kind, value: parts.join(""), start, end: at + 1 };
      parts.push(char);
      at++;
    } else if (char === "\\") {
      const next = text[at + 1] ?? "";
      const hex = next === "x" ? /^[0-9a-fA-F]{2}/.exec(text.slice(at + 2, at + 4))?.[0] : undefined;
      if (hex !== undefined) parts.push(String.fromCharCode(Number.parseInt(hex, 16)));
      else parts.push(escapes[next] ?? `\\${next}`);
      at += hex === undefined ? 1 : 3;
    } else parts.push(char);
  }
  const what = kind === "string" ? "text" : "name";
  throw refuse(text, "syntax_error", `Syntax error: Unclosed ${what}`, { start, end: start + 1 });
}
