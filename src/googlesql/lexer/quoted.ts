import { applyEscapes, type EscapeProblem } from "./escape.ts";

/** The prefix and the opening quotes of a string or bytes literal. */
export interface QuotedStart {
  readonly isRaw: boolean;
  readonly isBytes: boolean;
  /** Offset of the first quote. */
  readonly open: number;
}

export type QuotedScan =
  | { readonly value: string | Uint8Array; readonly end: number }
  | { readonly problem: EscapeProblem };

const BACKSLASH = 92;

/** Whether a literal's quotes stand at `at`, after a prefix of `at - start` letters. */
export function readQuotedStart(text: string, start: number, at: number): QuotedStart | undefined {
  const quote = text.charCodeAt(at);
  if (quote !== 34 && quote !== 39) return undefined;
  const prefix = text.slice(start, at).toLowerCase();
  if (prefix !== "" && prefix !== "r" && prefix !== "b" && prefix !== "rb" && prefix !== "br") return undefined;
  return { isRaw: prefix.includes("r"), isBytes: prefix.includes("b"), open: at };
}

/** The offset where the content ends, or -1 when the closing quotes are missing. */
function findClose(text: string, from: number, quote: number, isTriple: boolean): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) {
      at += text.charCodeAt(at + 1) === 13 && text.charCodeAt(at + 2) === 10 ? 2 : 1;
    } else if (code === quote) {
      if (!isTriple) return at;
      if (text.charCodeAt(at + 1) === quote && text.charCodeAt(at + 2) === quote) return at;
    } else if (!isTriple && (code === 10 || code === 13)) return -1;
  }
  return -1;
}

function nameLiteral(start: QuotedStart, isTriple: boolean): string {
  return `${isTriple ? "triple-quoted " : ""}${start.isRaw ? "raw " : ""}${start.isBytes ? "bytes" : "string"} literal`;
}

function joinCodePoints(codes: readonly number[]): string {
  let text = "";
  for (let at = 0; at < codes.length; at += 8192) text += String.fromCodePoint(...codes.slice(at, at + 8192));
  return text;
}

/** Reads a string or bytes literal whose token begins at `tokenStart`. Line ends inside become `\n`. */
export function scanQuoted(text: string, tokenStart: number, start: QuotedStart): QuotedScan {
  const { open } = start;
  const quote = text.charCodeAt(open);
  const isTriple = text.charCodeAt(open + 1) === quote && text.charCodeAt(open + 2) === quote;
  const from = open + (isTriple ? 3 : 1);
  const close = findClose(text, from, quote, isTriple);
  if (close === -1) return { problem: { message: `Unclosed ${nameLiteral(start, isTriple)}`, at: tokenStart } };
  const end = close + (isTriple ? 3 : 1);
  const source = text.slice(from, close);
  if (!start.isRaw && source.includes("\\")) {
    const unescaped = applyEscapes(source, start.isBytes);
    if ("problem" in unescaped) {
      return { problem: { message: unescaped.problem.message, at: from + unescaped.problem.at } };
    }
    const { codes } = unescaped;
    return { value: start.isBytes ? Uint8Array.from(codes) : joinCodePoints(codes), end };
  }
  const content = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
  return { value: start.isBytes ? new TextEncoder().encode(content) : content, end };
}

/** Reads an identifier in back-ticks that begins at `start`. */
export function scanQuotedIdentifier(text: string, start: number): QuotedScan {
  const close = findClose(text, start + 1, 96, false);
  if (close === -1) return { problem: { message: "Unclosed identifier literal", at: start } };
  if (close === start + 1) return { problem: { message: "Invalid empty identifier", at: start } };
  const source = text.slice(start + 1, close);
  if (!source.includes("\\")) return { value: source, end: close + 1 };
  const unescaped = applyEscapes(source, false);
  if ("problem" in unescaped) {
    return { problem: { message: unescaped.problem.message, at: start + 1 + unescaped.problem.at } };
  }
  return { value: joinCodePoints(unescaped.codes), end: close + 1 };
}
