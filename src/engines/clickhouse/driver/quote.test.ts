import { describe, expect, it } from "vitest";
import { quoteName, quoteText } from "./quote.ts";

const hostile = [
  ...["it's", "\\", "\\'", "'; DROP TABLE events; --", "{p1:String}", "{{", "`", "\0", "a\0b", "\n\t\r", "🦉"],
  ...["/* */ -- #", "''", "\\\\'", "$1", "?", "%", "\ud800", "x\udc00y", "\u2028"],
];

/** Reads a literal as ClickHouse's lexer does: an escape is two characters, and the next plain quote ends it. */
function readLiteral(text: string, quote: string): { readonly value: string; readonly rest: string } {
  expect(text.startsWith(quote)).toBe(true);
  let value = "";
  for (let index = 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === quote) return { value, rest: text.slice(index + 1) };
    if (character !== "\\") value += character;
    else {
      index++;
      value += text.charAt(index) === "0" ? "\0" : text.charAt(index);
    }
  }
  throw new Error("The literal does not end");
}

describe("quoting for ClickHouse", () => {
  it.each(hostile)("preserves a text in its literal: %j", (text) => {
    expect(readLiteral(quoteText(text), "'")).toEqual({ value: text.toWellFormed(), rest: "" });
  });

  it.each(hostile)("preserves the text in its literal when combined with any other: %j", (text) => {
    for (const other of hostile) {
      expect(readLiteral(quoteText(text + other), "'")).toEqual({ value: (text + other).toWellFormed(), rest: "" });
    }
  });

  it.each(hostile.filter((name) => !name.includes("\0")))("preserves a name in its quotes: %j", (name) => {
    expect(readLiteral(quoteName(name), "`")).toEqual({ value: name, rest: "" });
  });
});
