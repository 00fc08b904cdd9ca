import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileQuery } from "../../src/engines/duckdb/compile/compile.ts";
import type { TableLayout } from "../../src/engines/schema/layout.ts";
import { parseQuery } from "../../src/googlesql/parse.ts";
import { resolveQuery } from "../../src/googlesql/resolver/resolve.ts";
import { BOOL, FLOAT64, INT64, type SqlType, STRING } from "../../src/googlesql/types.ts";
import { type MemoryDatabase, openMemoryDatabase } from "../support/engines/duckdb/driver/memory-database.ts";
import { compileForSqlite } from "./sqlite-dialect.ts";

function layout(name: string, columns: Readonly<Record<string, SqlType>>): TableLayout {
  const entries = Object.entries(columns);
  return {
    definition: { name, columns: entries.map(([column, type]) => ({ name: column, type })) },
    table: name,
    recordColumns: new Map(),
    leaves: new Map(entries.map(([column, type]) => [column, { type, variants: [{ column, type }] }])),
    presence: new Map(),
  };
}

const layouts = [
  layout("hits", { id: INT64, path: STRING, ms: FLOAT64, cached: BOOL }),
  layout("owners", { path: STRING, team: STRING }),
];

const setup = [
  "CREATE TABLE hits (id BIGINT, path VARCHAR, ms DOUBLE, cached BOOLEAN)",
  `INSERT INTO hits VALUES (1, '/a', 1.5, true), (2, '/b', NULL, false), (3, '/a', 20.0, NULL), (4, NULL, 3.25, true),
    (5, '/c''s', 1.5, false), (6, '/b', 7.0, true)`,
  "CREATE TABLE owners (path VARCHAR, team VARCHAR)",
  "INSERT INTO owners VALUES ('/a', 'web'), ('/b', 'api'), ('/d', NULL)",
];

const tables = {
  findTable: (name: string) => layouts.find(({ definition }) => definition.name === name)?.definition,
  tableNames: () => layouts.map(({ definition }) => definition.name),
};

const queries = [
  'SELECT 1, "it\'s", TRUE, NULL, 2.5',
  "SELECT id, path FROM hits ORDER BY id",
  "SELECT id FROM hits WHERE path = '/a' OR cached ORDER BY id DESC",
  "SELECT id FROM hits WHERE ms BETWEEN 1.5 AND 7 AND path IS NOT NULL ORDER BY id LIMIT 2",
  "SELECT id FROM hits WHERE path IN ('/b', \"/c's\") ORDER BY id LIMIT 2 OFFSET 1",
  "SELECT path, ms FROM hits ORDER BY path NULLS LAST, ms DESC, id",
  "SELECT id, ms FROM hits ORDER BY ms NULLS FIRST, id LIMIT 3",
  "SELECT UPPER(path), LENGTH(path), COALESCE(path, 'none') FROM hits ORDER BY id",
  "SELECT CONCAT(path, '!'), IF(ms > 2, 'slow', 'fast') FROM hits ORDER BY id",
  "SELECT CASE WHEN id < 3 THEN 'low' WHEN id < 5 THEN 'mid' END, id * 2 + 1, -id FROM hits ORDER BY id",
  "SELECT id / 2, MOD(id, 2), CAST(id AS STRING) FROM hits ORDER BY id",
  "SELECT COUNT(*), COUNT(ms), SUM(id), MIN(ms), MAX(path), AVG(ms) FROM hits",
  "SELECT path, COUNT(*) AS n, SUM(ms) FROM hits GROUP BY path ORDER BY n DESC, path",
  "SELECT path, COUNT(DISTINCT cached) FROM hits GROUP BY path HAVING COUNT(*) > 1 ORDER BY path",
  "SELECT COUNT(*) FROM (SELECT path FROM hits GROUP BY path)",
  "SELECT DISTINCT path FROM hits WHERE id > 1 ORDER BY path",
  "SELECT COUNT(*) FROM (SELECT DISTINCT path, cached FROM hits)",
  "SELECT h.id, o.team FROM hits AS h JOIN owners AS o ON h.path = o.path ORDER BY h.id",
  "SELECT h.id, o.team FROM hits AS h LEFT JOIN owners AS o ON h.path = o.path AND h.id > 1 ORDER BY h.id",
  "SELECT h.id, o.path FROM hits AS h RIGHT JOIN owners AS o USING (path) ORDER BY o.path, h.id",
  "SELECT h.id, o.team FROM hits AS h FULL JOIN owners AS o ON h.path = o.path ORDER BY h.id, o.team",
  "SELECT COUNT(*) FROM hits CROSS JOIN owners",
  "SELECT o.team, SUM(h.ms) AS total FROM hits h JOIN owners o ON h.path = o.path WHERE h.id > 1 GROUP BY 1 ORDER BY 1",
  "SELECT id, ROW_NUMBER() OVER (PARTITION BY path ORDER BY id DESC) FROM hits ORDER BY id",
  "SELECT id, RANK() OVER (ORDER BY ms), DENSE_RANK() OVER (ORDER BY ms) FROM hits ORDER BY id",
  "SELECT id, SUM(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM hits ORDER BY id",
  "SELECT id, COUNT(*) OVER (PARTITION BY cached), MAX(ms) OVER () FROM hits ORDER BY id",
  "SELECT id, LAG(path) OVER (ORDER BY id), LEAD(id, 2) OVER (ORDER BY id) FROM hits ORDER BY id",
  "SELECT id FROM hits QUALIFY ROW_NUMBER() OVER (PARTITION BY path ORDER BY id) = 1 ORDER BY id",
  "WITH slow AS (SELECT id, ms FROM hits WHERE ms > 2) SELECT a.id, b.ms FROM slow a JOIN slow b ON a.id = b.id ORDER BY 1",
  "SELECT path FROM hits WHERE path IS NOT NULL UNION ALL SELECT path FROM owners ORDER BY path",
  "SELECT path FROM hits INTERSECT DISTINCT SELECT path FROM owners ORDER BY path",
  "SELECT path FROM hits EXCEPT DISTINCT SELECT path FROM owners ORDER BY path",
  "SELECT n + 1 FROM (SELECT path, COUNT(*) AS n FROM hits GROUP BY path ORDER BY path LIMIT 2) ORDER BY 1",
] as const;

describe("a sketch of a third engine", () => {
  const sqlite = new Database(":memory:");
  let embedded: MemoryDatabase;
  beforeAll(async () => {
    embedded = await openMemoryDatabase();
    for (const statement of setup) {
      await embedded.query(statement);
      sqlite.exec(statement);
    }
  });
  afterAll(() => {
    embedded.close();
    sqlite.close();
  });

  it.each(queries)("answers as the embedded engine does: %s", async (text) => {
    const query = resolveQuery(parseQuery(text), text, { tables });
    const compiled = compileQuery(query, (table) => layouts.find(({ definition }) => definition === table));
    const isTruth = query.columns.map(({ column }) => column.type.kind === "BOOL");
    const rows = sqlite.prepare(compileForSqlite(query)).raw().all() as unknown[][];
    const cells = rows.map((row) =>
      row.map((cell, index) => (isTruth[index] === true && cell !== null ? cell === 1 : cell)),
    );
    expect(cells).toEqual(await embedded.encode(compiled.sql, compiled.columns, "cells"));
  });

  it("refuses what it has no row for", () => {
    const text = "SELECT SHA256(path) FROM hits";
    expect(() => compileForSqlite(resolveQuery(parseQuery(text), text, { tables }))).toThrow(
      "Not in this sketch: SHA256",
    );
  });
});
