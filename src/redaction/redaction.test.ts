import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keptIps, redactedIps } from "../../test/support/redaction/tables/ip-corpus.ts";
import { sampleSize } from "../../test/support/sample-size.ts";
import { redactJson } from "./redact-json.ts";
import { redactText } from "./redact-text.ts";

describe("redactText", () => {
  it.each(redactedIps)("turns %j into %j", (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each(keptIps.map((text) => [text]))("leaves %j unchanged", (text) => {
    expect(redactText(text)).toBe(text);
  });

  it("finds every IPv4 and IPv6 address between arbitrary punctuation", () => {
    const punctuation = fc.constantFrom(
      " ",
      ",",
      ";",
      "(",
      ")",
      '"',
      "'",
      "=",
      "<",
      ">",
      "|",
      "{",
      "}",
      "\n",
      "&",
      "?",
    );
    const address = fc.oneof(fc.ipV4(), fc.ipV6()).filter((text) => text !== "::");
    fc.assert(
      fc.property(punctuation, address, punctuation, (before, text, after) => {
        expect(redactText(before + text + after)).toBe(`${before}REDACTED${after}`);
      }),
      { seed: 1, numRuns: sampleSize(60, 4_000) },
    );
  });

  it("takes linear time on hostile texts", () => {
    const hostile = [
      "1.",
      "1:",
      "::",
      "1.1.1.",
      "a:",
      "fe80::1%",
      "[::",
      "1.2.3.4:",
      "ffff:ffff:",
      "ffff",
      "1111",
      "1.1",
    ];
    // Quadratic time would take longer than a test may.
    for (const part of hostile) {
      const redacted = redactText(part.repeat(sampleSize(10_000, 200_000)));
      expect(redactText(redacted)).toBe(redacted);
    }
  });
});

describe("redactJson", () => {
  it("redacts string values at every depth, but neither keys nor other values", () => {
    const json =
      '{"10.0.0.1":"10.0.0.1","n":1.5e3,"big":12345678901234567890,"a":[{"b":[{"c":"x ::1"}],"d":null}],"e":true}';
    expect(redactJson(json)).toBe(
      '{"10.0.0.1":"REDACTED","n":1.5e3,"big":12345678901234567890,"a":[{"b":[{"c":"x REDACTED"}],"d":null}],"e":true}',
    );
  });

  it("interprets escapes as the characters they represent", () => {
    expect(redactJson(String.raw`{"a":"\u0031\u0030.0.0.1 \"::1\" \\"}`)).toBe(
      String.raw`{"a":"REDACTED \"REDACTED\" \\"}`,
    );
    expect(redactJson(String.raw`{"a":"\n10.0.0.1\\","b":"\\"}`)).toBe(String.raw`{"a":"\nREDACTED\\","b":"\\"}`);
  });

  it("leaves keys unchanged when a space precedes the colon", () => {
    expect(redactJson('{"::1" : "::1"}')).toBe('{"::1" : "REDACTED"}');
  });

  it("is not misled by numbers, names and escapes that resemble something to redact", () => {
    const json = String.raw`{"n":411111111111111100,"1.2.3.4 \" x@example.com":[4111111111111111,"10.0.0.1"],"\\":"\"","m":"10.0.0.1"}`;
    expect(redactJson(json)).toBe(
      String.raw`{"n":411111111111111100,"1.2.3.4 \" x@example.com":[4111111111111111,"REDACTED"],"\\":"\"","m":"REDACTED"}`,
    );
  });

  it("redacts each string like the text alone, whatever surrounds it", () => {
    const piece = fc.constantFrom(
      "10.0.0.1",
      "::1",
      "a@example.com",
      '"',
      "\\",
      "\n",
      ":",
      "{",
      ",",
      "4111111111111111",
      "é",
      "x",
    );
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(" "));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, fc.integer())), (entries) => {
        const json = entries.map(([key, value, number]) =>
          JSON.stringify({ [key]: [value, number, { [value]: key }] }),
        );
        const expected = entries.map(([key, value, number]) =>
          JSON.stringify({ [key]: [redactText(value), number, { [value]: redactText(key) }] }),
        );
        expect(redactJson(json.join(","))).toBe(expected.join(","));
      }),
      { seed: 3, numRuns: sampleSize(40, 3_000) },
    );
  });

  it("redacts rows that are separated by commas", () => {
    expect(redactJson('{"a":"::1"},{"a":"10.0.0.1"}')).toBe('{"a":"REDACTED"},{"a":"REDACTED"}');
  });

  it("returns valid JSON of the same shape for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const result: unknown = JSON.parse(redactJson(JSON.stringify(value)));
        const shape = (each: unknown) =>
          JSON.stringify(each, (_key, inner) => (typeof inner === "string" ? "" : inner));
        expect(shape(result)).toBe(shape(value));
      }),
      { seed: 1, numRuns: sampleSize(40, 2_000) },
    );
  });
});
