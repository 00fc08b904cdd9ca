import { beforeAll, describe, expect, it } from "vitest";
import { useDatabase } from "../../../../../test/support/engines/duckdb/driver/test-database.ts";
import { STRING } from "../../../../googlesql/types.ts";
import type { TimeRange } from "../ids/id-filter.ts";
import { boundIds } from "./id-bounds.ts";

const limits = { timeoutMs: 1000, maxRows: 10, maxResultBytes: 1000 };

describe("the time bounds of conditions on ids", () => {
  const duckdb = useDatabase();
  const hourUs = 3_600_000_000n;
  beforeAll(async () => {
    await duckdb.connection.all("CREATE TABLE events_1 (id VARCHAR, timestamp TIMESTAMP)");
    await duckdb.connection.all(
      "INSERT INTO events_1 SELECT 'e' || i, make_timestamp(i * 3600000000) FROM range(-2, 5) t(i)",
    );
  });

  const ranges: Readonly<Record<string, TimeRange | null>> = {
    e3: { fromUs: 3n * hourUs, toUs: 4n * hourUs },
    "e-2": undefined,
    other: null,
  };

  /** The ids for which a condition holds, with the id as a parameter or as a literal. */
  async function find(condition: string, id: string | null, isParameter: boolean): Promise<unknown[]> {
    const parameters = isParameter ? [{ type: STRING, value: id }] : [];
    const [from, to] = [parameters.length + 1, parameters.length + 2];
    const times = `t1."timestamp" >= CAST($${from} AS TIMESTAMP) AND t1."timestamp" < CAST($${to} AS TIMESTAMP)`;
    const sql = `SELECT t1.id FROM "events_1" AS t1 WHERE ${condition.replace("{times}", times)} ORDER BY 1`;
    const plan = { idConditions: [{ table: "events_1", id: isParameter ? 0 : (id ?? "") }] };
    const query = { sql, parameters, plan, columns: [], encoding: "cells", limits } as const;
    const values = [
      ...parameters.map(({ value }) => ({ value })),
      ...boundIds(query, (table, wanted) => (table === "events_1" ? ranges[wanted] : null)),
    ];
    expect(values).toHaveLength(to);
    return (await duckdb.connection.all(sql, values)).map(([found]) => found);
  }

  it("are empty for a query without such conditions", () => {
    const query = { sql: "", parameters: [], columns: [], encoding: "cells", limits } as const;
    expect(boundIds(query, () => null)).toEqual([]);
  });

  it.each([
    [`(t1."id" = 'e3' AND {times})`, "e3", false, ["e3"]],
    [`(t1."id" = CAST($1 AS VARCHAR) AND {times})`, "e3", true, ["e3"]],
    [`(t1."id" = CAST($1 AS VARCHAR) AND {times})`, "e-2", true, ["e-2"]],
    [`(t1."id" = CAST($1 AS VARCHAR) AND {times})`, "other", true, []],
    [`(t1."id" = CAST($1 AS VARCHAR) AND {times})`, null, true, []],
    [`NOT (t1."id" = CAST($1 AS VARCHAR) AND {times})`, "e3", true, ["e-1", "e-2", "e0", "e1", "e2", "e4"]],
    [`((t1."id" = CAST($1 AS VARCHAR) AND {times}) IS NULL)`, null, true, ["e-1", "e-2", "e0", "e1", "e2", "e3", "e4"]],
  ] as const)("do not change the rows of %s for %j", async (condition, id, isParameter, expected) => {
    expect(await find(condition, id, isParameter)).toEqual(expected);
  });
});
