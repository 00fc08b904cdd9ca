import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guardText } from "../../../../test/support/engines/duckdb/sql/printed-sql.ts";
import { type Connection, type Database, openDatabase } from "../driver/connection.ts";

const rowCount = 9_000;

/** An expression over a text, a text for which it succeeds, and one for which it fails. */
const failing: readonly (readonly [expression: string, own: string, other: string])[] = [
  ["lw_parse_date('%Y', s)", "2020", "SECRET"],
  ["lw_parse_date('%Y', lower(s))", "2020", "SECRET"],
  ["coalesce(lw_from_base32(s), encode(''))", "ME======", "SECRET1"],
  ["CASE WHEN s = '' THEN [NULL][lw_fail(s)] ELSE s END", "1", ""],
  ["list_transform([s], lambda v: lw_int64_from_text(v))[1]", "1", "SECRET"],
  ["list_transform([s], lambda v: CAST(v AS BIGINT))[1]", "1", "SECRET"],
  ["list_transform([{'a': s}], lambda v: CAST(v.a AS BIGINT))[1]", "1", "SECRET"],
  ["list_transform(string_split(s, ','), lambda v: CAST(v AS BIGINT))", "1,2", "SECRET"],
  ["list_transform([1], lambda v: CAST(s AS BIGINT))[1]", "1", "SECRET"],
  ["list_transform([{'a': 1}], lambda v: lw_int64_from_text(s))[1]", "1", "SECRET"],
  ["list_filter(string_split(s, ','), lambda v: CAST(v AS BIGINT) > 0)", "1,2", "SECRET"],
  ["like_escape('SECRETx', s, '\\')", "x", "SECRET\\"],
  ["list_transform(['SECRETx'], lambda v: v LIKE s ESCAPE '\\')[1]", "x", "SECRET\\"],
  ["regexp_matches('x', s)", "x", "SECRET("],
  ["regexp_full_match('x', s)", "x", "SECRET("],
  ["regexp_extract_all('x', s)", "x", "SECRET("],
  ["regexp_extract_all('x', s, 0)", "x", "SECRET("],
  ["regexp_replace('x', s, 'y', 'g')", "x", "SECRET("],
  ["decode(unhex(s))", "61", "FF"],
  ["from_base64(s)", "aaaa", "SECRET!"],
  ["unhex(s)", "61", "SECRET"],
  ["ln(length(s))", "a", ""],
  ["log10(length(s))", "a", ""],
  ["json_extract(s, '/a')", '{"a":1}', "SECRET{"],
  ["json_extract_string(s, '/a')", '{"a":1}', "SECRET{"],
  ["json_type(s, '/a')", '{"a":1}', "SECRET{"],
  ["json_array_length(s)", "[]", "SECRET["],
  [`json_extract('{"a":1}', s)`, "/a", "$SECRET[["],
  ["s LIKE s ESCAPE '\\'", "x", "SECRET\\"],
  ["date_trunc(s, TIMESTAMP '2020-01-01')", "day", "SECRET"],
  ["datepart(s, TIMESTAMP '2020-01-01')", "day", "SECRET"],
  ["timezone(s, TIMESTAMP '2020-01-01')", "UTC", "SECRET"],
  ["repeat(s, 9000000000)", "", "SECRET"],
  ["lpad('x', 3, s)", "xxxx", ""],
  ["make_date(2020, CAST(length(s) AS INTEGER), 1)", "xxxx", ""],
  ["printf(s, 1)", "%d", "SECRET%s%s"],
  ["acos(length(s))", "x", "SECRET"],
  ["cot(length(s))", "x", ""],
  ["range(length(s) * 1000000000000)", "", "SECRET"],
  ["map(string_split(s, ','), string_split(s, ','))", "a,b", "SECRET,SECRET"],
  ["CAST(string_split(s, ',') AS INTEGER[])", "1", "SECRET"],
  ["CAST(s AS JSON)", "{}", "SECRET{"],
  ["length(s)::UTINYINT + 255::UTINYINT", "", "SECRET"],
];

/** Expressions that are NULL for failing rows must be NULL for no other row. */
const tried: readonly (readonly [expression: string, own: string, other: string])[] = [
  ["TRY(lw_parse_date('%Y', s))", "2020", "SECRET"],
  ["TRY(regexp_extract_all('x', s))", "x", "SECRET("],
  ["TRY(list_transform([s], lambda v: CAST(v AS BIGINT))[1])", "1", "SECRET"],
  ["list_transform([s], lambda v: TRY(CAST(v AS BIGINT)))[1]", "1", "SECRET"],
];

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

describe("a function that may fail over a segment's dictionary", () => {
  let folder: string;
  let database: Database;
  let connection: Connection;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "logweir-dictionary-"));
    database = await openDatabase({ path: join(folder, "t.db"), threads: 2, memoryLimitBytes: 1024 ** 3 });
    connection = await database.connect();
    const columns = [...failing, ...tried].map(([, own, other], index) => {
      return `CASE WHEN i % 3 = 0 THEN ${quote(own)} ELSE ${quote(other)} END AS s${index}`;
    });
    const project = "CASE WHEN i % 3 = 0 THEN 'inside' ELSE 'outside' END AS project";
    await connection.all(`CREATE TABLE t AS SELECT ${project}, ${columns.join(", ")} FROM range(${rowCount}) r(i)`);
    await connection.all("CHECKPOINT");
  });
  afterAll(async () => {
    connection.close();
    database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const count = async (expression: string, column: number, project: string) => {
    const value = expression.replaceAll(/\bs\b/g, `s${column}`);
    const sql = `SELECT count(x) FROM (SELECT ${value} AS x FROM t WHERE project = '${project}')`;
    return (await connection.all(guardText(sql)))[0]?.[0];
  };
  const own = BigInt(rowCount / 3);

  it.each(failing.map(([expression], index) => ({ expression, index })))(
    "fails for selected rows only: $expression",
    async ({ expression, index }) => {
      expect(await count(expression, index, "inside")).toBe(own);
      await expect(count(expression, index, "outside")).rejects.toThrow();
    },
  );

  it.each(tried.map(([expression], index) => ({ expression, index: failing.length + index })))(
    "returns NULL for failing rows only: $expression",
    async ({ expression, index }) => {
      expect(await count(expression, index, "inside")).toBe(own);
      expect(await count(expression, index, "outside")).toBe(0n);
    },
  );

  it("reports the value of a selected row when one fails", async () => {
    const message = "CASE WHEN s0 = 'SECRET' OR project = 'inside' THEN [NULL][lw_fail(concat(project, ' ', s0))] END";
    const sql = `SELECT count(${message}) FROM t WHERE project = 'inside'`;
    await expect(connection.all(guardText(sql))).rejects.toThrow(/inside 2020$/);
  });
});
