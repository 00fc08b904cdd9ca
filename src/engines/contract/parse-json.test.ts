import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitScalar } from "../schema/declared-value.ts";
import { WideNumber } from "./event-store.ts";
import { tenantOf } from "./event-tenant.ts";
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

describe("a text with such a number", () => {
  const name = fc.constantFrom("a", "b", "__proto__", "\0", '"', "\\", "9007199254740993");
  const texts = fc.oneof(name, fc.constantFrom("\0", "\0\0", "\u00001e400", "\0\u00009007199254740993", ":1e400,"));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      texts,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  it("reads like any other in all else", () => {
    fc.assert(
      fc.property(value, fc.boolean(), (each, isSpaced) => {
        const text = JSON.stringify(each, null, isSpaced ? 1 : 0);
        expect(parseJson(`[1e400,${text}]`)).toEqual([new WideNumber("1e400"), JSON.parse(text)]);
      }),
    );
  });

  it("is refused where JSON.parse refuses it", () => {
    const piece = fc.constantFrom(
      "[",
      "]",
      "{",
      "}",
      ",",
      ":",
      '"',
      '"a"',
      "\\",
      "1e400",
      "12345678901234567890",
      "0",
      "-",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `[1e400,${pieces.join("")}]`;
        const read = (parse: (text: string) => unknown) => {
          try {
            return parse(text) !== undefined;
          } catch (error) {
            return String(error);
          }
        };
        expect(read(parseJson)).toBe(read(JSON.parse));
      }),
    );
  });

  it("may name a field twice, the last of which counts, and nest as deeply as others", () => {
    expect(parseJson('{"a":1e400,"b":1,"a":2}')).toEqual({ a: 2, b: 1 });
    const levels = 100_000;
    let inner = parseJson(`${"[".repeat(levels)}1e400${"]".repeat(levels)}`);
    for (let level = 0; level < levels; level++) inner = (inner as unknown[])[0];
    expect(inner).toEqual(new WideNumber("1e400"));
  });
});

it.each([1e21, -1.5e300, 1e20, -0, 5e-324, 1e-7, 0.1])("the tenant %d is the text that its store holds", (tenant) => {
  expect(tenantOf(["t"], { t: tenant })).toBe(fitScalar(tenant, "STRING"));
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
