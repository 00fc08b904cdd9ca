import fc from "fast-check";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { createDocumentForm } from "./document-form.ts";
import { findTextProblems } from "./schema-problems.ts";

const form = createDocumentForm(
  Type.Object(
    {
      name: Type.String({ title: "a text that is not empty", pattern: "\\S", maxLength: 5 }),
      note: Type.Optional(Type.String()),
      kind: Type.Optional(Type.Enum(["a", "b"])),
      on: Type.Optional(Type.Boolean()),
      scopes: Type.Optional(
        Type.Union([Type.Array(Type.String()), Type.String()], { title: "a list, or texts with spaces" }),
      ),
      limits: Type.Optional(
        Type.Object({ rows: Type.Optional(Type.Integer({ minimum: 1 })) }, { additionalProperties: false }),
      ),
    },
    { additionalProperties: false },
  ),
);

describe("a document's form", () => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])(
    "names a field that every object of JavaScript has, as %s",
    (name) => {
      const sent = JSON.parse(`{"name":"n","${name}":{"limits":1}}`) as Record<string, unknown>;
      const { problems } = form.read(sent) as { readonly problems: Record<string, readonly string[]> };
      expect(Object.entries(problems)).toEqual([
        [name, [expect.stringMatching(/^there is no such field; fields are/)]],
      ]);
      const inner = JSON.parse(`{"name":"n","limits":{"${name}":1}}`) as Record<string, unknown>;
      expect(form.read(inner)).toMatchObject({
        problems: { limits: [`${name}: there is no such field; the only one is rows`] },
      });
    },
  );

  it("is right, where null counts as left out", () => {
    expect(form.read({ name: "n", note: null, kind: "a" })).toEqual({ document: { name: "n", kind: "a" } });
  });

  it.each<[Record<string, unknown>, Record<string, string[]>]>([
    [{}, { name: ["must be a text that is not empty"] }],
    [{ name: null }, { name: ["must be a text that is not empty"] }],
    [{ name: " " }, { name: ["must be a text that is not empty"] }],
    [{ name: 3 }, { name: ["must be a text that is not empty"] }],
    [{ name: "xxxxxx" }, { name: ["must have 5 characters at most"] }],
    [{ name: "n", note: {} }, { note: ["must be a text"] }],
    [{ name: "n", on: "yes" }, { on: ["must be true or false"] }],
    [{ name: "n", kind: "c" }, { kind: ["must be one of a, b"] }],
    [{ name: "n", scopes: 3 }, { scopes: ["must be a list, or texts with spaces"] }],
    [{ name: "n", scopes: Array(20).fill(null) }, { scopes: ["must be a list, or texts with spaces"] }],
    [{ name: "n", limits: { rows: 0 } }, { limits: ["rows: must be an integer"] }],
    [{ name: "n", limits: { cake: 1 } }, { limits: ["cake: there is no such field; the only one is rows"] }],
    [
      { name: "n", "a/b~c": 1 },
      { "a/b~c": ["there is no such field; fields are name, note, kind, on, scopes, limits"] },
    ],
  ])("of %j is refused by field", (sent, problems) => {
    expect(form.read(sent)).toMatchObject({ problems });
    expect(Object.keys((form.read(sent) as { problems: object }).problems)).toEqual(Object.keys(problems));
  });

  it("that is wrong in one field leaves the others", () => {
    expect(form.read({ name: "n", note: 3, on: true })).toEqual({
      problems: { note: ["must be a text"] },
      fields: { name: "n", on: true },
    });
  });
});

describe("texts of a document", () => {
  it.each<[unknown, readonly unknown[]]>([
    [{ name: "a\u0000b" }, [{ path: ["name"], message: "has the control character U+0000" }]],
    [{ name: "\u001b[2J" }, [{ path: ["name"], message: "has the control character U+001B" }]],
    [{ name: "\u0085" }, [{ path: ["name"], message: "has the control character U+0085" }]],
    [
      { a: [{ b: "\ud800" }] },
      [{ path: ["a", "0", "b"], message: "has half a surrogate pair, which is no character" }],
    ],
    [{ "k\u007f": 1 }, [{ path: ["kU+007F"], message: "its name has the control character U+007F" }]],
    [{ text: "two\r\n\tlines, 😀" }, []],
  ])("are refused with their place where they cannot be stored as they are", (document, problems) => {
    expect(findTextProblems(document)).toEqual(problems);
    const isRefused = "problems" in createDocumentForm(Type.Object({})).read(document as Record<string, unknown>);
    expect(isRefused).toBe(problems.length > 0);
  });

  it("are the same after a way through UTF-8, and have no NUL, unless they are refused", () => {
    const units = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 9, 10, 13, 27, 127, 0xd83d, 0xde00));
    const texts = fc.array(units, { maxLength: 8 }).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(
        fc.jsonValue().chain((rest) => fc.tuple(texts, texts, fc.constant(rest))),
        ([key, text, rest]) => {
          const document = { [key]: [text], rest: [rest] };
          if (findTextProblems(document).length > 0) return;
          expect([Buffer.from(text).toString(), Buffer.from(key).toString()]).toEqual([text, key]);
          expect(`${key}${text}`).not.toMatch(/[^\P{Cc}\t\r\n]/u);
        },
      ),
    );
  });

  it("are looked at at any depth", () => {
    const deep = JSON.parse(`${'{"a":['.repeat(100_000)}"\\u0000"${"]}".repeat(100_000)}`) as unknown;
    expect(findTextProblems(deep)).toHaveLength(1);
  });
});
