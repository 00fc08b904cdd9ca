import { isDigit, isSpace, isWordPart, isWordStart } from "./characters.ts";
import { scanFraction, scanNumber } from "./number.ts";
import { readQuotedStart, scanQuoted, scanQuotedIdentifier } from "./quoted.ts";
import { KEYWORDS, type Keyword } from "./tables/keywords.ts";
import type { Token, TokenKind } from "./token.ts";

const SLOTS = 1024;

/** Upper case for letters; digits and underscores only have to stay apart. */
const FOLD = 0xdf;

/** The hash of a word is that of its characters, one after the other, from 0. */
function hashCharacter(hash: number, code: number): number {
  return (hash * 31 + (code & FOLD)) | 0;
}

function hashWord(word: string): number {
  let hash = 0;
  for (let at = 0; at < word.length; at++) hash = hashCharacter(hash, word.charCodeAt(at));
  return hash & (SLOTS - 1);
}

const TABLE: readonly (readonly Keyword[])[] = Array.from({ length: SLOTS }, (_, slot) =>
  [...KEYWORDS.values()].filter(({ code }) => hashWord(code) === slot),
);

function standsAt(word: string, text: string, start: number): boolean {
  for (let at = 0; at < word.length; at++) {
    if ((text.charCodeAt(start + at) & FOLD) !== (word.charCodeAt(at) & FOLD)) return false;
  }
  return true;
}

/** The keyword that the word from `start` to `end` is, in whatever case; the word consists of word characters. */
function findKeyword(text: string, start: number, end: number, hash: number): Keyword | undefined {
  const candidates = TABLE[hash & (SLOTS - 1)];
  if (candidates === undefined) return undefined;
  for (const keyword of candidates) {
    if (keyword.code.length === end - start && standsAt(keyword.code, text, start)) return keyword;
  }
  return undefined;
}

/**
 * Symbols of two characters. `>` stands alone, since `>>` also closes two types: the parser joins them where it means
 * a shift.
 */
const PAIRS = ["|>", "||", "=>", "->", "!=", "<=", "<>", "<<", ">=", "::", "@@"];

/** By the code of the first character: the symbol it is alone, and those it begins. */
const SYMBOLS: readonly ({ readonly single: string; readonly pairs: readonly string[] } | undefined)[] = Array.from(
  { length: 128 },
  (_, code) => {
    const single = String.fromCharCode(code);
    if (!"()[]{},;.+-*/=<>|&^~?@:!%$\\".includes(single)) return undefined;
    return { single, pairs: PAIRS.filter((pair) => pair.startsWith(single)) };
  },
);

const START: Token = { kind: "symbol", code: "", value: "", start: 0, end: 0 };

/** Skips blanks and comments from `from`; a negative result is the complement of the offset of an unclosed comment. */
function skipBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) at++;
    else if (code === 35 || (code === 45 && text.charCodeAt(at + 1) === 45)) {
      while (at < text.length && text.charCodeAt(at) !== 10 && text.charCodeAt(at) !== 13) at++;
    } else if (code === 47 && text.charCodeAt(at + 1) === 42) {
      const close = text.indexOf("*/", at + 2);
      if (close === -1) return ~at;
      at = close + 2;
    } else return at;
  }
}

/** After these a dot goes on with a path, so that what follows it is a name, be it a keyword or begin with a digit. */
function canPrecedePathDot(previous: Token): boolean {
  switch (previous.kind) {
    case "identifier":
    case "quoted":
    case "keyword":
      return true;
    case "symbol":
      return previous.code === ")" || previous.code === "]" || previous.code === "?";
    default:
      return false;
  }
}

function fail(message: string, start: number, end: number): Token {
  return { kind: "error", code: "", value: `Syntax error: ${message}`, start, end };
}

function isQuote(code: number): boolean {
  return code === 34 || code === 39;
}

function readWord(text: string, start: number, previous: Token, isName: boolean): Token {
  let end = start;
  let hash = 0;
  for (let code = text.charCodeAt(end); isWordPart(code); code = text.charCodeAt(++end))
    hash = hashCharacter(hash, code);
  if (end - start <= 2 && isQuote(text.charCodeAt(end))) {
    const quoted = readQuotedStart(text, start, end);
    if (quoted !== undefined) return readLiteral(text, start, quoted);
  }
  const isAfterNumber = previous.kind === "integer" || previous.kind === "float";
  if (isAfterNumber && previous.end === start && text.charCodeAt(start - 1) !== 46) {
    return fail("Missing whitespace between literal and alias", start, end);
  }
  const value = text.slice(start, end);
  const keyword = isName ? undefined : findKeyword(text, start, end, hash);
  if (keyword === undefined) return { kind: "identifier", code: "", value, start, end };
  return { kind: keyword.isReserved ? "reserved" : "keyword", code: keyword.code, value, start, end };
}

function readLiteral(text: string, start: number, quoted: NonNullable<ReturnType<typeof readQuotedStart>>): Token {
  const scan = scanQuoted(text, start, quoted);
  if ("problem" in scan) return fail(scan.problem.message, scan.problem.at, scan.problem.at + 1);
  const { value, end } = scan;
  if (typeof value === "string") return { kind: "string", code: "", value, start, end };
  return { kind: "bytes", code: "", value: "", bytes: value, start, end };
}

function readDigits(text: string, start: number, isName: boolean): Token {
  let kind: TokenKind = "identifier";
  let end = start + 1;
  if (isName) {
    while (isWordPart(text.charCodeAt(end))) end++;
  } else {
    ({ kind, end } = scanNumber(text, start));
  }
  return { kind, code: "", value: text.slice(start, end), start, end };
}

function readSymbol(text: string, start: number, previous: Token): Token {
  const symbol = SYMBOLS[text.charCodeAt(start)];
  if (symbol === undefined) {
    const shown = String.fromCodePoint(text.codePointAt(start) ?? 0);
    return fail(`Illegal input character ${JSON.stringify(shown)}`, start, start + shown.length);
  }
  const next = text.charCodeAt(start + 1);
  for (const pair of symbol.pairs) {
    const isEmptyStructType = pair === "<>" && previous.code === "STRUCT";
    if (pair.charCodeAt(1) !== next || isEmptyStructType) continue;
    return { kind: "symbol", code: pair, value: "", start, end: start + 2 };
  }
  return { kind: "symbol", code: symbol.single, value: "", start, end: start + 1 };
}

function readQuotedIdentifier(text: string, start: number): Token {
  const scan = scanQuotedIdentifier(text, start);
  if ("problem" in scan) return fail(scan.problem.message, scan.problem.at, scan.problem.at + 1);
  return { kind: "quoted", code: "", value: String(scan.value), start, end: scan.end };
}

function readToken(text: string, start: number, previous: Token, isPathDot: boolean): Token {
  const code = text.charCodeAt(start);
  if (isWordStart(code)) {
    const isName = isPathDot || previous.code === "@" || previous.code === "@@";
    return readWord(text, start, previous, isName);
  }
  if (isDigit(code)) return readDigits(text, start, isPathDot);
  if (code === 46 && !canPrecedePathDot(previous)) {
    const end = scanFraction(text, start);
    if (end !== undefined) return { kind: "float", code: "", value: text.slice(start, end), start, end };
  }
  if (code === 96) return readQuotedIdentifier(text, start);
  const quoted = isQuote(code) ? readQuotedStart(text, start, start) : undefined;
  return quoted === undefined ? readSymbol(text, start, previous) : readLiteral(text, start, quoted);
}

/**
 * Splits a text into its tokens, in linear time; comments and blanks vanish. Never throws: where no token can be read,
 * the last one is an `error`, which the parser reports once it gets there. Otherwise the last one is `end`. Stops after
 * `maxTokens`; then the last one is neither.
 * Source: the lexical structure page of the GoogleSQL reference.
 */
export function lex(text: string, maxTokens: number): Token[] {
  const tokens: Token[] = [];
  let previous = START;
  let isPathDot = false;
  let at = 0;
  while (tokens.length <= maxTokens) {
    at = skipBlanks(text, at);
    if (at < 0) {
      tokens.push(fail("Unclosed comment", ~at, text.length));
      return tokens;
    }
    if (at >= text.length) {
      tokens.push({ kind: "end", code: "", value: "", start: text.length, end: text.length });
      return tokens;
    }
    const token = readToken(text, at, previous, isPathDot);
    tokens.push(token);
    if (token.kind === "error") return tokens;
    isPathDot = token.code === "." && canPrecedePathDot(previous);
    previous = token;
    at = token.end;
  }
  return tokens;
}
