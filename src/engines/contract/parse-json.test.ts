import { describe, expect, it } from "vitest";
import { WideNumber } from "./event-store.ts";
import { mayHoldLongNumbers, parseJson } from "./parse-json.ts";

describe("a number that a double cannot represent", () => {
  it.each([
    ["9007199254740993", 9007199254740993n],
    [" -9007199254740993 ", -9007199254740993n],
    ["1e400", new WideNumber("1e400")],
    ["-1.5E+0999", new WideNumber("-1.5E+0999")],
    ["1".repeat(400), BigInt("1".repeat(400))],
    [`${"9".repeat(309)}.5`, new WideNumber(`${"9".repeat(309)}.5`)],
  ])("is preserved wherever it stands: %s", (text, value) => {
    expect(parseJson(text)).toEqual(value);
    expect(parseJson(`[${text}]`)).toEqual([value]);
    expect(parseJson(`[0, ${text},\n${text}]`)).toEqual([0, value, value]);
    expect(parseJson(`{"a":${text},"b":{"c": ${text}}}`)).toEqual({ a: value, b: { c: value } });
  });
});

describe("mayHoldLongNumbers", () => {
  // Batches nearly always hold such texts, and a batch that it reads takes three times as long to store.
  it.each([
    '{"id":"5e123456-4e99-4111-8e100-9e400aabbccd"}',
    '{"hash":"1e999","list":["12e345","0e777"]}',
    '{"timestamp":"2026-08-20T09:00:00.123456Z","us":1787216400123456}',
    '{"share":0.1234567890123456789,"small":1e-300,"large":1e99}',
    `{"digits":"${"1".repeat(400)}"}`,
  ])("is false for %s", (text) => {
    expect(mayHoldLongNumbers(text)).toBe(false);
  });
});
