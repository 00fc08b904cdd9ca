import { beforeAll, describe, expect, it } from "vitest";
import { useDatabase } from "../../../../../test/support/engines/duckdb/driver/test-database.ts";
import type { SchemaEntry, ValueType } from "../../../schema/schema-entry.ts";
import { fillDeclaredColumns } from "./source-rules.ts";
import { createStoredSource } from "./stored-source.ts";

const columns = { INT64: "c1", FLOAT64: "c2", BOOL: "c3", STRING: "c4", "INT64[]": "c5", WIDE: "c6" } as const;

function entriesOf(path: string): SchemaEntry[] {
  return Object.entries(columns).map(([type, column]) => ({ role: "value", path, type: type as ValueType, column }));
}

describe("a field that is declared after its values were stored", () => {
  const duckdb = useDatabase();
  beforeAll(async () => {
    await duckdb.connection.all("CREATE TABLE lw_fields (source VARCHAR, column_name VARCHAR, stale BOOLEAN)");
  });

  /** Returns the declared column's value of each row, once the field is declared. */
  async function fill(
    entries: readonly SchemaEntry[],
    rows: readonly (readonly [column: string, value: string])[],
    [path, type]: readonly [string, keyof typeof columns],
  ) {
    await duckdb.connection.all(
      "CREATE OR REPLACE TABLE events_1 (n INTEGER, c1 BIGINT, c2 DOUBLE, c3 BOOLEAN, c4 VARCHAR, c5 BIGINT[], " +
        "c6 DOUBLE, j VARCHAR)",
    );
    for (const [n, [column, value]] of rows.entries()) {
      await duckdb.connection.all(`INSERT INTO events_1 (n, ${column}) VALUES (${n}, ${value})`);
    }
    const source = createStoredSource({ name: "edge", table: "events_1", entries, tenants: [] });
    // The second time nothing changes any more.
    for (let time = 0; time < 2; time++) await fillDeclaredColumns(duckdb.connection, source, [[path, type]]);
    const found = await duckdb.connection.all(`SELECT CAST(${columns[type]} AS VARCHAR) FROM events_1 ORDER BY n`);
    return { values: found.map(([value]) => value), entries: source.entries };
  }

  const stored = [
    ["c1", "200"],
    ["c1", "9007199254740993"],
    ["c2", "1.5"],
    ["c2", "7"],
    ["c2", "9e18"],
    ["c3", "true"],
    ["c4", "'12'"],
    ["c4", "'-007'"],
    ["c4", "'1.5'"],
    ["c4", "'-1e3'"],
    ["c4", "'false'"],
    ["c4", "'t'"],
    ["c4", "'1_0'"],
    ["c4", "'9223372036854775808'"],
    ["c5", "[1]"],
    ["c6", "1e20"],
  ] as const;
  const none = null;

  it.each<[keyof typeof columns, readonly (string | null)[]]>([
    ["INT64", ["200", "9007199254740993", none, "7", none, none, "12", "-7", none, none, none, none, none, none]],
    [
      "FLOAT64",
      [
        ...["200.0", "9007199254740992.0", "1.5", "7.0", "9e+18", none, "12.0", "-7.0", "1.5", "-1000.0"],
        ...[none, none, none, "9.223372036854776e+18"],
      ],
    ],
    ["BOOL", [none, none, none, none, none, "true", none, none, none, none, "false", none, none, none]],
    [
      "STRING",
      [
        ...["200", "9007199254740993", "1.5", "7", "9e+18", "true", "12", "-007", "1.5", "-1e3", "false", "t", "1_0"],
        "9223372036854775808",
      ],
    ],
  ])("has what fits %s without loss, from each column of it", async (type, expected) => {
    const { values } = await fill(entriesOf("n"), stored, ["n", type]);
    expect(values).toEqual([...expected, none, none]);
  });

  it("takes values of all spellings, and of no other field", async () => {
    const entries: SchemaEntry[] = [
      { role: "value", path: "N", type: "STRING", column: "c4" },
      { role: "value", path: "other", type: "FLOAT64", column: "c2" },
      { role: "value", path: "n", type: "INT64", column: "c1" },
    ];
    const rows = [
      ["c4", "'5'"],
      ["c2", "6"],
      ["c1", "7"],
    ] as const;
    expect((await fill(entries, rows, ["n", "INT64"])).values).toEqual(["5", none, "7"]);
    expect((await fill(entries, rows, ["n", "BOOL"])).values).toEqual([none, none, none]);
  });

  const inJson = [
    ["j", `'[{"n":5,"m":1}]'`],
    ["j", `'[{"N":"6"}]'`],
    ["j", `'[{"n":[7]}]'`],
    ["j", `'[{"n":{"n":8}}]'`],
    ["j", `'[{"n":true}]'`],
    ["c4", "'9'"],
  ] as const;

  it("has what stands in the JSON alone, where some values do", async () => {
    const entries: SchemaEntry[] = [
      { role: "json", path: "", column: "j" },
      { role: "value", path: "n", type: "STRING", column: null },
      { role: "value", path: "N", type: "STRING", column: "c4" },
      { role: "value", path: "n", type: "INT64", column: "c1" },
    ];
    expect((await fill(entries, inJson, ["n", "INT64"])).values).toEqual(["5", "6", none, none, none, "9"]);
    const live = entries.filter((entry) => entry.role === "json" || (entry.role === "value" && entry.column !== null));
    expect((await fill(live, inJson, ["n", "INT64"])).values).toEqual([none, none, none, none, none, "9"]);
  });

  it("has no value of a record that stands in a list with others", async () => {
    const entries: SchemaEntry[] = [
      { role: "json", path: "m", column: "j" },
      { role: "value", path: "m.a.n", type: "INT64", column: "c1", isStale: true },
    ];
    const rows = [`[{"a":[{"n":1}]}]`, `[{"a":[{"n":2}]},{"b":1}]`, `[{"a":[{"n":3},{"n":4}]}]`, `[{"a":5}]`];
    const sent = rows.map((text) => ["j", `'${text}'`] as const);
    expect((await fill(entries, sent, ["m.a.n", "INT64"])).values).toEqual(["1", none, none, none]);
    const inRest = rows.map((text) => ["j", `'[{"m":${text}}]'`] as const);
    const rest = entries.map((entry) => (entry.role === "json" ? { ...entry, path: "" } : entry));
    expect((await fill(rest, inRest, ["m.a.n", "INT64"])).values).toEqual(["1", none, none, none]);
  });

  it("is read from its column from then on, also after a restart", async () => {
    await duckdb.connection.all(
      "INSERT INTO lw_fields VALUES ('edge', 'c1', true), ('edge', 'c4', true), ('other', 'c1', true)",
    );
    const json = { role: "json", path: "", column: "j" } as const;
    const stale = { role: "value", path: "n", isStale: true } as const;
    const text = { ...stale, type: "STRING", column: "c4" } as const;
    const whole = { ...stale, type: "INT64", column: "c1" } as const;
    const { values, entries } = await fill([json, text, whole], inJson, ["n", "INT64"]);
    expect(values).toEqual(["5", none, none, none, none, none]);
    expect(entries).toEqual([json, text, { ...whole, isStale: false }]);
    expect(await duckdb.connection.all("SELECT source, column_name FROM lw_fields WHERE NOT stale")).toEqual([
      ["edge", "c1"],
    ]);
  });
});
