/** Queries with the rows that they answer, as the answer writes them, or with the reason why they fail. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ParameterValue } from "../../../../../src/engines/contract/query-engine.ts";
import { openEdgeDatabase, type TestDatabase } from "./compile-text.ts";

type Values = Readonly<Record<string, ParameterValue>>;

/** A query with its rows, and with the values of its parameters. */
export type Case = readonly [text: string, rows: string, values?: Values];

/** A query with a part of its message. */
export type Failure = readonly [text: string, message: string, values?: Values];

/** A test for each group of queries, and one for those that fail. */
export function testRows(
  name: string,
  cases: Readonly<Record<string, readonly Case[]>>,
  failures: readonly Failure[],
): void {
  describe(name, () => {
    let edge: TestDatabase;
    beforeAll(async () => {
      edge = await openEdgeDatabase();
    });
    afterAll(() => edge.database.close());

    it.each(Object.entries(cases))("%s", async (_, group) => {
      for (const [text, rows, values] of group)
        expect([text, JSON.stringify(await edge.rows(text, values))]).toEqual([text, rows]);
    });

    it("a failure with its reason", async () => {
      for (const [text, message, values] of failures) {
        await expect((async () => edge.rows(text, values))()).rejects.toThrow(message);
      }
    });
  });
}
