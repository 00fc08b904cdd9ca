import { describe, expect, it } from "vitest";
import { KEYWORDS } from "../lexer/tables/keywords.ts";
import {
  arrayOf,
  BOOL,
  BYTES,
  DATE,
  FLOAT64,
  formatType,
  INT64,
  NUMERIC,
  type SqlType,
  STRING,
  TIMESTAMP,
  UNKNOWN,
} from "../types.ts";
import { CATALOGUE, createCatalogue } from "./index.ts";
import { matchSignatures } from "./match.ts";
import { parseSignature } from "./signature.ts";
import { foreignNames } from "./tables/foreign.ts";
import { type CallArgument, instantiate } from "./templates.ts";

const SPAN = { start: 0, end: 0 };

/** A column's value of a type. */
function column(type: SqlType, isLenient = false): CallArgument {
  const expression = { kind: "Column", type, column: { id: 1, name: "c", type }, span: SPAN } as const;
  return { kind: "value", operand: { type, expression, isLenient }, isConstant: false };
}

function literal(type: SqlType, value: string | null): CallArgument {
  const expression = { kind: "Literal", type, value, span: SPAN } as const;
  return { kind: "value", operand: { type, expression, isLenient: false }, isConstant: true };
}

/** The signature taken and its result, or `none`. */
function pick(signatures: readonly string[], ...callArguments: readonly CallArgument[]): string {
  const match = matchSignatures(signatures.map(parseSignature), callArguments);
  if (match === undefined) return "none";
  const result = instantiate(match.signature.result, match.bindings);
  return `${match.signature.text} : ${result === undefined ? "?" : formatType(result)}`;
}

describe("the function catalogue", () => {
  it("gives every row a readable signature, an area and a summary", () => {
    expect(CATALOGUE.definitions.length).toBeGreaterThan(300);
    for (const definition of CATALOGUE.definitions) {
      expect(definition.area, definition.name).not.toBe("");
      expect(definition.summary, definition.name).not.toBe("");
      expect(definition.signatures.length > 0 || definition.refused !== undefined, definition.name).toBe(true);
      expect(
        definition.name.startsWith("$") || definition.name === definition.name.toUpperCase(),
        definition.name,
      ).toBe(true);
    }
  });

  it("holds no function under another database's name, and each that is named in its place", () => {
    for (const [name, instead] of foreignNames) {
      expect(CATALOGUE.find(name), name).toBeUndefined();
      const named = [...instead.matchAll(/([A-Z][A-Z_0-9]*)(?=\()/g)].map(([each]) => each);
      const unknown = named.filter((each) => CATALOGUE.find(each) === undefined && !each.endsWith("OFFSET"));
      expect(
        unknown.filter((each) => KEYWORDS.get(each) === undefined),
        name,
      ).toEqual([]);
    }
  });

  it("finds a function by its name or alias in any case", () => {
    expect(CATALOGUE.find("substring")?.definition.name).toBe("SUBSTR");
    expect(CATALOGUE.find("Net.Host")?.definition.name).toBe("NET.HOST");
    expect(CATALOGUE.find("no_such_function")).toBeUndefined();
  });

  it("suggests neither operators nor refused functions", () => {
    const names = new Set(CATALOGUE.names());
    expect(names.has("$add")).toBe(false);
    expect(names.has("SESSION_USER")).toBe(false);
    expect(names.has("SUBSTRING")).toBe(true);
  });

  it("rejects a duplicate name and a malformed signature", () => {
    const row = { name: "F", kind: "scalar", signatures: ["() -> INT64"], area: "x", summary: "y" } as const;
    expect(() => createCatalogue([[row], [row]])).toThrow("holds F twice");
    expect(() => createCatalogue([[{ ...row, aliases: ["F"] }]])).toThrow("holds F twice");
    expect(() => createCatalogue([[{ ...row, signatures: ["(INT32) -> INT64"] }]])).toThrow("Malformed signature");
  });
});

describe("parseSignature", () => {
  it("reads optional, repeated and named parameters", () => {
    const signature = parseSignature(
      "(STRING, [INT64], [mode => STRING], T ORDERABLE...) -> ARRAY<STRUCT<value T, count INT64>>",
    );
    expect(signature.minArguments).toBe(1);
    expect(signature.maxArguments).toBe(Number.POSITIVE_INFINITY);
    expect(signature.hasTemplates).toBe(true);
    expect(signature.parameters.map(({ name, isOptional, isRepeated }) => [name, isOptional, isRepeated])).toEqual([
      [undefined, false, false],
      [undefined, true, false],
      ["mode", true, false],
      [undefined, false, true],
    ]);
  });

  it.each([
    "INT64",
    "(INT64) ->",
    "(INT64 -> INT64",
    "(FOO) -> INT64",
    "(INT64) -> INT64 INT64",
    "(ARRAY<INT64) -> INT64",
  ])("rejects the malformed signature %s", (text) => expect(() => parseSignature(text)).toThrow("Malformed signature"));
});

describe("overload resolution", () => {
  const NUMBERS = ["(INT64, INT64) -> INT64", "(FLOAT64, FLOAT64) -> FLOAT64", "(NUMERIC, NUMERIC) -> NUMERIC"];

  it("prefers the signature that coerces the fewest columns, then the fewest literals", () => {
    expect(pick(NUMBERS, column(INT64), column(INT64))).toContain(": INT64");
    expect(pick(NUMBERS, column(INT64), column(NUMERIC))).toContain(": NUMERIC");
    expect(pick(NUMBERS, column(NUMERIC), literal(FLOAT64, "1.5"))).toContain(": NUMERIC");
    expect(pick(NUMBERS, column(INT64), literal(FLOAT64, "1.5"))).toContain(": FLOAT64");
    expect(pick(NUMBERS, column(NUMERIC), column(FLOAT64))).toContain(": FLOAT64");
    expect(pick(NUMBERS, literal(UNKNOWN, null), literal(UNKNOWN, null))).toContain(": INT64");
    expect(pick(NUMBERS, column(STRING), column(INT64))).toBe("none");
  });

  it("coerces string literals to dates, but not columns", () => {
    const signatures = ["(DATE) -> DATE", "(TIMESTAMP) -> TIMESTAMP"];
    expect(pick(signatures, literal(STRING, "2024-01-01"))).toContain(": DATE");
    expect(pick(signatures, column(STRING))).toBe("none");
  });

  it("binds a template to the supertype of the columns, and coerces literals to it", () => {
    const same = ["(T, T...) -> T"];
    expect(pick(same, literal(INT64, "1"), column(NUMERIC), literal(UNKNOWN, null))).toContain(": NUMERIC");
    expect(pick(same, column(DATE), literal(STRING, "2024-01-01"))).toContain(": DATE");
    expect(pick(same, column(INT64), column(STRING))).toBe("none");
    expect(pick(["(ARRAY<T>, T) -> T"], column(arrayOf(INT64)), literal(FLOAT64, "1.5"))).toContain(": FLOAT64");
    expect(pick(["(NUMBER) -> NUMBER"], column(STRING))).toBe("none");
    expect(pick(["(T1, T2) -> ARRAY<T2>"], column(INT64), column(BOOL))).toContain(": ARRAY<BOOL>");
  });

  it("enforces the restrictions of a template", () => {
    expect(pick(["(T ORDERABLE) -> T"], column(arrayOf(INT64)))).toBe("none");
    expect(pick(["(T COMPARABLE) -> T"], column({ kind: "JSON" }))).toBe("none");
    expect(pick(["(T GROUPABLE) -> T"], column(arrayOf(INT64)))).toContain(": ARRAY<INT64>");
  });

  it("reads a log record's leaf as the wanted type when no signature matches strictly", () => {
    expect(pick(["(STRING) -> STRING", "(BYTES) -> BYTES"], column(INT64, true))).toContain(": STRING");
    expect(pick(["(INT64) -> INT64", "(ANY) -> STRING"], column(STRING, true))).toContain(": STRING");
    expect(pick(["(NUMBER) -> NUMBER"], column(STRING, true))).toContain(": FLOAT64");
    expect(pick(["(TIMESTAMP) -> TIMESTAMP"], column(TIMESTAMP, true))).toContain(": TIMESTAMP");
  });

  it("assigns named arguments, and rejects unknown, repeated and misplaced ones", () => {
    const signatures = ["(STRING, [a => INT64], [b => INT64]) -> STRING"];
    const named = (name: string): CallArgument => ({ ...column(INT64), name });
    expect(pick(signatures, column(STRING), named("b"))).toContain(": STRING");
    expect(pick(signatures, column(STRING), named("B"), named("a"))).toContain(": STRING");
    expect(pick(signatures, column(STRING), named("c"))).toBe("none");
    expect(pick(signatures, column(STRING), named("a"), named("a"))).toBe("none");
    expect(pick(signatures, column(STRING), column(INT64), named("a"))).toBe("none");
    expect(pick(signatures, named("a"), column(STRING))).toBe("none");
  });

  it("requires constants, date parts and lambdas where the signature does", () => {
    expect(pick(["(LITERAL INT64) -> INT64"], column(INT64))).toBe("none");
    expect(pick(["(LITERAL INT64) -> INT64"], literal(INT64, "1"))).toContain(": INT64");
    expect(pick(["(DATE, DATEPART) -> DATE"], column(DATE), { kind: "datepart" })).toContain(": DATE");
    expect(pick(["(DATE, DATEPART) -> DATE"], column(DATE), column(STRING))).toBe("none");
    expect(
      pick(["(ARRAY<T>, (T, [INT64]) -> BOOL) -> ARRAY<T>"], column(arrayOf(BYTES)), {
        kind: "lambda",
        parameterCount: 2,
      }),
    ).toContain(": ARRAY<BYTES>");
    expect(
      pick(["(ARRAY<T>, (T) -> BOOL) -> ARRAY<T>"], column(arrayOf(BYTES)), { kind: "lambda", parameterCount: 2 }),
    ).toBe("none");
    expect(pick(["(STRUCT) -> BOOL"], column(FLOAT64))).toBe("none");
  });
});
