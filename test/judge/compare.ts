/** Asks the engine and the judge the same, and tells where they differ. */

import { compileQuery } from "../../src/engines/duckdb/compile/compile.ts";
import { type Connection, openDatabase } from "../../src/engines/duckdb/driver/connection.ts";
import { physicalType, toDriverValue } from "../../src/engines/duckdb/driver/parameters.ts";
import { createRowEncoder } from "../../src/engines/duckdb/driver/rows.ts";
import { GoogleSqlError } from "../../src/googlesql/diagnostic.ts";
import { parseQuery } from "../../src/googlesql/parse.ts";
import type { ResolvedQuery } from "../../src/googlesql/resolved.ts";
import { resolveQuery } from "../../src/googlesql/resolver/resolve.ts";
import { resolveSandboxed } from "../../src/googlesql/resolver/sandbox.ts";
import { defaultDetectors } from "../../src/redaction/detector.ts";
import { bindCall } from "../support/engines/duckdb/compile/bind-call.ts";
import { judge, type TestData } from "./evaluate.ts";
import { layouts, parameterTypes, parameterValues, statementsOf } from "./test-data.ts";
import { Failure, TooMuch } from "./values.ts";

/**
 * The forms in which a query is asked: over the tables; over a saved query's, which are behind the sandbox; over these
 * with personal data redacted.
 */
export const layers = ["none", "sandbox", "redaction"] as const;
export type Layer = (typeof layers)[number];

/** Each table under its own name; that of the second source has the first one's rows too. */
const saved = `
  WITH t AS (SELECT * FROM t), u AS (SELECT * FROM u WHERE id > 0), e1 AS (SELECT * FROM e1),
    e2 AS (SELECT id, ts, m FROM e2 UNION ALL SELECT id + 100, ts, m FROM e1)
  SELECT 1`;

function resolve(text: string, layer: Layer): ResolvedQuery {
  const query = parseQuery(text);
  if (layer === "none") return resolveQuery(query, text, { tables, parameters: parameterTypes });
  return resolveSandboxed(
    { query: parseQuery(saved), text: saved },
    { query, text },
    {
      tables,
      parameters: parameterTypes,
      ...(layer === "redaction" ? { redaction: defaultDetectors.join(",") } : {}),
    },
  );
}

/**
 * The outcome of a query: `refused` by the engine with its reason; `skipped`: it fails or is too large for the judge.
 */
export type Verdict =
  | { readonly kind: "equal" | "skipped" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "different"; readonly expected: unknown; readonly found: unknown };

/** The engine's side: its own tables, asked for one query after the other. */
export interface Asked {
  /** Puts the tables of a data in the place of those before. */
  fill(data: TestData): Promise<void>;
  /** The rows of a query over them, as "cells". */
  rows(text: string, query: ResolvedQuery): Promise<readonly unknown[]>;
  close(): void;
}

function findLayout(name: string) {
  return layouts.find(({ definition }) => definition.name === name.toLowerCase());
}

const tables = {
  findTable: (name: string) => findLayout(name)?.definition,
  tableNames: () => layouts.map(({ definition }) => definition.name),
};

async function ask(connection: Connection, text: string, query: ResolvedQuery): Promise<readonly unknown[]> {
  const compiled = compileQuery(query, (table) => findLayout(table.name), { text });
  const values = compiled.parameters.map(({ key }) => parameterValues[key] ?? null);
  const { sql, parameters } = await bindCall((asked, given) => connection.all(asked, given), compiled, values);
  const bound = parameters.map(({ type, value }) => {
    return { value: toDriverValue(type, value), type: physicalType(type) };
  });
  const reader = await connection.stream(sql, bound);
  const encode = createRowEncoder(compiled.columns, "cells");
  const batches: string[] = [];
  for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
    batches.push(encode(chunk, 0, chunk.rowCount));
  }
  return JSON.parse(`[${batches.join(",")}]`) as unknown[];
}

export async function openAsked(): Promise<Asked> {
  const database = await openDatabase({ threads: 1, memoryLimitBytes: 512 * 1024 ** 2 });
  const connection = await database.connect();
  return {
    async fill(data) {
      for (const statement of statementsOf(data)) await connection.all(statement);
    },
    rows: (text, query) => ask(connection, text, query),
    close() {
      connection.close();
      database.close();
    },
  };
}

/** The rows with those of one place sorted among themselves. */
function settle(rows: readonly unknown[], places: readonly string[]): readonly string[] {
  const texts = rows.map((row) => JSON.stringify(row));
  const settled: string[] = [];
  for (let start = 0; start < texts.length; ) {
    let end = start + 1;
    while (end < texts.length && places[end] === places[start]) end++;
    settled.push(...texts.slice(start, end).sort());
    start = end;
  }
  return settled;
}

/** The verdict on a query over the data that the engine was filled with. */
export async function compare(asked: Asked, data: TestData, text: string, layer: Layer): Promise<Verdict> {
  try {
    const query = resolve(text, layer);
    const answer = asked.rows(text, query).then(
      (rows) => ({ rows }),
      (error: unknown) => ({ error }),
    );
    const expected = await Promise.resolve()
      .then(() => judge(query, data))
      .finally(() => answer);
    const found = await answer;
    if ("error" in found) {
      // Also of a sub-query that no row which is left asks for: GoogleSQL does not say when it is computed.
      if (String(found.error).includes("More than one row returned by a subquery")) return { kind: "skipped" };
      throw found.error;
    }
    const [right, answered] = [settle(expected.rows, expected.places), settle(found.rows, expected.places)];
    const isEqual = right.length === answered.length && right.every((row, index) => row === answered[index]);
    return isEqual ? { kind: "equal" } : { kind: "different", expected: right, found: answered };
  } catch (error) {
    if (error instanceof GoogleSqlError) return { kind: "refused", reason: error.message };
    if (error instanceof Failure || error instanceof TooMuch) return { kind: "skipped" };
    return { kind: "different", expected: "an answer", found: String(error) };
  }
}
