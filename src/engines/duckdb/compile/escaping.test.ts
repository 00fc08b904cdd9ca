/** A caller's texts reach DuckDB only as data, as tested on the real engine. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileText } from "../../../../test/support/engines/duckdb/compile/compile-text.ts";
import {
  type MemoryDatabase,
  openMemoryDatabase,
} from "../../../../test/support/engines/duckdb/driver/memory-database.ts";
import { arrayOf, type RecordField, type SqlType, STRING } from "../../../googlesql/types.ts";
import type { TableLayout } from "../../schema/layout.ts";
import { quoteIdentifier } from "../sql-text.ts";

const payloads: readonly string[] = [
  "'",
  "''",
  '"',
  "`",
  "\\",
  "\\'",
  "';SELECT 1;--",
  "' OR '1'='1",
  "') UNION SELECT secret FROM secrets --",
  "/* */ -- \n",
  "$1",
  "$$x$$",
  "E'\\n'",
  "U&'\\0041'",
  "%s%n{}",
  "\u0000",
  "a\u0000'b",
  "\n\r\t\u000b",
  "\u2028\u2029\ufeff\u202e",
  "\u{1f600}e\u0301\u{10ffff}",
  "read_text('/etc/passwd')",
  "x AS VARCHAR)); DROP TABLE secrets; --",
];

/** The GoogleSQL literal of the text, in which every special code unit is escaped. */
function literal(text: string): string {
  const escaped = [...text].map((char) => {
    const code = char.codePointAt(0) ?? 0;
    return /[A-Za-z0-9 ]/.test(char) ? char : `\\U${code.toString(16).padStart(8, "0")}`;
  });
  return `'${escaped.join("")}'`;
}

/** Payloads that are valid in a back-ticked name. */
const names = payloads
  .filter((text) => !["\0", "\n", "\r"].some((char) => text.includes(char)))
  .map((text) => text.replaceAll("`", "'"));

const types = new Map<string, SqlType>([
  ["p", STRING],
  ["q", STRING],
]);

describe("a caller's text", () => {
  let database: MemoryDatabase;
  beforeAll(async () => {
    database = await openMemoryDatabase();
    await database.query("CREATE TABLE secrets AS SELECT 'hidden' AS secret");
  });
  afterAll(async () => {
    const { rows } = await database.query("SELECT secret FROM secrets");
    expect(rows).toEqual([["hidden"]]);
    database.close();
  });

  async function run(text: string, layouts: readonly TableLayout[] = []): Promise<readonly unknown[]> {
    const { sql, columns, parameters } = compileText(text, layouts);
    expect(parameters).toEqual([]);
    return database.encode(sql, columns, "cells");
  }

  it.each(payloads)("comes back unchanged from a literal: %j", async (text) => {
    expect(await run(`SELECT ${literal(text)}`)).toEqual([[text]]);
    expect(await run(`SELECT x FROM UNNEST([${literal(text)}]) AS x WHERE x = ${literal(text)}`)).toEqual([[text]]);
    const base64 = Buffer.from(text).toString("base64");
    expect(await run(`SELECT CAST(${literal(text)} AS BYTES)`)).toEqual([[base64]]);
  });

  it.each(payloads)("comes back unchanged from a bound parameter: %j", async (text) => {
    const { sql, columns, parameters } = compileText("SELECT @p, @q = @p", [], types);
    const bound = parameters.map(({ type }) => ({ type, value: text }));
    expect(await database.encode(sql, columns, "cells", bound)).toEqual([[text, true]]);
  });

  it.each(payloads)("is plain data in patterns and formats: %j", async (text) => {
    const [row] = (await run(`SELECT ${literal(text)} LIKE CONCAT('%', '%')`)) as boolean[][];
    expect(row).toEqual([true]);
    expect(await run(`SELECT STRPOS(${literal(`x${text}`)}, ${literal(text)})`)).toEqual([[2]]);
  });

  it.each(names)("works as the name of a column, table or field without being interpreted: %j", async (name) => {
    const quoted = `\`${name.replaceAll("\\", "\\\\")}\``;
    const query =
      `WITH ${quoted} AS (SELECT 1 AS ${quoted}, STRUCT(2 AS ${quoted}) AS s) ` +
      `SELECT ${quoted}.${quoted} AS ${quoted}, s.${quoted} FROM ${quoted}`;
    const { sql, columns } = compileText(query, []);
    expect(columns.map((column) => column.name.replace(/_1$/, ""))).toEqual([name, name]);
    expect(await database.encode(sql, columns, "cells")).toEqual([[1, 2]]);
  });

  it.each(names)("works as the name of a source, leaf or record field: %j", async (name) => {
    const field: RecordField = { name, type: STRING };
    const record = arrayOf({ kind: "RECORD", fields: [field], isRepeated: false, isOpen: false } as const);
    const layout: TableLayout = {
      definition: {
        name: "source",
        isLenient: true,
        columns: [
          { name: "r", type: record },
          { name, type: STRING },
        ],
      },
      table: name,
      recordColumns: new Map([["r", "json"]]),
      leaves: new Map([[name, { type: STRING, variants: [{ column: name, type: STRING }] }]]),
      presence: new Map(),
    };
    const json = JSON.stringify([{ [name]: "inner" }]).replaceAll("'", "''");
    await database.query(
      `CREATE TABLE ${quoteIdentifier(name)} AS SELECT 'outer' AS ${quoteIdentifier(name)}, '${json}' AS json`,
    );
    const quoted = `\`${name.replaceAll("\\", "\\\\")}\``;
    try {
      expect(await run(`SELECT ${quoted}, r[0].${quoted} FROM source`, [layout])).toEqual([["outer", "inner"]]);
    } finally {
      await database.query(`DROP TABLE ${quoteIdentifier(name)}`);
    }
  });
});
