/** Queries with the rows or the words of the error that a database in memory answers them with. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EdgeDatabase, openEdgeDatabase } from "./compile-text.ts";

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

/** A test for each case of a JSON file, or for the chosen ones. Rows are compared exactly and in order. */
export function testWrittenCases(name: string, file: URL, choose: (all: Cases) => Cases = (all) => all): void {
  const cases = choose(JSON.parse(readFileSync(file, "utf8")) as Cases);

  describe(name, () => {
    let edge: EdgeDatabase;
    beforeAll(async () => {
      edge = await openEdgeDatabase();
    });
    afterAll(() => edge.database.close());

    it.each(cases.map((item) => [item.query, item] as const))("%s", async (query, { rows, error }) => {
      const answer = await (async () => edge.rows(query))().then(
        (found) => ({ rows: found }),
        (reason: unknown) => ({ error: failureOf(reason) }),
      );
      expect(answer).toEqual(error === undefined ? { rows } : { error });
    });
  });
}
