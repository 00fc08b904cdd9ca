import { describe, expect, it } from "vitest";
import { lex } from "./lex.ts";

function kindsOf(text: string): string[] {
  return lex(text, 1_000).map((token) => `${token.kind}:${text.slice(token.start, token.end)}`);
}

function decode(text: string): unknown {
  const [token] = lex(text, 10);
  return token?.bytes === undefined ? token?.value : [...token.bytes];
}

describe("lex", () => {
  it("distinguishes reserved words, context-dependent keywords and identifiers", () => {
    expect(kindsOf("select Pivot foo _x1 `a b`")).toEqual([
      "reserved:select",
      "keyword:Pivot",
      "identifier:foo",
      "identifier:_x1",
      "quoted:`a b`",
      "end:",
    ]);
  });

  it("reads every form of number", () => {
    const text = "0 12 0x1F 0XaB 1. .5 1.5 1e10 1E+3 1.5e-7 1.e2 .5e1";
    expect(kindsOf(text).slice(0, -1)).toEqual(
      text.split(" ").map((part) => `${/[.]|[^x]e/i.test(part) && !/x/i.test(part) ? "float" : "integer"}:${part}`),
    );
  });

  it.each([
    ["1.0x1", ["float:1.", "integer:0x1", "end:"]],
    ["0x1.5", ["integer:0x1", "float:.5", "end:"]],
    ["1..5", ["float:1.", "float:.5", "end:"]],
    ["1.a", ["float:1.", "identifier:a", "end:"]],
    ["1e+x", ["integer:1", "error:e"]],
    ["a.1e5", ["identifier:a", "symbol:.", "identifier:1e5", "end:"]],
    ["a . /* x */ 0x1F", ["identifier:a", "symbol:.", "identifier:0x1F", "end:"]],
    [
      "f().1 b[0].2c ?.3",
      [
        "identifier:f",
        "symbol:(",
        "symbol:)",
        "symbol:.",
        "identifier:1",
        "identifier:b",
        "symbol:[",
        "integer:0",
        "symbol:]",
        "symbol:.",
        "identifier:2c",
        "symbol:?",
        "symbol:.",
        "identifier:3",
        "end:",
      ],
    ],
    ["a.select.from", ["identifier:a", "symbol:.", "identifier:select", "symbol:.", "identifier:from", "end:"]],
    ["'x'.select", ["string:'x'", "symbol:.", "reserved:select", "end:"]],
    [
      "@select @@from.where",
      ["symbol:@", "identifier:select", "symbol:@@", "identifier:from", "symbol:.", "identifier:where", "end:"],
    ],
  ])("splits %s", (text, kinds) => {
    expect(kindsOf(text)).toEqual(kinds);
  });

  it.each(["1a", "1.5b", "1e5c", "0x1g", "1select", "1e5e5"])("requires white space inside %s", (text) => {
    expect(lex(text, 10).at(-1)).toMatchObject({
      kind: "error",
      value: "Syntax error: Missing whitespace between literal and alias",
    });
  });

  it("reads the longest symbol, except that > stays single since it closes types", () => {
    expect(kindsOf("|> || | => = -> - != <= <> << < >= >> :: @@ @").slice(0, -1)).toEqual(
      ["|>", "||", "|", "=>", "=", "->", "-", "!=", "<=", "<>", "<<", "<", ">=", ">", ">", "::", "@@", "@"].map(
        (symbol) => `symbol:${symbol}`,
      ),
    );
    expect(kindsOf("STRUCT<>")).toEqual(["reserved:STRUCT", "symbol:<", "symbol:>", "end:"]);
  });

  it("skips every kind of white space and all three kinds of comment", () => {
    expect(kindsOf("\u00a0\u2003\u3000a-- x\nb# y\r\nc/* z * / */d--")).toEqual([
      "identifier:a",
      "identifier:b",
      "identifier:c",
      "identifier:d",
      "end:",
    ]);
  });

  it.each([
    ["'a'", "a"],
    ['"a\'b"', "a'b"],
    ["'''a'b''c'''", "a'b''c"],
    ['"""a\nb"""', "a\nb"],
    ["'''a\r\nb\rc'''", "a\nb\nc"],
    ["'''\\t\r\nb'''", "\t\nb"],
    ["r'\\n'", "\\n"],
    ["R'a\\'b'", "a\\'b"],
    ["r'''a\\\nb'''", "a\\\nb"],
    ["'\\x41\\X42\\103'", "ABC"],
    ["'\\u00e9\\U0001F600'", "é\u{1f600}"],
    ["'\\a\\b\\f\\n\\r\\t\\v\\\\\\?\\\"\\'\\`'", "\u0007\b\f\n\r\t\u000b\\?\"'`"],
    ["'\\xff'", "ÿ"],
    ["`a\\`b\\n`", "a`b\n"],
    ["''", ""],
    ["''''''", ""],
  ])("reads %j as text", (text, value) => {
    expect(decode(text)).toBe(value);
  });

  it.each([
    ["b'a'", [97]],
    ["B'\\xff\\377'", [255, 255]],
    ["b'é'", [195, 169]],
    ["rb'\\x00'", [92, 120, 48, 48]],
    ['bR"""a\nb"""', [97, 10, 98]],
  ])("reads %j as bytes", (text, bytes) => {
    expect(decode(text)).toEqual(bytes);
  });

  it.each([
    ["'abc", "Unclosed string literal", 0],
    ["'a\nb'", "Unclosed string literal", 0],
    ["x '''a''", "Unclosed triple-quoted string literal", 2],
    ["r'a", "Unclosed raw string literal", 0],
    ["b'a", "Unclosed bytes literal", 0],
    ["br'a\n'", "Unclosed raw bytes literal", 0],
    ["'a\\'", "Unclosed string literal", 0],
    ["`a\nb`", "Unclosed identifier literal", 0],
    ["``", "Invalid empty identifier", 0],
    ["/* a", "Unclosed comment", 0],
    ["'ab\\q'", "Illegal escape sequence: \\q", 3],
    ["'\\x4'", "Illegal escape sequence: Hex escape must be followed by 2 hex digits but saw: \\x4", 1],
    ["'\\12'", "Illegal escape sequence: Octal escape must be followed by 3 octal digits but saw: \\12", 1],
    ["'\\477'", "Illegal escape sequence: \\4", 1],
    ["'\\u12'", "Illegal escape sequence: \\u must be followed by 4 hex digits but saw: \\u12", 1],
    ["'\\U00110000'", "Illegal escape sequence: Value of \\U00110000 exceeds Unicode limit (0x0010FFFF)", 1],
    ["'\\ud83d'", "Illegal escape sequence: Unicode value \\ud83d is invalid", 1],
    ["b'\\u0041'", "Illegal escape sequence: Unicode escape sequence \\u cannot be used in bytes literals", 2],
    ["'''a\\\nb'''", "Illegal escaped newline", 4],
    ["'\\\u{1f600}'", "Illegal escape sequence: \\\u{1f600}", 1],
    ["a \0", 'Illegal input character "\\u0000"', 2],
    ["é", 'Illegal input character "é"', 0],
    ["\u{1f600}", 'Illegal input character "\u{1f600}"', 0],
  ])("explains what is wrong with %j", (text, message, start) => {
    expect(lex(text, 10).at(-1)).toMatchObject({ kind: "error", value: `Syntax error: ${message}`, start });
  });

  it("stops after the given number of tokens", () => {
    expect(lex("a ".repeat(100), 5)).toHaveLength(6);
    expect(lex("a a a", 5).at(-1)?.kind).toBe("end");
  });
});
