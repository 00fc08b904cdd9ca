/** The source of `odd-layout.ts` in a database, and queries over it and over views that redact it. */

import type { CompiledQuery } from "../../../../../src/engines/contract/query-engine.ts";
import { compileQuery } from "../../../../../src/engines/duckdb/compile/compile.ts";
import { parseQuery } from "../../../../../src/googlesql/parse.ts";
import { resolveQuery } from "../../../../../src/googlesql/resolver/resolve.ts";
import { openMemoryDatabase } from "../driver/memory-database.ts";
import { bindCall } from "./bind-call.ts";
import { makeOddTable, type OddRow, oddLayouts } from "./odd-layout.ts";

/** The columns of the source that readers see. */
const shown =
  "SELECT *, [STRUCT(event_message AS text, 1 AS n)] AS list, IF(id = 'p', STRUCT(event_message, STRUCT(), [1]), NULL) AS pair, " +
  "STRUCT() AS nothing, TO_JSON(event_message) AS json FROM odd";

const views: Readonly<Record<string, string>> = {
  shown,
  shown_query: "SELECT (SELECT MAX(id) FROM odd) AS last FROM odd",
};

/** Compiles a query over the source, its other layouts and the views. */
export function compileOdd(text: string): CompiledQuery {
  const find = (name: string) => oddLayouts.find(({ definition }) => definition.name === name);
  const findView = (name: string) => {
    const view = views[name];
    if (view === undefined) return undefined;
    return { key: name, name, text: view, query: parseQuery(view), parameters: new Map(), redaction: "email" };
  };
  const tables = {
    findTable: (name: string) => find(name)?.definition,
    findView,
    tableNames: () => ["odd", "open"],
  };
  const query = resolveQuery(parseQuery(text), text, { tables, parameters: new Map() });
  return compileQuery(query, (table) => find(table.name), { text });
}

interface OddDatabase {
  /** The rows of a query, as cells. */
  rows(text: string): Promise<readonly unknown[]>;
  close(): void;
}

/** A database with a row for each value, and with these. */
export async function openOddDatabase(rows: Readonly<Record<string, OddRow>>): Promise<OddDatabase> {
  const database = await openMemoryDatabase();
  for (const statement of makeOddTable(rows)) await database.query(statement);
  return {
    async rows(text) {
      const compiled = compileOdd(text);
      const { sql, parameters } = await bindCall(database.all, compiled, []);
      return database.encode(sql, compiled.columns, "cells", parameters);
    },
    close: () => database.close(),
  };
}
