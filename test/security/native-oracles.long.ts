import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Connection, type Database, openDatabase } from "../../src/engines/duckdb/driver/connection.ts";
import { allowedFunctions } from "../../src/engines/duckdb/sql/native-functions.ts";
import { guardText } from "../support/engines/duckdb/sql/printed-sql.ts";
import { sampleOf } from "../support/sample-size.ts";
import { argumentTexts } from "./tables/oracle-arguments.ts";

const rowCount = 6_000;
const texts = argumentTexts.STRING;

/** An argument of DuckDB's type made from a text, by functions that keep its dictionary encoding. */
const fromText: Readonly<Record<string, (text: string) => string>> = {
  VARCHAR: (text) => text,
  ANY: (text) => text,
  T: (text) => text,
  JSON: (text) => text,
  BLOB: (text) => `encode(${text})`,
  BIGINT: (text) => `length(${text})`,
  HUGEINT: (text) => `length(${text})`,
  DOUBLE: (text) => `length(${text})`,
  "VARCHAR[]": (text) => `string_split(${text}, 'a')`,
  "T[]": (text) => `string_split(${text}, 'a')`,
  "ANY[]": (text) => `string_split(${text}, 'a')`,
  "BIGINT[]": (text) => `[length(${text})]`,
  "DOUBLE[]": (text) => `[length(${text})::DOUBLE]`,
};

const literals: Readonly<Record<string, string>> = {
  BOOLEAN: "true",
  DATE: "DATE '2020-01-01'",
  TIME: "TIME '12:00:00'",
  TIMESTAMP: "TIMESTAMP '2020-01-01'",
  INTERVAL: "INTERVAL 1 DAY",
};

/**
 * Arguments that fail only with some patterns, which the compiler does not print: it checks literals, and binds all
 * other values.
 */
const checkedBefore: ReadonlySet<string> = new Set(["like_escape 0", "like_escape 2"]);

/** Some functions that are known to fail; they are always tried, so that no run passes vacuously. */
const failing = ["from_base64", "json_extract", "like_escape", "lpad", "regexp_extract_all", "unhex"];

/** Texts for the other arguments, one for all of them at a time. */
const others = ["a", "1", "day", "UTC", "{}", "$.a", "x"];

let folder: string;
let database: Database;
let connection: Connection;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-native-"));
  database = await openDatabase({ path: join(folder, "t.db"), threads: 2, memoryLimitBytes: 1024 ** 3 });
  connection = await database.connect();
  const columns =
    "CASE WHEN i % 3 = 0 THEN 'inside' ELSE 'outside' END AS project, CASE WHEN i % 3 = 0 THEN 'own' " +
    "ELSE 'SECRET' END AS s";
  await connection.all(`CREATE TABLE t AS SELECT ${columns} FROM range(${rowCount}) r(i)`);
  await connection.all("CHECKPOINT");
});
afterAll(async () => {
  connection.close();
  database.close();
  await rm(folder, { recursive: true, force: true });
});

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function fails(sql: string): Promise<string | undefined> {
  try {
    await connection.all(guardText(sql));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface Call {
  readonly name: string;
  readonly types: readonly string[];
  /** The position of the computed argument. */
  readonly position: number;
}

/** The call with a text at its position; undefined when an argument has a type that cannot be made from a text. */
function printCall({ name, types, position }: Call, text: string, other: string): string | undefined {
  const args = types.map((type, index) => {
    if (index === position) return fromText[type]?.(text);
    // The number of a group, which the compiler takes from the expression, or a length.
    if (type === "INTEGER") return name.startsWith("regexp_") ? "0" : "5";
    return literals[type] ?? fromText[type]?.(quote(other));
  });
  return args.includes(undefined) ? undefined : `${name}(${args.join(", ")})`;
}

/** A text that the call accepts, and one that it fails for. */
async function findTexts(call: Call, other: string): Promise<{ good: string; bad: string } | undefined> {
  let [good, bad]: (string | undefined)[] = [];
  for (const text of texts) {
    const printed = printCall(call, "v.s", other);
    if (printed === undefined) return undefined;
    const message = await fails(
      `SELECT ${printed} FROM (SELECT ${quote(text)} AS s FROM range(1) WHERE random() >= 0) AS v`,
    );
    // A call that cannot be bound fails for no value.
    if (message !== undefined && /^(?:Binder|Catalog|Parser|Not implemented)/.test(message)) return undefined;
    if (message === undefined) good ??= text;
    else bad ??= text;
    if (good !== undefined && bad !== undefined) return { good, bad };
  }
  return undefined;
}

it("no DuckDB function that the compiler prints fails for rows that are not selected", {
  timeout: 600_000,
}, async () => {
  const rows = await connection.all(
    "SELECT DISTINCT function_name, array_to_string(parameter_types, ' ') FROM duckdb_functions() " +
      "WHERE function_type = 'scalar' AND len(parameter_types) > 0 ORDER BY ALL",
  );
  const leaks: string[] = [];
  const found = new Set<string>();
  const printed = rows.filter(([name]) => allowedFunctions.has(String(name)) && !String(name).startsWith("lw_"));
  const tried = sampleOf(
    printed.filter(([name]) => !failing.includes(String(name))),
    0,
  );
  for (const [name, parameters] of [...printed.filter(([name]) => failing.includes(String(name))), ...tried]) {
    const types = String(parameters).split(" ");
    for (const position of types.keys()) {
      if (checkedBefore.has(`${name} ${position}`)) continue;
      const call: Call = { name: String(name), types, position };
      for (const other of others) {
        const pair = await findTexts(call, other);
        if (pair === undefined) continue;
        found.add(call.name);
        const text = `replace(replace(s, 'own', ${quote(pair.good)}), 'SECRET', ${quote(pair.bad)})`;
        const printed = printCall(call, text, other);
        const message = await fails(`SELECT count(x) FROM (SELECT ${printed} AS x FROM t WHERE project = 'inside')`);
        if (message !== undefined) leaks.push(`${printed}: ${message.slice(0, 200)}`);
        break;
      }
    }
  }
  expect(leaks).toEqual([]);
  expect([...found]).toEqual(expect.arrayContaining(failing));
});
