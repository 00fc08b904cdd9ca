import { expect, it } from "vitest";
import { openMemoryDatabase } from "../../../../test/support/engines/duckdb/driver/memory-database.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import { resolveQuery } from "../../../googlesql/resolver/resolve.ts";
import { compileQuery } from "./compile.ts";

const nowUs = BigInt(Date.parse("2026-08-20T09:00:00Z")) * 1000n + 7n;

it("a query compiled for an instant uses it wherever it reads the clock, and nowhere else", async () => {
  const text = `SELECT CURRENT_TIMESTAMP() AS a, CURRENT_DATE('Asia/Tokyo') AS b, CURRENT_DATETIME() AS c, CURRENT_TIME() AS d,
    TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 60 MINUTE) AS e, PARSE_TIMESTAMP('%H', '08') AS f,
    "timezone('UTC', get_current_timestamp())" AS g`;
  const tables = { findTable: () => undefined, tableNames: () => [] };
  const query = resolveQuery(parseQuery(text), text, { tables, parameters: new Map() });
  const compiled = compileQuery(query, () => undefined, { text, nowUs });
  const database = await openMemoryDatabase();
  try {
    expect(await database.encode(compiled.sql, compiled.columns, "objects")).toEqual([
      {
        a: Number(nowUs),
        b: "2026-08-20",
        c: "2026-08-20T09:00:00.000007",
        d: expect.stringMatching(/^09:00:00\.000007$/),
        e: Number(nowUs) - 3_600_000_000,
        f: Date.parse("1970-01-01T08:00:00Z") * 1000,
        g: "timezone('UTC', get_current_timestamp())",
      },
    ]);
  } finally {
    database.close();
  }
});
