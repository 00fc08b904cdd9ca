/** Reads columns through a table's layout. */
import { describe, expect, it } from "vitest";
import { compileText, refusalOf } from "../../../../../test/support/engines/duckdb/compile/compile-text.ts";
import { edgeLayout } from "../../../../../test/support/engines/duckdb/compile/edge-layout.ts";
import { parseQuery } from "../../../../googlesql/parse.ts";
import { resolveQuery } from "../../../../googlesql/resolver/resolve.ts";
import { FLOAT64, INT64, type SqlType, STRING, TIMESTAMP } from "../../../../googlesql/types.ts";
import type { LeafLayout, TableLayout } from "../../../schema/layout.ts";
import { planOf } from "../../query-plan.ts";
import { compileQuery } from "../compile.ts";

const leafOf = (column: string, type: SqlType): LeafLayout => ({ type, variants: [{ column, type }] });

/** A table of these leaves, whose events carry records too or do not. */
function layoutOf(leaves: Readonly<Record<string, LeafLayout>>, hasRecords = true): TableLayout {
  const entries = Object.entries(leaves);
  return {
    definition: { name: "t", columns: entries.map(([name, { type }]) => ({ name, type })) },
    table: "t_1",
    recordColumns: new Map(hasRecords ? [["metadata", "json_1"]] : []),
    leaves: new Map(entries),
    presence: new Map(),
  };
}

const [id, timestamp] = [leafOf("id", STRING), leafOf("timestamp", TIMESTAMP)];

describe("a table", () => {
  it("without a layout is unknown", () => {
    const text = "SELECT 1 FROM edge_logs";
    const tables = { findTable: () => edgeLayout.definition, tableNames: () => [] };
    const query = resolveQuery(parseQuery(text), text, { tables, parameters: new Map() });
    const refusal = [{ code: "unknown_table", message: "Table not found: edge_logs", span: { start: 14, end: 23 } }];
    expect(refusalOf(() => compileQuery(query, () => undefined, { text }))).toEqual(refusal);
  });

  it("of events has no NaN, which JSON does not have, and any other table may", () => {
    const sorted = (hasRecords: boolean) =>
      compileText("SELECT x FROM t ORDER BY x", [layoutOf({ x: leafOf("x", FLOAT64) }, hasRecords)]).sql;
    expect([true, false].map((hasRecords) => sorted(hasRecords).includes("isnan"))).toEqual([false, true]);
  });

  it("has times by which its ids are found only in a column `timestamp` beside `id`", () => {
    const conditions = (leaves: Readonly<Record<string, LeafLayout>>, column = "id") =>
      planOf(compileText(`SELECT 1 FROM t WHERE ${column} = 'x'`, [layoutOf(leaves)])).statement?.idConditions.length ??
      0;
    const found = [
      conditions({ id, timestamp }),
      conditions({ id }),
      conditions({ id, timestamp: leafOf("c_time", TIMESTAMP) }),
      conditions({ id: leafOf("c_id", STRING), timestamp }),
      conditions({ id, timestamp, other: leafOf("c_other", STRING) }, "other"),
    ];
    expect(found).toEqual([1, 0, 0, 0, 0]);
  });

  it("has newest rows by its column `timestamp`, if its events have one", () => {
    const hasPlan = (leaves: Readonly<Record<string, LeafLayout>>, key: string) => {
      const text = `SELECT id FROM t ORDER BY ${key} DESC LIMIT 5`;
      return planOf(compileText(text, [layoutOf({ id, ...leaves })])).statement?.newest !== undefined;
    };
    expect(hasPlan({ timestamp }, "timestamp")).toBe(true);
    expect(hasPlan({ timestamp: leafOf("c_time", TIMESTAMP) }, "timestamp")).toBe(false);
    expect(hasPlan({ timestamp, other: leafOf("c_other", TIMESTAMP) }, "other")).toBe(false);
  });

  it("has plain rows of columns alone: not of fields with several columns or none", () => {
    const rows = (leaves: Readonly<Record<string, LeafLayout>>, name: string) =>
      planOf(compileText(`SELECT id, ${name} FROM t ORDER BY id LIMIT 5`, [layoutOf({ id, ...leaves })])).statement
        ?.rows;
    const variants = [
      { column: "c_int", type: INT64 },
      { column: "c_text", type: STRING },
    ];
    expect(rows({ x: leafOf("c_x", STRING) }, "x")?.columns).toMatchObject([{ column: "id" }, { column: "c_x" }]);
    expect(rows({ x: { type: STRING, variants } }, "x")).toBeUndefined();
    expect(rows({ x: { type: STRING, variants: [] } }, "x")).toBeUndefined();
  });
});
