import { beforeAll, describe, expect, it } from "vitest";
import { useDatabase } from "../../../../../test/support/engines/duckdb/driver/test-database.ts";
import type { SchemaEntry, ValueType } from "../../../schema/schema-entry.ts";
import { createStoredSource } from "./stored-source.ts";
import { findTenants, keepTenants, readTenants, replaceTenants } from "./tenant-entries.ts";

describe("the entries of each tenant", () => {
  const duckdb = useDatabase();
  beforeAll(async () => {
    await duckdb.connection.all("CREATE TABLE lw_tenants (source VARCHAR, tenant VARCHAR, entries VARCHAR)");
    await duckdb.connection.all("CREATE TABLE events_1 (c1 VARCHAR, c2 BIGINT, c3 BOOLEAN, m VARCHAR, rest VARCHAR)");
  });

  const inJson = (path: string, type: ValueType): SchemaEntry => ({ role: "value", path, type, column: null });
  const entries: readonly SchemaEntry[] = [
    { role: "json", path: "", column: "rest" },
    { role: "json", path: "m", column: "m" },
    { role: "value", path: "project", type: "STRING", column: "c1" },
    { role: "value", path: "n", type: "INT64", column: "c2" },
    { role: "record", path: "m", column: "c3" },
    ...(["INT64", "FLOAT64", "WIDE", "BOOL", "STRING", "INT64[]"] as const).map((type) => inJson("m.x", type)),
    { role: "record", path: "m.x", column: null },
    { role: "repeated", path: "m" },
    { role: "repeated", path: "m.x" },
    inJson("top", "STRING"),
    { role: "record", path: "m.x", column: "c3", isStale: true },
    { role: "open", path: "m" },
  ];
  const nameOf = (index: number) => {
    const entry = entries[index] ?? expect.unreachable();
    return [entry.path, "type" in entry ? entry.type : entry.role].join(" ");
  };

  async function find(some: readonly SchemaEntry[], tenantField: string | null = "project") {
    const rules = { tenantField, fields: [] };
    const source = createStoredSource({ name: "edge", table: "events_1", entries: some, tenants: [], rules });
    return new Map(await findTenants(duckdb.connection, source));
  }

  /** The numbers of a list such as `0-2,5`. */
  const numbersOf = (text = "") =>
    text.split(",").flatMap((part) => {
      const [first = 0, last = first] = part.split("-").map(Number);
      return part === "" ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });

  it.each<[string, string, readonly string[]]>([
    ["c2", "5", ["n INT64"]],
    ["c3", "false", ["m record"]],
    ["m", `'[{"x":-1}]'`, ["m.x INT64"]],
    ["m", `'[{"x":1}]'`, ["m.x INT64", "m.x WIDE"]],
    ["m", `'[{"x":1.5}]'`, ["m.x FLOAT64", "m.x WIDE"]],
    ["m", `'[{"x":true}]'`, ["m.x BOOL"]],
    ["m", `'[{"x":"1"}]'`, ["m.x STRING"]],
    ["m", `'[{"x":[1]}]'`, ["m.x INT64[]", "m.x record", "m.x record"]],
    ["m", `'[{"x":[{"a":1},{"a":2}]}]'`, ["m.x INT64[]", "m.x record", "m.x repeated", "m.x record"]],
    ["m", `'[{"x":{"a":1}}]'`, ["m.x record", "m.x record"]],
    ["m", `'[{"y":1},{"x":"s"}]'`, ["m.x STRING", "m repeated"]],
    ["rest", `'[{"top":"s"}]'`, ["top STRING"]],
    ["rest", `'[{"m":[{"x":1}]}]'`, []],
  ])("are found in the rows, in %s: %s", async (column, value, expected) => {
    await duckdb.connection.all("TRUNCATE events_1");
    await duckdb.connection.all(`INSERT INTO events_1 (c1, ${column}) VALUES ('a', ${value}), (NULL, ${value})`);
    await duckdb.connection.all("INSERT INTO events_1 (c1) VALUES ('b')");
    const found = await find(entries);
    const names = (tenant: string | null) => numbersOf(found.get(tenant)).map(nameOf);
    expect([...found.keys()].sort()).toEqual(["a", "b", null].sort());
    expect(names("a")).toEqual(["project STRING", ...expected]);
    expect(names("b")).toEqual(["project STRING"]);
    expect(names(null)).toEqual(expected);
    const all = await find(entries, null);
    expect([...all.keys()]).toEqual([null]);
    expect(numbersOf(all.get(null)).map(nameOf)).toEqual(["project STRING", ...expected]);
  });

  it("are found for more of them than one statement looks at", async () => {
    await duckdb.connection.all("TRUNCATE events_1");
    await duckdb.connection.all("INSERT INTO events_1 (c1, c2) VALUES ('a', 1), ('b', NULL)");
    const many = Array.from({ length: 401 }, (_, n): SchemaEntry => {
      return { role: "value", path: `f${n}`, type: "INT64", column: n % 2 === 0 ? "c2" : "c3" };
    });
    const project: SchemaEntry = { role: "value", path: "project", type: "STRING", column: "c1" };
    const found = await find([...many, project]);
    const even = Array.from({ length: 201 }, (_, n) => 2 * n);
    expect(numbersOf(found.get("a"))).toEqual([...even, 401]);
    expect(numbersOf(found.get("b"))).toEqual([401]);
  });

  it("are kept by source, however many they are, and replaced", async () => {
    const tenants = Array.from({ length: 1001 }, (_, n) => [`t${n}`, `${n}`] as const);
    await keepTenants(duckdb.connection, "edge", tenants);
    await keepTenants(duckdb.connection, "other", [
      [null, "1"],
      ["t1", "5"],
    ]);
    await keepTenants(duckdb.connection, "edge", []);
    const kept = await readTenants(duckdb.connection);
    expect(new Map(kept.get("edge"))).toEqual(new Map(tenants));
    expect(new Map(kept.get("other"))).toEqual(
      new Map([
        [null, "1"],
        ["t1", "5"],
      ]),
    );
    await replaceTenants(duckdb.connection, "edge", [["t1", "7"]]);
    const replaced = await readTenants(duckdb.connection);
    expect([replaced.get("edge"), replaced.get("other")?.length]).toEqual([[["t1", "7"]], 2]);
  });
});
