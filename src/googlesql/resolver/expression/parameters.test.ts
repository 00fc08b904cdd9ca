import { describe, expect, it } from "vitest";
import { dumpOf, errorsOf, resolveText } from "../../../../test/support/googlesql/resolver/resolved.ts";
import { findParameters } from "../../parameters.ts";
import { parseQuery } from "../../parse.ts";
import { BYTES, DATE, INT64, STRING } from "../../types.ts";

describe("the resolver of query parameters", () => {
  const parameters = new Map<string | number, typeof STRING>([
    ["name", STRING],
    ["n", INT64],
    ["start", STRING],
  ]);

  it("gives each parameter its declared type, whatever its case", () => {
    expect(dumpOf("SELECT @Name, @N + 1", { parameters })).toBe(
      [
        "select f0_=f0#1:STRING, f1_=f1#2:INT64",
        "  compute @name:STRING as f0#1, $add(@n:INT64, 1) as f1#2",
        "    one row",
      ].join("\n"),
    );
  });

  it("coerces STRING parameters to the date or timestamp type that they are compared with", () => {
    expect(dumpOf("SELECT 1 FROM logs WHERE timestamp > @start", { parameters })).toContain(
      "$greater(timestamp#2, coerce(@start:STRING as TIMESTAMP))",
    );
    expect(dumpOf("SELECT 1 FROM orders WHERE day IN (@start, '2024-01-01')", { parameters })).toContain(
      "$in(day#4, coerce(@start:STRING as DATE), DATE'2024-01-01')",
    );
  });

  it("coerces STRING parameters safely to the type of a log record's leaf", () => {
    expect(dumpOf("SELECT 1 FROM logs, UNNEST(metadata) WHERE attempt = @name", { parameters })).toContain(
      "->attempt, safe_coerce(@name:STRING as INT64))",
    );
  });

  it("reports undeclared parameters where they stand", () => {
    expect(errorsOf("SELECT @nam, ?", { parameters })).toEqual([
      'unknown_parameter at "@nam": Query parameter @nam is not declared; did you mean @name?',
      'unknown_parameter at "?": Query parameter number 1 is not declared',
    ]);
  });

  it("infers an undeclared parameter's type from its first use when inference is on", () => {
    const query = resolveText("SELECT @a + 1, @b FROM orders WHERE day > @c AND placed > @c AND customer LIKE ?", {
      inferParameters: true,
    });
    expect(query.parameters).toEqual([
      { key: "c", type: DATE },
      { key: 1, type: STRING },
      { key: "a", type: INT64 },
      { key: "b", type: STRING },
    ]);
  });

  it("takes a value without a type for the one that those beside it ask for", () => {
    const inferred = (text: string) => resolveText(text, { inferParameters: true }).parameters.map(({ type }) => type);
    const texts = ["@a || 'x'", "'x' || @a", "name LIKE '%' || @a || '%'", "CONCAT(@a, 'x')"];
    expect(texts.map((text) => inferred(`SELECT ${text} FROM people`))).toEqual(texts.map(() => [STRING]));
    expect(inferred("SELECT @a || b'x', @b || 1, @c || @d, ROUND(@e)")).toEqual([BYTES, STRING, STRING, STRING, INT64]);
  });

  it("takes a parameter, or a cast of one, where a constant has to stand, and bounds it", () => {
    const bounded = (bound: string, message: string) =>
      `case(when $greater_or_equal(${bound}, 0) then ${bound} else ERROR("${message}"))`;
    const count = (clause: string) => `${clause} expects a non-negative integer literal or parameter`;
    const limit = bounded("cast(@n:INT64 as INT64)", count("LIMIT"));
    expect(
      dumpOf("SELECT id FROM people TABLESAMPLE SYSTEM (@n ROWS) LIMIT CAST(@n AS INT64) OFFSET @n", { parameters }),
    ).toBe(
      [
        "select id=id#1:INT64",
        `  limit ${limit} offset ${bounded("@n:INT64", count("OFFSET"))}`,
        `    sample system ${bounded("@n:INT64", "The size of TABLESAMPLE is out of range")} rows`,
        "      table people(id#1, name#2, score#3)",
      ].join("\n"),
    );
    expect(
      dumpOf("SELECT SUM(id) OVER (ORDER BY id ROWS @n PRECEDING), NTILE(@n) OVER (ORDER BY id) FROM people", {
        parameters,
      }),
    ).toContain("window SUM(id#1) over (order by id#1 rows -@n:INT64..0) as sum#4, NTILE(@n:INT64) over");
    expect(errorsOf("SELECT id FROM people LIMIT @n + 1", { parameters })).toEqual([
      'invalid_query at "@n + 1": LIMIT expects an integer literal or parameter',
    ]);
    expect(errorsOf("SELECT id FROM people ORDER BY name COLLATE @name", { parameters })).toEqual([
      "unsupported at \"@name\": A collation must be a literal: 'und:ci', or '' for none",
    ]);
    expect(errorsOf("SELECT 1 FROM people TABLESAMPLE SYSTEM (@name PERCENT)", { parameters })).toEqual([
      'type_mismatch at "@name": The size of TABLESAMPLE must be FLOAT64, but it is STRING',
    ]);
  });

  it("finds a query's parameters in text order, each name once", () => {
    expect(
      findParameters(parseQuery("WITH t AS (SELECT @B) SELECT @a, (SELECT @b) FROM t WHERE x = @c |> LIMIT @a")).map(
        ({ key }) => key,
      ),
    ).toEqual(["B", "a", "c"]);
    expect(findParameters(parseQuery("SELECT ?, ?")).map(({ key }) => key)).toEqual([1, 2]);
  });
});

describe("the time zone option", () => {
  it("applies to timestamps whose text names no zone", () => {
    const timeZone = "America/Los_Angeles";
    expect(dumpOf("SELECT TIMESTAMP '2024-07-01 00:00:00'", { timeZone })).toContain("TIMESTAMP'1719817200000000'");
    expect(dumpOf("SELECT TIMESTAMP '2024-07-01 00:00:00Z'", { timeZone })).toContain("TIMESTAMP'1719792000000000'");
    expect(dumpOf("SELECT 1 FROM logs WHERE timestamp > '2024-07-01'", { timeZone })).toContain("1719817200000000");
  });
});
