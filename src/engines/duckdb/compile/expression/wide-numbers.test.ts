import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openShapesEngine,
  type Shape,
  type ShapesEngine,
} from "../../../../../test/support/engines/duckdb/compile/shapes-engine.ts";
import { WideNumber } from "../../../contract/query-engine.ts";

const wide = new WideNumber("1e400");
const negative = new WideNumber("-2.5E+999");
const shapes: readonly (readonly Shape[])[] = [
  [wide],
  [wide, negative, 1.5, 2],
  [wide, "text", [wide, 1.5], { a: wide }, true],
  [[wide], [1.5, negative]],
];

describe("a number beyond the range of doubles", () => {
  let engine: ShapesEngine;
  beforeAll(async () => {
    engine = await openShapesEngine();
    await engine.storeRecords("wide", shapes);
    await engine.storeRecords("narrow", shapes, { isNarrow: true });
  });
  afterAll(() => engine.close());

  const read = (sql: string, i: number, source = "wide") =>
    engine.text(sql.replaceAll("$T", `${source} t CROSS JOIN UNNEST(t.r${i}) m`));

  it("is stored unchanged in the record", async () => {
    expect(await engine.text("SELECT r2 FROM wide ORDER BY id LIMIT 4")).toBe(
      '{"r2":[{"n":0,"x":1e400}]},{"r2":[{"n":1,"x":"text"}]},{"r2":[{"n":2,"x":[1e400,1.5]}]},{"r2":[{"n":3,"x":[{"a":1e400}]}]}',
    );
  });

  it("is returned unchanged, alone and among other numbers", async () => {
    expect(await read("SELECT m.x FROM $T", 0)).toBe('{"x":1e400}');
    expect(await read("SELECT m.x FROM $T ORDER BY m.n", 1)).toBe('{"x":1e400},{"x":-2.5E+999},{"x":1.5},{"x":2}');
  });

  it("is returned unchanged among values of several shapes, and sorts as the largest number", async () => {
    expect(await read("SELECT m.x FROM $T ORDER BY m.x", 2)).toBe(
      '{"x":1e400},{"x":"text"},{"x":true},{"x":[1e400,1.5]},{"x":[{"a":1e400}]}',
    );
  });

  it.each([
    "m.x",
    "m.x + 1",
    "CAST(m.x AS STRING)",
    "SAFE_CAST(m.x AS INT64)",
    "UPPER(m.x)",
    "TO_JSON_STRING(m.x)",
    "m.x > 1",
    "m.x = '1e400'",
    "ARRAY_LENGTH(m.x)",
    "m.x[0]",
    "SUM(m.x) OVER ()",
    "MAX(m.x) OVER ()",
    "RANK() OVER (ORDER BY m.x)",
    "FORMAT('%t', m.x)",
  ])("makes no query fail, and gives the same rows from columns and from the JSON: %s", async (expression) => {
    for (const i of shapes.keys()) {
      const sql = `SELECT m.n, ${expression} AS v FROM $T ORDER BY m.n`;
      expect(await read(sql, i)).toBe(await read(sql, i, "narrow"));
    }
  });
});
