/** Helpers for tests of printed statements. */
import { expect } from "vitest";
import { compileText } from "./compile-text.ts";

/** The statement of a query. */
export function print(text: string): string {
  const { sql } = compileText(text);
  expect(sql).not.toMatch(/\bundefined\b|\[object/);
  return sql;
}

/** How often the part is in it. */
export const countOf = (sql: string, part: string) => sql.split(part).length - 1;
/** How many SELECTs the query becomes. */
export const selectsOf = (text: string) => countOf(print(text), "SELECT ");
/** Returns the text inside of the outermost sub-select. */
export const insideOf = (text: string) => print(text).split("FROM (SELECT").slice(1).join("FROM (SELECT");
/** Which of the queries are printed with the part. */
export const having = (part: string, queries: readonly string[]) =>
  queries.filter((query) => print(query).includes(part));
/** A query that is asked for each event, which is `a`. */
export const forEach = (query: string) => `SELECT (${query}) FROM edge_logs AS a`;
