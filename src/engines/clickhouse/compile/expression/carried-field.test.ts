import { describe, expect, it } from "vitest";
import { parseQuery } from "../../../../googlesql/parse.ts";
import { resolveQuery } from "../../../../googlesql/resolver/resolve.ts";
import { arrayOf, INT64, MIXED, type RecordType, type SqlType, STRING } from "../../../../googlesql/types.ts";
import { compileQuery as compileForDuckDb } from "../../../duckdb/compile/compile.ts";
import type { LeafLayout, TableLayout } from "../../../schema/layout.ts";
import { compileQuery, planOf } from "../../compile-query.ts";
import { sourceTable } from "../scan/tables.ts";

const record: RecordType = {
  ...{ kind: "RECORD", isRepeated: false, isOpen: false },
  fields: [{ name: "k", type: STRING }],
};
const columns: readonly { readonly name: string; readonly type: SqlType }[] = [
  { name: "id", type: STRING },
  { name: "scalar", type: MIXED },
  { name: "shape", type: { kind: "MIXED", record } },
  { name: "list", type: MIXED },
  { name: "bare", type: INT64 },
  { name: "bare_list", type: arrayOf(STRING) },
  { name: "bare_record", type: arrayOf(record) },
  { name: "odd", type: STRING },
];

function mixedLeaf(name: string, types: readonly SqlType[]): LeafLayout {
  return { type: MIXED, variants: types.map((type, index) => ({ column: `c_${name}_${index}`, type })) };
}

const layout: TableLayout = {
  definition: { name: "edge", columns, isLenient: true },
  table: "events_1",
  recordColumns: new Map([["shape", "j_shape"]]),
  leaves: new Map([
    ["id", { type: STRING, variants: [{ column: "id", type: STRING }] }],
    ["scalar", mixedLeaf("scalar", [INT64, STRING])],
    ["shape", { ...mixedLeaf("shape", [INT64]), isPartial: true }],
    ["list", mixedLeaf("list", [STRING, arrayOf(INT64)])],
  ]),
  presence: new Map(),
  rest: {
    column: "j_rest",
    names: new Map(columns.slice(2).map(({ name }) => [name, name === "odd" ? ["odd", "ODD"] : [name]])),
    isOpen: false,
  },
};

function planFor(text: string) {
  const { definition } = layout;
  const tables = { findTable: () => definition, tableNames: () => ["edge"] };
  const query = resolveQuery(parseQuery(text), text, { tables, inferParameters: true });
  const residual = { compile: (...[of, options]: Parameters<typeof compileText>) => compileText(of, options) };
  const plan = planOf(compileQuery(query, { tables: () => sourceTable(layout), residual }, { text }));
  if (plan.kind !== "divided") throw new Error("The server runs all of it");
  return plan;
}

function compileText(query: Parameters<typeof compileForDuckDb>[0], options?: Parameters<typeof compileForDuckDb>[2]) {
  return compileForDuckDb(query, () => undefined, options);
}

const places: readonly ((field: string) => string)[] = [
  (field) => `SELECT id, ${field} FROM edge ORDER BY id LIMIT 3`,
  (field) => `SELECT TO_JSON_STRING(${field}) AS t FROM edge`,
  (field) => `SELECT x.f FROM (SELECT ${field} AS f, id FROM edge ORDER BY id LIMIT 5) AS x`,
  (field) => `WITH e AS (SELECT * FROM edge) SELECT a.${field} FROM e AS a LEFT JOIN e AS b ON a.id = b.id`,
  (field) => `SELECT a.${field}, b.${field} FROM edge AS a LEFT JOIN (SELECT * FROM edge) AS b USING (id)`,
  (field) => `SELECT id, ${field} FROM edge UNION ALL SELECT id, ${field} FROM edge`,
  (field) => `SELECT id, (SELECT ANY_VALUE(b.${field}) FROM edge AS b) AS f FROM edge`,
];
const fields = columns.slice(1).map(({ name }) => name);
const groups = ["scalar", "shape", "list", "bare", "odd"].map((field) => [
  `SELECT ${field}, COUNT(*) FROM edge GROUP BY ${field}`,
]);

describe("a top-level field whose values need more than its columns", () => {
  it.each(fields.flatMap((field) => places.map((place) => [place(field)])).concat(groups))("is read by %s", (text) => {
    expect(planFor(text).remotes.some(({ sql }) => sql.includes("concat('[{"))).toBe(true);
  });

  it("is read by SELECT *", () => {
    const [remote] = planFor("SELECT * FROM edge").remotes;
    expect(remote?.columns.map(({ name }) => name)).toEqual(columns.map(({ name }) => name));
  });

  it("is read as JSON built from its columns and the JSON beside them", () => {
    const [remote] = planFor("SELECT list FROM edge ORDER BY id LIMIT 3").remotes;
    expect(remote?.sql).toBe(
      "SELECT concat('[{\"x\":1', ifNull(concat(',\"r\":', t1.`j_rest`), ''), ifNull(concat(',\"v\":', " +
        "coalesce(if(isNull(t1.`c_list_0`), NULL, toJSONString(assumeNotNull(t1.`c_list_0`))), " +
        "if(empty(t1.`c_list_1`), NULL, concat('[', arrayStringConcat(arrayMap(lw_i -> toString(lw_i), " +
        "t1.`c_list_1`), ','), ']')))), ''), '}]') AS o1, t1.`id` AS o2 FROM `events_1` AS t1 ORDER BY t1.`id` ASC NULLS FIRST LIMIT 3",
    );
  });
});
