import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../test/support/code-point.ts";
import { printQuery } from "../../test/support/googlesql/print-query.ts";
import { ADJACENT_CORPUS, SYNTAX_CORPUS } from "../../test/support/googlesql/tables/syntax-corpus.ts";
import { expressionTreeOf, treeOf, withoutSpans } from "../../test/support/googlesql/tree.ts";
import { sampleSize } from "../../test/support/sample-size.ts";
import { GoogleSqlError } from "./diagnostic.ts";
import { lex } from "./lexer/lex.ts";
import type { Token } from "./lexer/token.ts";
import { MAX_TOKENS } from "./limits.ts";
import { parseQuery } from "./parse.ts";

/** The same cases in every run. */
const SEED = { seed: 20_240_102 };

const CORPUS = [...SYNTAX_CORPUS, ...ADJACENT_CORPUS];

/** Whether a text is a query; if so, its canonical form must read the same. Anything but a clean answer throws. */
function checkAnyText(text: string): boolean {
  try {
    const query = parseQuery(text);
    const printed = printQuery(query);
    expect(withoutSpans(parseQuery(printed))).toEqual(withoutSpans(query));
    return true;
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    for (const { span } of error.diagnostics) {
      expect(span.start).toBeGreaterThanOrEqual(0);
      expect(span.end).toBeLessThanOrEqual(text.length);
      expect(span.start).toBeLessThanOrEqual(span.end);
    }
    return false;
  }
}

function readTokens(text: string): Token[] {
  return lex(text, MAX_TOKENS).filter((token) => token.kind !== "end");
}

describe("the canonical text of a query", () => {
  it.each(CORPUS)("parses to the query it was printed from: %s", (text) => {
    const printed = printQuery(parseQuery(text));
    expect(treeOf(printed)).toEqual(treeOf(text));
    expect(printQuery(parseQuery(printed))).toBe(printed);
  });

  it("is one line with upper-case keywords and without comments or redundant parentheses", () => {
    const text = "select ((a)), 'x' /* note */ 'y' from ((t join u on (a=b))) -- end\n where not (c)";
    expect(() => parseQuery(text)).toThrow("Expected keyword JOIN");
    const query = parseQuery(text.replace("((t join u on (a=b)))", "(t join u on (a=b))"));
    expect(printQuery(query)).toBe('SELECT a, "xy" FROM (t JOIN u ON a = b) WHERE NOT c');
  });

  it("does not turn two minus signs into a comment", () => {
    expect(printQuery(parseQuery("SELECT - - 1, a - -b"))).toBe("SELECT - -1, a - -b");
  });

  it("preserves any text in literals and names", () => {
    const anyText = fc.string({ unit: codePoint });
    fc.assert(
      fc.property(anyText, anyText, fc.uint8Array(), (value, name, bytes) => {
        const span = { start: 0, end: 0 };
        const alias = { kind: "Identifier", span, name: `${name}x`, isQuoted: true } as const;
        const items = [
          { kind: "SelectExpression", span, expression: { kind: "StringLiteral", span, value }, alias },
          { kind: "SelectExpression", span, expression: { kind: "BytesLiteral", span, value: bytes } },
        ] as const;
        const body = { kind: "Select", span, isDistinct: false, items, windows: [] } as const;
        const printed = printQuery({ kind: "Query", span, body, pipes: [] });
        const read = withoutSpans(parseQuery(printed));
        expect(read).toEqual(withoutSpans({ kind: "Query", body, pipes: [] }));
      }),
      SEED,
    );
  });

  it("preserves any text of a source in its literals", () => {
    const plain = fc.string({
      unit: fc.constantFrom("a", "'", '"', "\\\\", "\\n", "\n", "\r\n", "\\x41", "é", "\u{1f600}"),
    });
    fc.assert(
      fc.property(plain, (content) => {
        checkAnyText(`SELECT '''${content}'''`);
        checkAnyText(`SELECT r"""${content}"""`);
        checkAnyText(`SELECT b'${content}'`);
      }),
      SEED,
    );
  });
});

describe("comments", () => {
  const comment = fc.constantFrom("/* x */", "/**/", "-- ' \n", "# ` \n", "/* -- */ # y\n", "\u00a0\t", "\r\n");

  it.each(SYNTAX_CORPUS)("do not change the query wherever they stand: %s", (text) => {
    const tokens = readTokens(text);
    const expected = treeOf(text);
    fc.assert(
      fc.property(fc.array(comment, { minLength: tokens.length, maxLength: tokens.length }), (comments) => {
        const commented = tokens.map((token, index) => ` ${comments[index]}${text.slice(token.start, token.end)}`);
        expect(treeOf(`${commented.join("")}--`)).toEqual(expected);
      }),
      { ...SEED, numRuns: 5 },
    );
  });
});

describe("the parser, given any text,", () => {
  const words = [
    ...new Set(CORPUS.flatMap((text) => readTokens(text).map(({ start, end }) => text.slice(start, end)))),
  ];

  it("returns a query or a clean error for the grammar's words in random order", () => {
    const soup = fc.array(fc.constantFrom(...words), { maxLength: 40 });
    fc.assert(
      fc.property(soup, fc.constantFrom(" ", ""), (tokens, blank) => {
        checkAnyText(tokens.join(blank));
        checkAnyText(`SELECT ${tokens.join(blank)}`);
        checkAnyText(`FROM t |> ${tokens.join(" ")}`);
      }),
      { ...SEED, numRuns: sampleSize(60, 3_000) },
    );
  });

  it("returns a query or a clean error for a changed query", () => {
    const change = fc.record({
      at: fc.nat(),
      kind: fc.constantFrom("drop", "double", "swap", "insert"),
      word: fc.nat(),
    });
    let queries = 0;
    fc.assert(
      fc.property(fc.constantFrom(...CORPUS), fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
        const tokens = readTokens(text).map(({ start, end }) => text.slice(start, end));
        for (const { at, kind, word } of changes) {
          const index = at % tokens.length;
          const token = tokens[index] ?? "";
          if (kind === "drop") tokens.splice(index, 1);
          else if (kind === "double") tokens.splice(index, 0, token);
          else if (kind === "swap") tokens.splice(index, 2, tokens[index + 1] ?? "", token);
          else tokens.splice(index, 0, words[word % words.length] ?? "");
        }
        if (checkAnyText(tokens.join(" "))) queries++;
      }),
      { ...SEED, numRuns: sampleSize(100, 10_000) },
    );
    expect(queries).toBeGreaterThan(sampleSize(2, 300));
  });

  it("returns a query or a clean error for random characters", () => {
    const anyText = fc.string({ unit: codePoint });
    fc.assert(
      fc.property(anyText, fc.string({ unit: fc.constantFrom(..."'\"`\\\n\r/*-#@.0xe1bBrRuU \0\ud83d") }), (a, b) => {
        checkAnyText(a);
        checkAnyText(`SELECT ${a}`);
        checkAnyText(`SELECT ${b}`);
      }),
      { ...SEED, numRuns: sampleSize(60, 3_000) },
    );
  });
});

describe("the parser's precedence rules", () => {
  it.each([
    ["a + b * c", "a + (b * c)"],
    ["a - b - c", "(a - b) - c"],
    ["a || b * c", "(a || b) * c"],
    ["a << 1 + b", "a << (1 + b)"],
    ["a & b << c", "a & (b << c)"],
    ["a ^ b & c", "a ^ (b & c)"],
    ["a | b ^ c", "a | (b ^ c)"],
    ["a = b | c", "a = (b | c)"],
    ["NOT a = b", "NOT (a = b)"],
    ["NOT a AND b", "(NOT a) AND b"],
    ["a AND b OR c AND d", "(a AND b) OR (c AND d)"],
    ["-a.b[0]", "-((a.b)[0])"],
    ["-a::INT64", "-(a::INT64)"],
    ["- a * b", "(- a) * b"],
    ["a BETWEEN b AND c AND d", "(a BETWEEN b AND c) AND d"],
    ["a IS NULL AND b", "(a IS NULL) AND b"],
    ["a IN (1, 2) + 3", "(a IN (1, 2)) + 3"],
    ["NOT a IN (1)", "NOT (a IN (1))"],
    ["INTERVAL 1 + 2 DAY", "INTERVAL (1 + 2) DAY"],
    ["a >> 1 >> 2", "(a >> 1) >> 2"],
  ])("read %s as %s", (short, long) => {
    expect(expressionTreeOf(short)).toEqual(expressionTreeOf(long));
  });

  it("respect parentheses", () => {
    expect(expressionTreeOf("(a AND b) AND c")).not.toEqual(expressionTreeOf("a AND b AND c"));
    expect(expressionTreeOf("a - (b - c)")).not.toEqual(expressionTreeOf("a - b - c"));
  });
});
