import { endOfString } from "../values/json/split-json.ts";
import { type Detector, defaultDetectors, hintOf } from "./detector.ts";
import { redactText } from "./redact-text.ts";

/** Longer strings are hardly ever there twice. */
const maxRememberedLength = 500;

/**
 * Redacts the string values of JSON text, at every depth; keys and other values stay as they are, character by
 * character. The text is any run of JSON tokens, such as the rows of an answer separated by commas. Linear time.
 */
export function redactJson(json: string, names: readonly Detector[] = defaultDetectors): string {
  return createJsonRedactor(names)(json);
}

/** The same for many texts. */
export function createJsonRedactor(names: readonly Detector[]): (json: string) => string {
  // In a string with escapes, every character may be another one. No hint matches a quote: a match lies in one
  // string, or in none.
  const hint = new RegExp(`\\\\|${hintOf(names)}`, "g");
  return (json) => {
    const remembered = new Map<string, string>();
    const redact = (literal: string) => {
      if (literal.length > maxRememberedLength) return redactLiteral(literal, names);
      const known = remembered.get(literal);
      if (known !== undefined) return known;
      const redacted = redactLiteral(literal, names);
      remembered.set(literal, redacted);
      return redacted;
    };
    let result = "";
    let copied = 0;
    /** The first quote outside of every string that was looked at. */
    let quote = quoteFrom(json, 0);
    hint.lastIndex = 0;
    for (let match = hint.exec(json); match !== null; match = hint.exec(json)) {
      let end = match.index;
      let start = quote;
      // Strings without a match hold no backslash, which is one.
      while (quote < match.index) {
        start = quote;
        end = endOfString(json, start);
        quote = quoteFrom(json, end);
      }
      if (end <= match.index) continue;
      hint.lastIndex = end;
      if (isKey(json, end)) continue;
      const literal = json.slice(start, end);
      const redacted = redact(literal);
      if (redacted === literal) continue;
      result += json.slice(copied, start) + redacted;
      copied = end;
    }
    return copied === 0 ? json : result + json.slice(copied);
  };
}

/** Where the next quote is; behind the text where there is none. */
function quoteFrom(json: string, from: number): number {
  const at = json.indexOf('"', from);
  return at === -1 ? json.length : at;
}

function isKey(json: string, end: number): boolean {
  let position = end;
  while (" \t\r\n".includes(json[position] ?? "x")) position++;
  return json[position] === ":";
}

function redactLiteral(literal: string, names: readonly Detector[]): string {
  const hasEscapes = literal.includes("\\");
  const text = hasEscapes ? String(JSON.parse(literal)) : literal.slice(1, -1);
  const redacted = redactText(text, names);
  return redacted === text ? literal : JSON.stringify(redacted);
}
