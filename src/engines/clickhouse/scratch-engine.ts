/** Tables that queries make, on a ClickHouse server: for the `sql` command and for conformance runs. */

import { randomUUID } from "node:crypto";
import type { TableCatalog, TableDefinition } from "../../googlesql/relation.ts";
import type { SqlType } from "../../googlesql/types.ts";
import { type CompiledQuery, type Engine, EngineError } from "../contract/query-engine.ts";
import { runScratch, type ScratchEngine, scratchCatalog } from "../contract/scratch-engine.ts";
import { physicalType } from "./compile/expression/literals.ts";
import type { ServerTable } from "./compile/scan/server-table.ts";
import { cheapBinding } from "./compile/scope.ts";
import { compileQuery, planOf } from "./compile-query.ts";
import { openServerClient, type ServerClient, type ServerOptions } from "./driver/client.ts";
import { quoteName } from "./driver/quote.ts";
import { runQuery } from "./run-query.ts";
import { columnOf } from "./sql/atoms.ts";
import { type Sql, sql } from "./sql/sql.ts";

interface ScratchTable {
  readonly definition: TableDefinition;
  readonly server: ServerTable;
}

const columnName = (index: number) => `column_${index + 1}`;

/** Bytes lie in it as Base64, as statements answer them. */
function readColumn(alias: string, index: number, type: SqlType): Sql {
  const column = columnOf(alias, columnName(index));
  return type.kind === "BYTES" ? sql`base64Decode(${column})` : column;
}

/** `residual` runs what the server cannot, and is closed with the engine. */
export function openClickHouseScratch(options: ServerOptions, residual: Engine): ScratchEngine {
  return new ClickHouseScratch(openServerClient(options), residual);
}

class ClickHouseScratch implements ScratchEngine {
  readonly #client: ServerClient;
  readonly #residual: Engine;
  readonly #made = new Map<string, ScratchTable>();
  readonly tables: TableCatalog = scratchCatalog(this.#made);
  /** The tables of one run are separate from another's. */
  readonly #prefix = `scratch_${randomUUID().replaceAll("-", "")}`;
  #tableCount = 0;

  constructor(client: ServerClient, residual: Engine) {
    this.#client = client;
    this.#residual = residual;
  }

  compile(...[query, options]: Parameters<ScratchEngine["compile"]>): CompiledQuery {
    const tables = (table: TableDefinition) => this.#made.get(table.name)?.server;
    return compileQuery(query, { tables, residual: this.#residual, pushesConstants: true }, options);
  }

  async createTable(name: string, query: CompiledQuery): Promise<void> {
    const plan = planOf(query);
    if (plan.kind !== "whole") {
      throw new EngineError("query_failed", `The rows of ${name} cannot be computed by ClickHouse alone`);
    }
    const table = `${this.#prefix}_${++this.#tableCount}`;
    const columns = query.columns.map(({ type }, index) => `${columnName(index)} ${physicalType(type)}`);
    await this.#client.command(`CREATE TABLE ${quoteName(table)} (${columns.join(", ")}) ENGINE = Memory`);
    await this.#client.command(`INSERT INTO ${quoteName(table)} ${plan.statement.sql}`);
    const definition: TableDefinition = { name, columns: query.columns };
    const server: ServerTable = {
      name: table,
      column: (alias, source, type) => {
        const index = query.columns.findIndex((column) => column.name === source);
        return index === -1 ? undefined : cheapBinding(readColumn(alias, index, type));
      },
    };
    this.#made.set(name, { definition, server });
  }

  run(...call: Parameters<ScratchEngine["run"]>): Promise<string> {
    return runScratch(call, (request) => runQuery({ client: this.#client, residual: this.#residual }, request));
  }

  async clear(): Promise<void> {
    for (const { server } of this.#made.values()) await this.#client.command(`DROP TABLE ${quoteName(server.name)}`);
    this.#made.clear();
  }

  async close(): Promise<void> {
    await this.clear();
    await this.#client.close();
    await this.#residual.close();
  }
}
