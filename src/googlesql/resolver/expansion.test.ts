import { describe, expect, it } from "vitest";
import { TABLES } from "../../../test/support/googlesql/resolver/resolved.ts";
import { type Diagnostic, GoogleSqlError } from "../diagnostic.ts";
import { MAX_EXPANDED_COLUMNS, MAX_EXPANSIONS } from "../limits.ts";
import { parseQuery } from "../parse.ts";
import type { TableCatalog, TableDefinition } from "../relation.ts";
import { STRING } from "../types.ts";
import { resolveQuery } from "./resolve.ts";

/** The first problem of a query; undefined where there is none. */
function problemOf(query: string, tables: TableCatalog = TABLES): Diagnostic | undefined {
  try {
    resolveQuery(parseQuery(query), query, { tables, inferParameters: true });
    return undefined;
  } catch (error) {
    if (error instanceof GoogleSqlError) return error.diagnostics[0];
    throw error;
  }
}

/** A chain of tables, each made of the one before, and a query over the last. */
const chain = (first: string, next: (before: string) => string, last: (name: string) => string) => (count: number) => {
  const tables = Array.from({ length: count }, (_, index) => `a${index + 1} AS (${next(`a${index}`)})`);
  return `WITH ${[`a0 AS (${first})`, ...tables].join(", ")} ${last(`a${count}`)}`;
};
const nested = (first: string, next: (before: string) => string) => (count: number) => {
  let query = first;
  for (let index = 0; index < count; index++) query = next(query);
  return query;
};
const one = (name: string) => `SELECT 1 AS y FROM ${name}`;
const value = "SELECT id AS x FROM people";

/** Queries whose tables, or types, have twice as many columns, or fields, with each step. */
const doubling: Readonly<Record<string, (count: number) => string>> = {
  stars: chain("SELECT * FROM people", (name) => `SELECT *, * FROM ${name}`, one),
  "stars of an alias": chain("SELECT * FROM people", (name) => `SELECT p.*, p.* FROM ${name} AS p`, one),
  "stars of a join": chain("SELECT * FROM people", (name) => `SELECT * FROM ${name} AS x, ${name} AS y`, one),
  "stars of nested queries": nested("SELECT * FROM people", (query) => `SELECT *, * FROM (${query})`),
  "stars of pipes": (count) => `FROM people ${"|> SELECT *, * ".repeat(count)}`,
  "joins of pipes": chain("SELECT * FROM people", (name) => `FROM ${name} AS x |> CROSS JOIN ${name} AS y`, one),
  structs: chain(value, (name) => `SELECT STRUCT(x AS p, x AS q) AS x FROM ${name}`, one),
  "structs that are answered": chain(
    value,
    (name) => `SELECT (x, x) AS x FROM ${name}`,
    (name) => `FROM ${name}`,
  ),
  "structs of nested queries": nested(value, (query) => `SELECT (x, x) AS x FROM (${query})`),
  "structs of pipes": (count) => `FROM people |> SELECT id AS x ${"|> SET x = (x, x) ".repeat(count)}`,
  "structs of a row": chain(value, (name) => `SELECT t AS p, t AS q FROM ${name} AS t`, one),
  "structs of a whole SELECT": chain(value, (name) => `SELECT AS STRUCT t AS p, t AS q FROM ${name} AS t`, one),
  "structs in arrays": chain("SELECT [id] AS x FROM people", (name) => `SELECT [(x, x)] AS x FROM ${name}`, one),
  "structs in array sub-queries": chain(
    "SELECT [id] AS x FROM people",
    (name) => `SELECT ARRAY(SELECT AS STRUCT e AS p, e AS q FROM UNNEST(x) AS e) AS x FROM ${name}`,
    one,
  ),
  "aggregated structs": chain(value, (name) => `SELECT ARRAY_AGG((x, x)) AS x FROM ${name}`, one),
  "structs of WITH expressions": (count) => {
    const names = Array.from({ length: count }, (_, index) => `x${index + 1} AS (x${index}, x${index})`);
    return `SELECT WITH(x0 AS id, ${names.join(", ")}, 1) AS y FROM people`;
  },
};

describe("what doubles with each step", () => {
  it.each(Object.entries(doubling))("is refused where it becomes too much: %s", (_, query) => {
    expect(problemOf(query(3))).toBeUndefined();
    for (const count of [20, 40, 45]) expect(problemOf(query(count))).toMatchObject({ code: "too_complex" });
  });

  it("leaves alone what has few stars, however many fields events bring, and many stars of few columns", () => {
    const wide = (count: number): TableDefinition => ({
      name: "wide",
      isLenient: true,
      columns: Array.from({ length: count }, (_, index) => ({ name: `c${index}`, type: STRING })),
    });
    const problem = (query: string, columnCount: number) => {
      const table = wide(columnCount);
      return problemOf(query, { findTable: (name) => (name === "wide" ? table : undefined), tableNames: () => [] });
    };
    const few = chain(
      "SELECT * FROM wide",
      (name) => `SELECT * FROM ${name}`,
      (name) => `SELECT * FROM ${name}`,
    );
    // Each step reads its columns, and shows them.
    const steps = MAX_EXPANSIONS / 2 - 2;
    for (const columnCount of [10, (2 * MAX_EXPANDED_COLUMNS) / steps]) {
      expect(problem(few(steps), columnCount)).toBeUndefined();
    }
    expect(problem(few(1), MAX_EXPANDED_COLUMNS)).toBeUndefined();
    expect(problem(few(300), 20)).toBeUndefined();
    expect(problem(few(300), 1_000)).toMatchObject({ code: "too_complex" });
  });
});
