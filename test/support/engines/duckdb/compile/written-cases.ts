/** Queries with the rows or the words of the error that a database in memory answers them with. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEdgeDatabase, type TestDatabase } from "./compile-text.ts";

interface WrittenCase {
  readonly query: string;
  readonly rows?: readonly unknown[];
  /** The whole message, which a caller reads. */
  readonly error?: string;
}

function failureOf(error: unknown): string {
  return error instanceof Error ? error.message.replace("Invalid Input Error: ", "") : String(error);
}

type Cases = readonly WrittenCase[];

/** An answer with its rows in an order of their own where the query's text ends without one. */
function inOrder({ query, rows, error }: WrittenCase): Pick<WrittenCase, "rows" | "error"> {
  if (error !== undefined || rows === undefined) return { error: error ?? "no answer" };
  const isOrdered = /\bORDER BY[^()]*$/i.test(query);
  return { rows: isOrdered ? rows : rows.map((row) => JSON.stringify(row)).sort() };
}

/**
 * A test for each case of a JSON file, or for the chosen ones, over the edge source's events or other tables. Rows are
 * compared exactly, and in order where the query has one.
 */
export function testWrittenCases(
  name: string,
  file: URL,
  choose: (all: Cases) => Cases = (all) => all,
  open: () => Promise<TestDatabase> = openEdgeDatabase,
): void {
  const all = JSON.parse(readFileSync(file, "utf8")) as Cases;
  const cases = choose(all.filter(({ rows, error }) => rows !== undefined || error !== undefined));

  describe(name, () => {
    let tables: TestDatabase;
    beforeAll(async () => {
      tables = await open();
    });
    afterAll(() => tables.database.close());

    it.each(cases.map((item) => [item.query, item] as const))("%s", async (query, expected) => {
      const answer = await (async () => tables.rows(query))().then(
        (rows) => ({ query, rows }),
        (reason: unknown) => ({ query, error: failureOf(reason) }),
      );
      expect(inOrder(answer)).toEqual(inOrder(expected));
    });
  });
}
