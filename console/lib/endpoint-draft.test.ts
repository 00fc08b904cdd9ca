import { describe, expect, it } from "vitest";
import {
  applyProposals,
  createUuid,
  literalValue,
  proposeParameters,
  withTables,
  writeEndpointFile,
} from "./endpoint-draft.ts";

describe("a query that is to be saved", () => {
  it.each([
    ["SELECT 1", "SELECT x FROM t", "SELECT x FROM t"],
    [
      "WITH a AS (SELECT ')' AS x) SELECT * FROM a",
      "SELECT x FROM a",
      "WITH\n  a AS (SELECT ')' AS x)\nSELECT x FROM a",
    ],
    [
      "-- first\nWITH a AS (SELECT 1), b AS ((SELECT 2)) -- ) SELECT\nSELECT * FROM b",
      "WITH c AS (FROM a) SELECT * FROM c",
      "WITH\n  a AS (SELECT 1), b AS ((SELECT 2)),\n  c AS (FROM a)\nSELECT * FROM c",
    ],
    ["WITH a AS (SELECT 1) FROM a |> LIMIT 1", "FROM a", "WITH\n  a AS (SELECT 1)\nFROM a"],
    [
      'WITH `a b` AS (SELECT """(""" AS x) SELECT 1',
      "WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r",
      'WITH RECURSIVE\n  `a b` AS (SELECT """(""" AS x),\n  r AS (SELECT 1)\nSELECT * FROM r',
    ],
  ])("reads the tables of %s", (saved, query, expected) => {
    expect(withTables(saved, query)).toBe(expected);
  });

  it.each([
    ["SELECT * FROM t WHERE status_code = 500 LIMIT 10", ["status_code int64 500"]],
    ["... WHERE m.path LIKE '/rest/%' AND ratio >= 0.5", ["path string /rest/%", "ratio float64 0.5"]],
    ["... WHERE a = 'x' OR a = \"y\"", ["a string x", "a_2 string y"]],
    ["... WHERE timestamp > '2026-08-20T09:00:00Z'", ["timestamp timestamp 2026-08-20T09:00:00Z"]],
    ["... WHERE `odd name` != r'\\d'", ["odd_name string undefined"]],
    ["... WHERE project = 'p' AND sql = 'x'", ["project_2 string p", "p_sql string x"]],
    ["... WHERE a = 1 + b AND c = d AND 'x' = e -- f = 1\n AND g = /* h = 2 */ @i", []],
    ["SELECT 'a', 1 FROM t ORDER BY 1", []],
  ])("proposes parameters for the literals of %s", (sql, expected) => {
    const found = proposeParameters(sql, ["project"]);
    expect(found.map((each) => `${each.name} ${each.type} ${literalValue(each)}`)).toEqual(expected);
    for (const { literal, start, end } of found) expect(sql.slice(start, end)).toBe(literal);
  });

  it("has parameters instead of the literals that are chosen", () => {
    const sql = "SELECT 'a' FROM t WHERE a = 'a' AND n >= 10 AND b = 'c'";
    const proposals = proposeParameters(sql);
    expect(applyProposals(sql, proposals)).toBe("SELECT 'a' FROM t WHERE a = @a AND n >= @n AND b = @b");
    expect(applyProposals(sql, proposals.slice(1, 2))).toBe("SELECT 'a' FROM t WHERE a = 'a' AND n >= @n AND b = 'c'");
    expect(applyProposals(sql, [])).toBe(sql);
  });

  it("has an id of its own", () => {
    const ids = Array.from({ length: 100 }, createUuid);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("becomes a file, whatever its texts hold", () => {
    const document = {
      name: "a.b",
      description: 'x */ "y"',
      parameters: { p: { type: "string" } },
      query: "SELECT 1 ",
    };
    expect(writeEndpointFile("1b7f3d52-6c1e-4a7e-9d0b-5f2c8e41a690", document)).toBe(
      '/*---\nid: "1b7f3d52-6c1e-4a7e-9d0b-5f2c8e41a690"\nname: "a.b"\ndescription: "x *\\u002f \\"y\\""\n' +
        'parameters: {"p":{"type":"string"}}\n---*/\nSELECT 1\n',
    );
  });
});
