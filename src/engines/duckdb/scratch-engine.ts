import type { TableCatalog, TableDefinition } from "../../googlesql/relation.ts";
import type { CompiledQuery, OutputColumn } from "../contract/query-engine.ts";
import { runScratch, type ScratchEngine, scratchCatalog } from "../contract/scratch-engine.ts";
import type { TableLayout } from "../schema/layout.ts";
import { bindQuery, perRowCall } from "./bind-query.ts";
import { compileQuery } from "./compile/compile.ts";
import { type Connection, type Database, openDatabase } from "./driver/connection.ts";
import { toEngineError } from "./driver/driver-error.ts";
import { physicalType, toDriverValue } from "./driver/parameters.ts";
import { QueryRunner } from "./host/query/query-runner.ts";
import { type CheckStatement, createStatementCheck, statementRules } from "./host/query/statement-check.ts";
import { runQuery } from "./run-query.ts";
import { quoteIdentifier } from "./sql-text.ts";

const MEMORY_LIMIT_BYTES = 1024 ** 3;

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
  return new DuckDbScratch(database, await database.connect());
}

class DuckDbScratch implements ScratchEngine {
  readonly #database: Database;
  readonly #connection: Connection;
  readonly #layouts = new Map<string, TableLayout>();
  readonly tables: TableCatalog = scratchCatalog(this.#layouts);
  readonly #check: CheckStatement;
  readonly #runner: QueryRunner;
  #tableCount = 0;

  constructor(database: Database, connection: Connection) {
    const isKnown = (table: string) => [...this.#layouts.values()].some((layout) => layout.table === table);
    this.#database = database;
    this.#connection = connection;
    this.#check = createStatementCheck(connection, statementRules(isKnown));
    this.#runner = new QueryRunner(database, this.#check, () => undefined, { maxQueries: 1 });
  }

  compile(...[query, options]: Parameters<ScratchEngine["compile"]>): CompiledQuery {
    return compileQuery(query, (table) => this.#layouts.get(table.name), options);
  }

  async createTable(name: string, query: CompiledQuery): Promise<void> {
    const table = `scratch_${++this.#tableCount}`;
    const columns = query.columns.map((_, index) => physicalColumn(index)).join(", ");
    const asked = perRowCall({ query, values: [] });
    const { sql, parameters } = bindQuery(asked.query, asked.values);
    const values = parameters.map(({ type, value }) => {
      return { value: toDriverValue(type, value), type: physicalType(type) };
    });
    try {
      await this.#check(sql);
      const create = `CREATE TABLE ${quoteIdentifier(table)} AS SELECT * FROM (${sql}) AS q(${columns})`;
      await this.#connection.all(create, values);
    } catch (error) {
      throw toEngineError(error);
    }
    this.#layouts.set(name, plainLayout(name, table, query.columns));
  }

  run(...call: Parameters<ScratchEngine["run"]>): Promise<string> {
    return runScratch(call, (request) => runQuery(this.#runner, request));
  }

  async clear(): Promise<void> {
    for (const { table } of this.#layouts.values()) {
      await this.#connection.all(`DROP TABLE ${quoteIdentifier(table)}`);
    }
    this.#layouts.clear();
  }

  async close(): Promise<void> {
    await this.#runner.close();
    this.#connection.close();
    this.#database.close();
  }
}
