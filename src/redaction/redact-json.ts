import { type Detector, defaultDetectors } from "./detector.ts";
import { redactText } from "./redact-text.ts";

/**
 * Redacts the string values of JSON text, at every depth; keys and other values stay as they are, character by
 * character. The text is any run of JSON tokens, such as the rows of an answer separated by commas. Linear time.
 */
export function redactJson(json: string, names: readonly Detector[] = defaultDetectors): string {
  let result = "";
  let copied = 0;
  let position = json.indexOf('"');
  while (position !== -1) {
    const end = endOfString(json, position);
    if (!isKey(json, end)) {
      const literal = json.slice(position, end);
      const redacted = redactLiteral(literal, names);
      if (redacted !== literal) {
        result += json.slice(copied, position) + redacted;
        copied = end;
      }
    }
    position = json.indexOf('"', end);
  }
  return copied === 0 ? json : result + json.slice(copied);
}

/** The offset behind the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    quote = json.indexOf('"', quote + 1);
  }
  return json.length;
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
