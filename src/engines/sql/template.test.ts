import { expect, it } from "vitest";
import { createStatements } from "./emit.ts";
import { column, Fact, joinSql, literal, name, type Sql } from "./node.ts";
import { createTemplates } from "./template.ts";

const spelling = {
  text: (value: string) => `'${value.replaceAll("'", "''")}'`,
  name: (value: string) => `"${value}"`,
  literal: (value: unknown, type: string) => `${value}${type}`,
  placeholder: (number: number) => `$${number}`,
  lambda: ["lambda ", ": "],
} as const;
const dialect = { callFacts: () => 0, nameQuote: '"', hasBackslashes: false, lambda: "word" } as const;
const { sql, callSql } = createTemplates(dialect);
const statements = createStatements(spelling, (root) => root);
const print = (root: Sql) => statements.emit(statements.guarded(root), (number) => number);
const x = column("x");

it("a template prints what stands in it, with one space where its text has several", () => {
  for (const [node, text] of [
    [sql`CASE WHEN ${x} THEN 'it''s' ELSE f(${x}, 1.5)[1:2] END`, "CASE WHEN x THEN 'it''s' ELSE f(x, 1.5)[1:2] END"],
    [sql` ORDER BY ${x}, `, " ORDER BY x, "],
    [
      sql`CASE
      WHEN ${x}
      THEN 1 END`,
      "CASE WHEN x THEN 1 END",
    ],
    [sql`list_transform(${x}, lambda a, b: a + b)[1]`, "list_transform(x, lambda a, b: a + b)[1]"],
    [sql`(SELECT a, b FROM t UNION SELECT "it", $3)`, '(SELECT a, b FROM t UNION SELECT "it", $3)'],
    [sql`{'a0': ${x}, 'b c': [1, 2]}`, "{'a0': x, 'b c': [1, 2]}"],
    [sql`CAST(${x} || CAST(1 AS TEXT) AS DECIMAL(38, 9)[])`, "CAST(x || CAST(1 AS TEXT) AS DECIMAL(38, 9)[])"],
    [sql`${name("f")}(${joinSql([x, literal(null)], ", ")})`, "f(x, null)"],
    [callSql("f", [literal("'"), literal(-5n, "::T")]), "f('''', -5::T)"],
    [column("t", "any"), 't."any"'],
  ] as const)
    expect(print(node)).toBe(text);
});

it("a call has its arguments as children, also those of a list in a hole", () => {
  expect(sql`f(${joinSql([x, x], ", ")}, 'a', (1, 2))`.children.map(({ kind }) => kind)).toEqual([
    ...["column", "column", "literal", "group"],
  ]);
});

it("facts come from what the text says, and from what stands in the holes", () => {
  const factsOf = ({ facts }: Sql) => Object.entries(Fact).flatMap(([key, bit]) => ((facts & bit) === 0 ? [] : [key]));
  expect(factsOf(sql`(SELECT 1)`)).toEqual(["QUERY"]);
  expect(factsOf(sql`f(lambda a: ${x} * 2)`)).toEqual(["LAMBDA", "UNPROVEN", "READS"]);
  expect(factsOf(sql`TRY(CAST(${x} AS INT))`)).toEqual(["TRY", "READS"]);
  expect(factsOf(sql`'SELECT TRY(1 + a)' IS $1`)).toEqual(["PLACEHOLDER"]);
  expect(factsOf(sql`${x}`)).toEqual(["READS"]);
  expect(factsOf(x)).toEqual(["READS", "COLUMN", "REPEATABLE"]);
});

it("a template whose brackets or quotes do not close throws where it is used first", () => {
  expect(() => sql`f(${x}`).toThrow("do not close");
  expect(() => sql`${x})`).toThrow("do not open");
  expect(() => sql`'${x}`).toThrow("No SQL: '");
  expect(() => sql`${sql`a b`}(1)`).toThrow("A sequence is called");
});
