import type { TableDefinition } from "../../googlesql/relation.ts";
import type { OutputColumn } from "../contract/query-engine.ts";
import type { ScratchEngine } from "../contract/scratch-engine.ts";
import { compileQuery } from "./compile/compile.ts";
import { openDatabase } from "./driver/connection.ts";
import { toEngineError } from "./driver/driver-error.ts";
import { physicalType, toDriverValue } from "./driver/parameters.ts";
import { QueryRunner } from "./host/query/query-runner.ts";
import { createStatementCheck } from "./host/query/statement-check.ts";
import { statementRules } from "./host/query/statement-rules.ts";
import type { TableLayout } from "./layout.ts";
import { bindValues } from "./run-query.ts";
import { quoteIdentifier } from "./sql-text.ts";

const MEMORY_LIMIT_BYTES = 1024 ** 3;
const MAX_ROWS = 1_000_000;
const MAX_RESULT_BYTES = 256 * 1024 * 1024;

/** A plain table: each column is a leaf. Physical names are made here, so that logical ones may be any text. */
function plainLayout(name: string, table: string, columns: readonly OutputColumn[]): TableLayout {
  const definition: TableDefinition = { name, columns };
  const leaves = columns.map(({ name: column, type }, index) => {
    return [column, { type, variants: [{ column: physicalColumn(index), type }] }] as const;
  });
  return { definition, table, recordColumns: new Map(), leaves: new Map(leaves), presence: new Map() };
}

function physicalColumn(index: number): string {
  return `column_${index + 1}`;
}

/** DuckDB in memory and in this process. */
export async function openScratchEngine(): Promise<ScratchEngine> {
  // One thread: rows that no ORDER BY sorts come, and are aggregated, in the order in which they are written.
  const database = await openDatabase({ threads: 1, memoryLimitBytes: MEMORY_LIMIT_BYTES });
  const connection = await database.connect();
  const layouts = new Map<string, TableLayout>();
  const isKnown = (table: string) => [...layouts.values()].some((layout) => layout.table === table);
  const check = createStatementCheck(connection, statementRules(isKnown));
  const runner = new QueryRunner(database, check, () => undefined, { maxQueries: 1 });
  let tableCount = 0;

  function findTable(name: string): TableDefinition | undefined {
    const exact = layouts.get(name);
    if (exact !== undefined) return exact.definition;
    const wanted = name.toLowerCase();
    return [...layouts.values()].find((layout) => layout.definition.name.toLowerCase() === wanted)?.definition;
  }

  return {
    tables: { findTable, tableNames: () => [...layouts.keys()] },
    compile: (query, options) => compileQuery(query, (table) => layouts.get(table.name), options),
    async createTable(name, query) {
      const table = `scratch_${++tableCount}`;
      const columns = query.columns.map((_, index) => physicalColumn(index)).join(", ");
      try {
        await check(query.sql);
        await connection.all(
          `CREATE TABLE ${quoteIdentifier(table)} AS SELECT * FROM (${query.sql}) AS q(${columns})`,
          bindValues(query, []).map(({ type, value }) => ({
            value: toDriverValue(type, value),
            type: physicalType(type),
          })),
        );
      } catch (error) {
        throw toEngineError(error);
      }
      layouts.set(name, plainLayout(name, table, query.columns));
    },
    async run(query, values, timeoutMs) {
      const batches: string[] = [];
      const request = {
        sql: query.sql,
        columns: query.columns,
        parameters: bindValues(query, values),
        encoding: "cells" as const,
        limits: { timeoutMs, maxRows: MAX_ROWS, maxResultBytes: MAX_RESULT_BYTES },
      };
      for await (const batch of runner.run(request, new AbortController().signal)) {
        if (batch.rowCount > 0) batches.push(batch.json);
      }
      return `[${batches.join(",")}]`;
    },
    async clear() {
      for (const { table } of layouts.values()) await connection.all(`DROP TABLE ${quoteIdentifier(table)}`);
      layouts.clear();
    },
    async close() {
      await runner.close();
      connection.close();
      database.close();
    },
  };
}
