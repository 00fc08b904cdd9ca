import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Files that both engines have under one name, so that one who knows one finds the way in the other. */
const shared: Readonly<Record<string, readonly string[]>> = {
  ".": ["README.md", "index.ts", "run-query.ts", "scratch-engine.ts"],
  sql: ["atoms.ts", "forms.ts", "spelling.ts", "sql.ts"],
  compile: ["compilation.ts", "compile.ts", "render.ts", "run-constants.ts", "scope.ts", "select-builder.ts"],
  "compile/scan": ["aggregate-scans.ts", "joins.ts", "scans.ts", "set-operations.ts", "tables.ts", "unnest.ts"],
  "compile/expression": ["calls.ts", "expressions.ts", "literals.ts", "subqueries.ts"],
  functions: ["comparisons.ts", "conditional.ts", "index.ts", "types.ts"],
  store: ["store.ts", "stored-tables.ts"],
};

it.each(["duckdb", "clickhouse"])("the engine %s has the files that every engine has, under their names", (engine) => {
  const files = Object.entries(shared).flatMap(([room, names]) =>
    names.map((name) => join("src/engines", engine, room, name)),
  );
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
