import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventValue } from "../contract/query-engine.ts";
import { type Connection, type Database, openDatabase } from "../duckdb/driver/connection.ts";
import { recordJson } from "./json-text.ts";

const scalar = fc.oneof(
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.constantFrom<EventValue>(1e21, -1.5e300, 1e-7, 0.000001, 5e-324, -0, 1e20, 123456789012345680000),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("\u0000\u001f\u007f", "\\u001f", "\\\\u001f\u001f", "\u2028/</script>", '"\\"', "\b\f\n\r\t\v"),
  fc.boolean(),
);
const value = fc.letrec<{ value: EventValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "B", "_c_1"), tie("value"), { minKeys: 1 }),
  ),
})).value;

describe("the JSON text of a value", () => {
  let database: Database;
  let connection: Connection;
  beforeAll(async () => {
    database = await openDatabase({ path: ":memory:", threads: 1, memoryLimitBytes: 256 * 1024 ** 2 });
    connection = await database.connect();
  });
  afterAll(() => {
    connection.close();
    database.close();
  });

  it("equals what DuckDB extracts from a text that contains it", async () => {
    const values = fc.sample(fc.record({ value }), { numRuns: 500, seed: 20260820 });
    const texts = values.map((one) => recordJson(one));
    const rows = await connection.all(
      "SELECT CAST(json_extract(t, '/0/value') AS VARCHAR) FROM (SELECT unnest(CAST(CAST($1 AS JSON) AS " +
        "VARCHAR[])) AS t)",
      [{ value: JSON.stringify(texts) }],
    );
    expect(rows.map(([text]) => `[{"value":${String(text)}}]`)).toEqual(texts);
  });
});
