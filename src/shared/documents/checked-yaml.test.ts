import Type from "typebox";
import { describe, expect, it } from "vitest";
import { parseCheckedYaml } from "./checked-yaml.ts";

const schema = Type.Object(
  { id: Type.String(), fields: Type.Optional(Type.Record(Type.String(), Type.Object({}))) },
  { additionalProperties: false },
);

function problemsOf(text: string): readonly string[] {
  const checked = parseCheckedYaml(text, schema);
  return checked.isValid ? [] : checked.problems.map(({ message, offset }) => `${offset}: ${message}`);
}

describe("a YAML text", () => {
  it.each([
    ["id: a\nfields: {a: {}", '14: "{" is not closed: "}" is missing'],
    ["id: a\nfields: {'}': {}, # }\n", '14: "{" is not closed: "}" is missing'],
    ["id: [a\n", '4: "[" is not closed: "]" is missing'],
  ])("reports the position of an unclosed bracket: %s", (text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });

  it("explains what to add when a key is missing", () => {
    expect(problemsOf("fields: {}")).toEqual(['0: a key is missing: add "id: ..."']);
  });

  it("explains what a key requires instead of a word", () => {
    expect(problemsOf("id: a\nfields: {a: b}")).toEqual(["15: fields.a: must be a map of keys, as in { key: value }"]);
  });
});
