import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { useDatabase } from "../../../../../test/support/engines/duckdb/driver/test-database.ts";
import { sampleOf } from "../../../../../test/support/sample-size.ts";
import { parseQuery } from "../../../../googlesql/parse.ts";
import { resolveQuery } from "../../../../googlesql/resolve.ts";
import { compileQuery } from "../../compile/compile.ts";
import { createStatementCheck, statementRules } from "./statement-check.ts";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));

/** SQL that a part of the reference corpus compiles to; cases that are errors, or need parameters, are left out. */
function compiledCorpus(): string[] {
  const folder = join(root, "test/conformance/corpus");
  const statements: string[] = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const cases = JSON.parse(readFileSync(join(folder, file), "utf8")) as readonly { readonly query: string }[];
    for (const { query } of sampleOf(cases, 0.1)) {
      try {
        const tables = { findTable: () => undefined, tableNames: () => [] };
        const resolved = resolveQuery(parseQuery(query), query, { tables, parameters: new Map() });
        statements.push(compileQuery(resolved, () => undefined, { text: query }).sql);
      } catch {
        // Other tests check the error.
      }
    }
  }
  return statements;
}

describe("the statement rules", () => {
  const duckdb = useDatabase();

  it("accept every statement that the reference corpus compiles to", async () => {
    const check = createStatementCheck(
      duckdb.connection,
      statementRules(() => false),
    );
    const refused: string[] = [];
    const statements = compiledCorpus();
    expect(statements.length).toBeGreaterThan(50);
    for (const sql of statements) await check(sql).catch((error: unknown) => refused.push(`${error}: ${sql}`));
    expect(refused).toEqual([]);
  });

  it.each([
    "getenv",
    "current_setting",
    "read_text",
    "query",
    "nextval",
    "json_execute_serialized_sql",
    "pg_get_viewdef",
  ])("do not allow %s, which reaches beyond the query", (name) => {
    expect(statementRules(() => false).functions?.has(name)).toBe(false);
  });
});
