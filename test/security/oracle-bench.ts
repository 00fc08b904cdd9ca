/**
 * A sandboxed query over one project's rows, run on a table that also contains other projects' rows and on one that
 * does not.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bindQuery } from "../../src/engines/duckdb/bind-query.ts";
import { compileQuery } from "../../src/engines/duckdb/compile/compile.ts";
import {
  type BoundValue,
  type Connection,
  type Database,
  openDatabase,
} from "../../src/engines/duckdb/driver/connection.ts";
import { physicalType, toDriverValue } from "../../src/engines/duckdb/driver/parameters.ts";
import type { TableLayout } from "../../src/engines/schema/layout.ts";
import { parseQuery } from "../../src/googlesql/parse.ts";
import { resolveSandboxed } from "../../src/googlesql/resolve.ts";
import { INT64, type SqlType, STRING } from "../../src/googlesql/types.ts";

/** The number of distinct texts of each project in the columns. Undefined: all are distinct. */
export const cardinalities = [1, 7, 40, 2000, undefined] as const;

export function textColumn(cardinality: number | undefined): string {
  return `t${cardinality ?? "all"}`;
}

/** The endpoint's tables: each excludes the other projects' rows in a different way. */
export const oracleTables = ["logs", "lowered", "coalesced", "regexed", "joined"] as const;

const saved = `WITH
  logs AS (SELECT * FROM events WHERE project = @project),
  lowered AS (SELECT * FROM events WHERE LOWER(project) = @project),
  coalesced AS (SELECT * FROM events WHERE COALESCE(project, 'none') = @project),
  regexed AS (SELECT * FROM events WHERE REGEXP_CONTAINS(project, CONCAT('^', @project, '$'))),
  joined AS (SELECT e.* FROM events AS e JOIN (SELECT @project AS p) AS d ON d.p = e.project)
  SELECT 1`;

const columns: readonly { readonly name: string; readonly type: SqlType }[] = [
  { name: "id", type: INT64 },
  { name: "project", type: STRING },
  ...cardinalities.map((cardinality) => ({ name: textColumn(cardinality), type: STRING })),
];

const layout: TableLayout = {
  definition: { name: "events", columns },
  table: "events_all",
  recordColumns: new Map(),
  leaves: new Map(columns.map(({ name, type }) => [name, { type, variants: [{ column: name, type }] }])),
  presence: new Map(),
};

/** The result of a query: its rows, or its error. */
export interface Outcome {
  readonly isError: boolean;
  readonly text: string;
}

export interface OracleBench {
  /** The answers of the caller's project with and without rows of other projects beside it. Throws `GoogleSqlError`. */
  ask(rowCount: number, text: string): Promise<{ readonly among: Outcome; readonly alone: Outcome }>;
  /**
   * The answers for a table of one row of the caller's project, and for one of another project's. Throws
   * `GoogleSqlError`.
   */
  probe(text: string): Promise<{ readonly own: Outcome; readonly other: Outcome }>;
  close(): Promise<void>;
}

/**
 * The share of the caller's rows: few, so that a query is quick; or most, without which DuckDB does not use
 * dictionaries of more than 2,048 values.
 */
const fewOwn = "i % 10 = 0";
const mostOwn = "i % 5 < 3";

function rowsSql(isOwn: string, from: number, to: number): string {
  const texts = cardinalities.map((cardinality) => {
    const number = cardinality === undefined ? "i" : `(i // 3) % ${cardinality}`;
    return `CASE WHEN ${isOwn} THEN 'own' ELSE 'SECRET' END || ${number} AS ${textColumn(cardinality)}`;
  });
  const project = `CASE WHEN ${isOwn} THEN 'inside' ELSE 'outside' || i % 3 END AS project`;
  return `SELECT i AS id, ${project}, ${texts.join(", ")} FROM range(${from}, ${to}) r(i)`;
}

async function makeTables(connection: Connection, rowCount: number): Promise<void> {
  const isOwn = rowCount < 10_000 ? fewOwn : mostOwn;
  await connection.all(`CREATE TABLE among_${rowCount} AS ${rowsSql(isOwn, 0, rowCount)}`);
  await connection.all(`CREATE TABLE alone_${rowCount} AS SELECT * FROM among_${rowCount} WHERE project = 'inside'`);
}

function compile(text: string) {
  const tables = {
    findTable: (name: string) => (name.toLowerCase() === "events" ? layout.definition : undefined),
    tableNames: () => ["events"],
  };
  const query = resolveSandboxed(
    { query: parseQuery(saved), text: saved },
    { query: parseQuery(text), text },
    { tables, parameters: new Map([["project", STRING]]) },
  );
  // All that guards a failure stands in the statement.
  return compileQuery(query, () => layout, { text, bindsConstants: false });
}

type Compiled = ReturnType<typeof compile>;

function sqlOver(compiled: Compiled, table: string): string {
  return compiled.sql.replaceAll('"events_all"', `"${table}"`);
}

function boundValues(compiled: Compiled): readonly BoundValue[] {
  const given = compiled.parameters.map(() => "inside");
  return bindQuery(compiled, given).parameters.map(({ type, value }) => {
    return { value: toDriverValue(type, value), type: physicalType(type) };
  });
}

async function outcomeOf(rows: Promise<unknown>): Promise<Outcome> {
  try {
    return { isError: false, text: stringify(await rows) };
  } catch (error) {
    return { isError: true, text: error instanceof Error ? error.message : String(error) };
  }
}

function stringify(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? `${each}n` : each)) ?? "undefined";
}

/** Opens it with tables of these many rows; checkpointed, so that segments are compressed. */
export async function openOracleBench(rowCounts: readonly number[]): Promise<OracleBench> {
  const folder = await mkdtemp(join(tmpdir(), "logweir-oracle-"));
  const database: Database = await openDatabase({
    path: join(folder, "t.db"),
    threads: 1,
    memoryLimitBytes: 1024 ** 3,
  });
  const connection = await database.connect();
  for (const rowCount of rowCounts) await makeTables(connection, rowCount);
  await connection.all(`CREATE TABLE own AS ${rowsSql(fewOwn, 0, 1)}`);
  await connection.all(`CREATE TABLE other AS SELECT * REPLACE ('inside' AS project) FROM (${rowsSql(fewOwn, 1, 2)})`);
  await connection.all("CHECKPOINT");

  const second = await database.connect();

  /** As calls are run: with parameters, for which DuckDB plans the statement twice. */
  const run = async (on: Connection, compiled: Compiled, table: string): Promise<Outcome> =>
    outcomeOf(on.all(sqlOver(compiled, table), boundValues(compiled)));
  /** The same answer at half the cost, where nothing stands beside that it could tell of. */
  const runPlain = async (on: Connection, compiled: Compiled, table: string): Promise<Outcome> => {
    if (boundValues(compiled).length > 1) return run(on, compiled, table);
    return outcomeOf(on.all(sqlOver(compiled, table).replaceAll("$1", "'inside'")));
  };

  return {
    async ask(rowCount, text) {
      const compiled = compile(text);
      const both = [
        run(connection, compiled, `among_${rowCount}`),
        runPlain(second, compiled, `alone_${rowCount}`),
      ] as const;
      const [among, alone] = await Promise.all(both);
      return { among, alone };
    },
    async probe(text) {
      const compiled = compile(text);
      const both = [run(connection, compiled, "own"), run(second, compiled, "other")] as const;
      const [own, other] = await Promise.all(both);
      return { own, other };
    },
    async close() {
      second.close();
      connection.close();
      database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
