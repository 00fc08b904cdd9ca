import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type MemoryDatabase,
  openMemoryDatabase,
} from "../../../../test/support/engines/duckdb/driver/memory-database.ts";
import { allowedFunctions, allowedTableFunctions, nativeFacts } from "./native-functions.ts";

describe("the functions allowed in statements", () => {
  let database: MemoryDatabase;
  let types: ReadonlyMap<unknown, unknown>;
  beforeAll(async () => {
    database = await openMemoryDatabase();
    const { rows } = await database.query(
      "SELECT function_name, string_agg(DISTINCT function_type, ' ') FROM duckdb_functions() GROUP BY ALL",
    );
    types = new Map(rows.map(([name, type]) => [name, type]));
  });
  afterAll(() => database.close());

  /** Syntax that DuckDB's parser turns into calls, and window functions, are missing from DuckDB's own catalogue. */
  const syntax = new Set(["coalesce", "count_star", "lag", "lead", "like_escape"]);

  it("are all scalar, aggregate, window or macro functions of the engine, table functions aside", () => {
    for (const name of allowedFunctions) {
      if (syntax.has(name) || allowedTableFunctions.has(name)) continue;
      expect([name, types.get(name)]).toEqual([name, expect.stringMatching(/scalar|aggregate|macro/)]);
    }
  });

  it("are listed as macros if they are macros", () => {
    const macros = [...allowedFunctions].filter((name) => String(types.get(name)).includes("macro"));
    expect(macros.sort()).toEqual([...allowedFunctions].filter((name) => nativeFacts(name).isMacro).sort());
  });

  it("give no access to files, settings, secrets or the engine's own state", () => {
    const dangerous =
      /read_|glob|getenv|current_setting|getvariable|secret|pragma|duckdb_|sniff|copy|scan|query|json_execute|json_serialize|nextval|currval|txid|^error$|in_search_path|^sql_|which_secret|write_log|sleep/;
    expect(
      [...allowedFunctions, ...allowedTableFunctions].filter((name) => !name.startsWith("lw_") && dangerous.test(name)),
    ).toEqual([]);
  });
});
