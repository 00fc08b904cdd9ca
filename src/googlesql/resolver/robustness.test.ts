import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dumpQuery } from "../../../test/support/googlesql/resolver/dump.ts";
import { errorsOf, TABLES } from "../../../test/support/googlesql/resolver/resolved.ts";
import { TypedQueryWriter } from "../../../test/support/googlesql/resolver/typed-query.ts";
import { sampleSize } from "../../../test/support/sample-size.ts";
import type { Expression, Query, Select } from "../ast.ts";
import { GoogleSqlError } from "../diagnostic.ts";
import { parseQuery } from "../parse.ts";
import { resolveQuery } from "./resolve.ts";

/** Resolves a text, if it parses; anything but a query or a `GoogleSqlError` with spans inside the text fails. */
function resolveAny(text: string): "resolved" | "refused" | "no query" {
  let query: Query;
  try {
    query = parseQuery(text);
  } catch {
    return "no query";
  }
  try {
    dumpQuery(resolveQuery(query, text, { tables: TABLES, inferParameters: true }));
    return "resolved";
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    for (const { span } of error.diagnostics) {
      expect(span.start).toBeGreaterThanOrEqual(0);
      expect(span.end).toBeLessThanOrEqual(text.length);
      expect(span.start).toBeLessThanOrEqual(span.end);
    }
    return "refused";
  }
}

const NAMES = ["id", "name", "p", "people", "logs", "metadata", "m", "request", "items", "doc", "x", "nope"];
const FUNCTIONS = [
  "COUNT",
  "SUM",
  "UPPER",
  "IF",
  "COALESCE",
  "ARRAY_AGG",
  "ARRAY_LENGTH",
  "DATE_TRUNC",
  "NOPE",
  "LAG",
  "STRING_AGG",
];

const { expression, query } = fc.letrec<{ expression: string; query: string; item: string; from: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom(...NAMES, "1", "1.5", "'a'", "NULL", "TRUE", "@p", "DATE '2024-01-01'", "b'x'", "COUNT(*)", "[1]"),
    fc
      .tuple(tie("expression"), fc.constantFrom("+", "=", "||", "<", "AND", "OR", "*", "LIKE"), tie("expression"))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc
      .tuple(fc.constantFrom(...FUNCTIONS), fc.array(tie("expression"), { maxLength: 3 }))
      .map(([f, list]) => `${f}(${list.join(", ")})`),
    fc.tuple(tie("expression"), fc.constantFrom(...NAMES)).map(([a, name]) => `(${a}).${name}`),
    fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)).map(([a, b]) => `${a}.${b}`),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `(${a})[${b}]`),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([a, b, c]) => `CASE ${a} WHEN ${b} THEN ${c} END`),
    fc
      .tuple(tie("expression"), fc.constantFrom("INT64", "STRING", "DATE", "ARRAY<INT64>", "STRUCT<a INT64>"))
      .map(([a, type]) => `SAFE_CAST(${a} AS ${type})`),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `STRUCT(${a} AS a, ${b})`),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `SUM(${a}) OVER (PARTITION BY ${b} ORDER BY ${a})`),
    fc.tuple(fc.constantFrom("", "ARRAY", "EXISTS"), tie("query")).map(([mode, q]) => `${mode}(${q})`),
    fc.tuple(tie("expression"), tie("query")).map(([a, q]) => `(${a} IN (${q}))`),
  ),
  from: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    fc.constantFrom("people AS p", "logs", "orders", "nope", "UNNEST([1, 2]) AS x WITH OFFSET", "cte"),
    fc
      .tuple(
        tie("from"),
        fc.constantFrom("UNNEST(metadata) AS m", "UNNEST(m.request) AS request", "UNNEST(items)", "people.x"),
      )
      .map(([a, b]) => `${a}, ${b}`),
    fc
      .tuple(tie("from"), fc.constantFrom("JOIN", "LEFT JOIN", "FULL JOIN"), tie("expression"))
      .map(([a, join, on]) => `${a} ${join} orders AS o2 ON ${on}`),
    fc.tuple(tie("from")).map(([a]) => `${a} JOIN people AS p2 USING (id)`),
    tie("query").map((q) => `(${q}) AS x`),
  ),
  item: fc.oneof(
    tie("expression"),
    tie("expression").map((e) => `${e} AS x`),
    fc.constantFrom("*", "p.*", "* EXCEPT (id)", "m.*"),
  ),
  query: fc
    .record({
      items: fc.array(tie("item"), { minLength: 1, maxLength: 3 }),
      from: fc.option(tie("from")),
      where: fc.option(tie("expression"), { freq: 2 }),
      groupBy: fc.option(fc.oneof(tie("expression"), fc.constantFrom("1", "ALL", "x", "ROLLUP (id, name)")), {
        freq: 2,
      }),
      having: fc.option(tie("expression"), { freq: 1 }),
      orderBy: fc.option(tie("expression"), { freq: 2 }),
      distinct: fc.constantFrom("", "", "DISTINCT ", "AS STRUCT "),
      tail: fc.constantFrom(
        "",
        "",
        " UNION ALL SELECT 1",
        " LIMIT 5",
        " |> WHERE x = 1 |> AGGREGATE COUNT(*) GROUP BY x",
        " |> SET x = 1 |> DROP id",
      ),
      head: fc.constantFrom("", "", "WITH cte AS (SELECT 1 AS id, metadata FROM logs ORDER BY timestamp) "),
    })
    .map(
      ({ head, distinct, items, from, where, groupBy, having, orderBy, tail }) =>
        [
          `${head}SELECT ${distinct}${items.join(", ")}`,
          ...(from === null ? [] : [`FROM ${from}`]),
          ...(where === null ? [] : [`WHERE ${where}`]),
          ...(groupBy === null ? [] : [`GROUP BY ${groupBy}`]),
          ...(having === null ? [] : [`HAVING ${having}`]),
          ...(orderBy === null ? [] : [`ORDER BY ${orderBy}`]),
        ].join(" ") + tail,
    ),
}));

/** A query whose expressions have the types that are due; the seed tells it apart. */
function typedQuery(seed: number): string {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return new TypedQueryWriter(random).query(3);
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
/** The words that replace a word of a query. */
const words = fc.constantFrom(...NAMES, ...FUNCTIONS, "1", "'a'", "NULL", "DISTINCT", "*", "ALL", "DATE", "a2", "a3.x");

describe("any query that parses", () => {
  it("is resolved if its expressions have valid types", () => {
    const refused = new Map<string, string>();
    const count = sampleSize(15, 5_000);
    for (let seed = 0; seed < count; seed++) {
      const text = typedQuery(seed * 7_919);
      if (resolveAny(text) !== "resolved") refused.set(text, errorsOf(text)[0] ?? "");
    }
    expect(refused).toEqual(new Map());
  });

  it("is resolved or rejected cleanly after one word is replaced", () => {
    const seen = new Map<string, number>();
    const mutated = fc.tuple(seeds, fc.nat(), words).map(([seed, place, word]) => {
      const parts = typedQuery(seed).split(/\b(?=\w)|\b(?=\W)/);
      const places = parts.flatMap((part, index) => (/^\w/.test(part) ? [index] : []));
      parts[places[place % places.length] ?? 0] = word;
      return parts.join("");
    });
    fc.assert(
      fc.property(mutated, (text) => {
        const outcome = resolveAny(text);
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      }),
      { numRuns: sampleSize(15, 5_000), seed: 21 },
    );
    expect(seen.get("resolved")).toBeGreaterThan(0);
    expect(seen.get("refused")).toBeGreaterThan(0);
  });

  it("is resolved or rejected cleanly, whatever it consists of", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(query, (text) => {
        seen.add(resolveAny(text));
      }),
      { numRuns: sampleSize(80, 5_000), seed: 8 },
    );
    expect([...seen].sort()).toEqual(expect.arrayContaining(["refused", "resolved"]));
  });

  it("gives an expression the same type in a sub-query as in the outer query", () => {
    fc.assert(
      fc.property(expression, (text) => {
        const wrapped = [
          `SELECT ${text} AS x FROM people AS p`,
          `SELECT x FROM (SELECT ${text} AS x FROM people AS p)`,
        ];
        expect(new Set(wrapped.map(resolveAny)).size).toBe(1);
      }),
      { numRuns: sampleSize(8, 2_000), seed: 11 },
    );
  });

  it("resolves to the same tree every time", () => {
    fc.assert(
      fc.property(fc.oneof(query, seeds.map(typedQuery)), (text) => {
        let parsed: Query;
        try {
          parsed = parseQuery(text);
        } catch {
          return;
        }
        const run = (): string => {
          try {
            return dumpQuery(resolveQuery(parsed, text, { tables: TABLES, inferParameters: true }));
          } catch (error) {
            return error instanceof GoogleSqlError ? JSON.stringify(error.diagnostics) : "broken";
          }
        };
        expect(run()).toBe(run());
      }),
      { numRuns: sampleSize(4, 1_000), seed: 13 },
    );
  });
});

describe("large queries", () => {
  const list = (count: number, item: (i: number) => string, separator = ", "): string =>
    Array.from({ length: count }, (_, i) => item(i)).join(separator);

  it.each([
    ["conditions", `SELECT 1 FROM people WHERE ${list(5_000, (i) => `id = ${i}`, " AND ")}`],
    ["values of IN", `SELECT id IN (${list(10_000, String)}) FROM people`],
    ["columns of the same name", `SELECT ${list(10_000, () => "id")} FROM people`],
    ["aggregates", `SELECT ${list(9_000, (i) => `SUM(id + ${i})`)} FROM people`],
    [
      "grouping keys",
      `SELECT ${list(3_000, (i) => `id + ${i}`)} FROM people GROUP BY ${list(3_000, (i) => String(i + 1))}`,
    ],
    ["sort keys", `SELECT id FROM people ORDER BY ${list(10_000, (i) => `id + ${i}`)}`],
    ["branches of CASE", `SELECT CASE ${list(20_000, (i) => `WHEN id = ${i} THEN 'a${i}'`, " ")} END FROM people`],
    ["inputs of UNION ALL", list(10_000, (i) => `SELECT ${i}`, " UNION ALL ")],
    ["common table expressions", `WITH ${list(2_000, (i) => `t${i} AS (SELECT 1 AS x)`)} SELECT x FROM t7`],
    [
      "common table expressions that others read",
      `WITH ${list(9_000, (i) => `t${i} AS (SELECT ${i} AS x)`)} ${list(9_000, (i) => `SELECT x FROM t${i}`, " UNION ALL ")}`,
    ],
    [
      "recursive common table expressions",
      `WITH RECURSIVE ${list(9_000, (i) => `t${i} AS (SELECT x FROM t${i + 1})`)}, t9000 AS (SELECT 1 AS x) SELECT 1 AS x`,
    ],
    [
      "columns of UNPIVOT",
      `SELECT * FROM (SELECT ${list(9_000, (i) => `${i} AS c${i}`)}) UNPIVOT (v FOR c IN (${list(9_000, (i) => `c${i}`)}))`,
    ],
    [
      "window functions of QUALIFY",
      `SELECT id FROM people QUALIFY ${list(4_900, (i) => `SUM(id) OVER (ORDER BY id + ${i}) > 0`, " AND ")}`,
    ],
    ["unknown names", `SELECT ${list(9_000, (i) => `nope${i}`)} FROM people`],
  ])("of thousands of %s are resolved, or rejected with at most 50 problems", (_, text) => {
    const parsed = parseQuery(text);
    try {
      expect(resolveQuery(parsed, text, { tables: TABLES }).columns.length).toBeGreaterThan(0);
    } catch (error) {
      if (!(error instanceof GoogleSqlError)) throw error;
      expect(error.diagnostics.length).toBeLessThanOrEqual(50);
    }
  });

  it("nested beyond the limit are rejected without overflowing the stack", () => {
    const start: Select = { kind: "Select", isDistinct: false, items: [], windows: [], span: { start: 0, end: 1 } };
    let deep: Expression = { kind: "IntLiteral", text: "1", span: { start: 0, end: 1 } };
    for (let i = 0; i < 50_000; i++)
      deep = { kind: "UnaryOperation", operator: "~", operand: deep, span: { start: 0, end: 1 } };
    const item = { kind: "SelectExpression", expression: deep, span: { start: 0, end: 1 } } as const;
    const parsed: Query = { kind: "Query", body: { ...start, items: [item] }, pipes: [], span: { start: 0, end: 1 } };
    expect(() => resolveQuery(parsed, "x", { tables: TABLES })).toThrow("nested more than 1000 levels deep");
  });

  it("of thousands of pipe operators are rejected", () => {
    expect(errorsOf(`FROM people ${"|> WHERE id > 1 ".repeat(3_000)}`)).toEqual([
      'too_complex at "id > 1": The query is nested more than 1000 levels deep',
    ]);
  });
});
