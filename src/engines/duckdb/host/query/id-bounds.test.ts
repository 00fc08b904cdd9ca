import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Connection, type Database, openDatabase } from "../../driver/connection.ts";
import type { HostQuery } from "../protocol.ts";
import type { TimeRange } from "../store/id-filter.ts";
import { boundIds, createIdBounds } from "./id-bounds.ts";

function bounded(sql: string, parameterCount = 0): string {
  return boundIds(sql, parameterCount).sql;
}

describe("bounds of conditions on ids", () => {
  it("stand beside an id that is a literal or a parameter, behind the statement's own parameters", () => {
    const sql =
      `SELECT 1 FROM "events_3" AS t1, "events_4" AS t2 WHERE (t1."id" = 'it''s') ` +
      `OR (t2."id" = CAST($2 AS VARCHAR))`;
    expect(boundIds(sql, 2)).toEqual({
      sql:
        `SELECT 1 FROM "events_3" AS t1, "events_4" AS t2 WHERE ((t1."id" = 'it''s') AND t1."timestamp" >= ` +
        `CAST($3 AS TIMESTAMP) AND t1."timestamp" < CAST($4 AS TIMESTAMP)) OR ((t2."id" = CAST($2 AS VARCHAR)) AND ` +
        `t2."timestamp" >= CAST($5 AS TIMESTAMP) AND t2."timestamp" < CAST($6 AS TIMESTAMP))`,
      conditions: [
        { table: "events_3", id: "it's" },
        { table: "events_4", id: 1 },
      ],
    });
  });

  it.each([
    `SELECT '(t1."id" = ''x'')' FROM "events_3" AS t1`,
    `SELECT 1 AS "(t1.""id"" = 'x')" FROM "events_3" AS t1 WHERE t1."c1" = '"id" = '`,
    `SELECT 1 FROM (SELECT 2 AS "id") AS t1 WHERE (t1."id" = 'x')`,
    `SELECT 1 FROM "events_3" AS t1 WHERE (t1."id" = upper('x'))`,
    `SELECT ' "events_3" AS t1' FROM w AS t1 WHERE (t1."id" = 'x')`,
  ])("leave %j as it is", (sql) => {
    expect(bounded(sql)).toBe(sql);
  });

  it("are few", () => {
    const conditions = Array.from({ length: 9 }, (_, i) => `(t1."id" = '${i}')`).join(" OR ");
    expect(boundIds(`SELECT 1 FROM "t" AS t1 WHERE ${conditions}`, 0).conditions).toHaveLength(4);
  });
});

describe("a statement with bounds", () => {
  let database: Database;
  let connection: Connection;
  const hourUs = 3_600_000_000n;
  beforeAll(async () => {
    database = await openDatabase({ threads: 1, memoryLimitBytes: 512 * 1024 ** 2 });
    connection = await database.connect();
    await connection.all("CREATE TABLE events_1 (id VARCHAR, timestamp TIMESTAMP)");
    await connection.all("INSERT INTO events_1 SELECT 'e' || i, make_timestamp(i * 3600000000) FROM range(-2, 5) t(i)");
  });
  afterAll(() => {
    connection.close();
    database.close();
  });

  const ranges: Readonly<Record<string, TimeRange | null>> = {
    e3: { fromUs: 3n * hourUs, toUs: 4n * hourUs },
    "e-2": undefined,
    other: null,
  };

  async function find(condition: string, id: string | null): Promise<unknown[]> {
    const { statement, values } = createIdBounds((_, wanted) => ranges[wanted]);
    const query = {
      sql: `SELECT t1.id FROM "events_1" AS t1 WHERE ${condition} ORDER BY 1`,
      parameters: id === null && !condition.includes("$1") ? [] : [{ type: { kind: "STRING" }, value: id }],
    } as unknown as HostQuery;
    const one = statement(query);
    expect(one.conditions).toHaveLength(1);
    const own = query.parameters.map(({ value }) => ({ value: value as string | null }));
    return (await connection.all(one.sql, [...own, ...values(one, query)])).map(([found]) => found);
  }

  it.each([
    [`(t1."id" = 'e3')`, null, ["e3"]],
    [`(t1."id" = CAST($1 AS VARCHAR))`, "e3", ["e3"]],
    [`(t1."id" = CAST($1 AS VARCHAR))`, "e-2", ["e-2"]],
    [`(t1."id" = CAST($1 AS VARCHAR))`, "other", []],
    [`(t1."id" = CAST($1 AS VARCHAR))`, null, []],
    [`NOT (t1."id" = CAST($1 AS VARCHAR))`, "e3", ["e-1", "e-2", "e0", "e1", "e2", "e4"]],
    [`((t1."id" = CAST($1 AS VARCHAR)) IS NULL)`, null, ["e-1", "e-2", "e0", "e1", "e2", "e3", "e4"]],
  ])("answers %s of %j as without", async (condition, id, expected) => {
    expect(await find(condition, id)).toEqual(expected);
  });
});
