import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileText } from "../../../../test/support/engines/duckdb/compile/compile-text.ts";
import { QueryWriter } from "../../../../test/support/engines/duckdb/compile/random-query.ts";
import {
  type MemoryDatabase,
  openMemoryDatabase,
} from "../../../../test/support/engines/duckdb/driver/memory-database.ts";
import { sampleSize } from "../../../../test/support/sample-size.ts";
import { arrayOf, INT64, type SqlType } from "../../../googlesql/types.ts";
import type { TableLayout } from "../../schema/layout.ts";

const columns: readonly (readonly [string, SqlType])[] = [
  ["id", INT64],
  ["v", INT64],
  ["arr", arrayOf(INT64)],
];

const layout: TableLayout = {
  definition: { name: "tab", columns: columns.map(([name, type]) => ({ name, type })) },
  table: "tab",
  recordColumns: new Map(),
  leaves: new Map(columns.map(([name, type]) => [name, { type, variants: [{ column: name, type }] }])),
  presence: new Map(),
};

/** The same rows in other forms, which DuckDB merges into the outer query differently. */
const forms: readonly string[] = [
  "(SELECT * FROM tab)",
  "(SELECT * FROM tab LIMIT 100)",
  "(SELECT id + 0 AS id, IF(TRUE, v, 0) AS v, arr || [] AS arr FROM tab)",
  "(WITH q AS (SELECT * FROM tab) SELECT a.* FROM q AS a, (SELECT COUNT(*) FROM q))",
  "(SELECT t.* FROM tab AS t, UNNEST([1]) AS one)",
];

describe("random queries", () => {
  let database: MemoryDatabase;
  beforeAll(async () => {
    database = await openMemoryDatabase();
    await database.query("CREATE TABLE tab (id BIGINT, v BIGINT, arr BIGINT[])");
    await database.query("INSERT INTO tab VALUES (1, 10, [1, 2, 3]), (2, 20, [2]), (3, NULL, []), (2, 5, [5, 1])");
  });
  afterAll(() => database.close());

  async function rows(text: string): Promise<readonly string[]> {
    const compiled = compileText(text, [layout]);
    const found = await database.encode(compiled.sql, compiled.columns, "cells");
    return found.map((row) => JSON.stringify(row)).sort();
  }

  it("return the same rows over every form of their table", async () => {
    const property = fc.asyncProperty(
      fc.infiniteStream(fc.nat()),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(...forms),
      async (numbers, depth, form) => {
        const writer = new QueryWriter((below) => Number(numbers.next().value) % below);
        const query = writer.query(depth);
        const expected = await rows(query);
        expect(
          await rows(query.replaceAll(/FROM tab\b(?! AS)/g, "FROM tab AS plain").replaceAll(/\btab AS/g, `${form} AS`)),
        ).toEqual(expected);
      },
    );
    await fc.assert(property, { numRuns: sampleSize(8, 400), seed: 20260101 });
  }, 60_000);
});
