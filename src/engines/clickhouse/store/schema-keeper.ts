/** The sources' schemas and tenants on the server, and the tables that follow from them. */

import { groupTenants, type TenantEntries, tenantColumnOf } from "../../schema/source/source-schema.ts";
import { BATCH_COLUMN } from "../blocks/native-rows.ts";
import type { ServerClient, ServerSettings } from "../driver/client.ts";
import { fixedColumns } from "../layout.ts";
import { type DecidedSource, type Decision, decide, type Outcome } from "./decisions.ts";
import {
  addColumns,
  columnsOf,
  createSourceTable,
  SCHEMA_TABLE,
  type TablePlace,
  TENANTS_TABLE,
  tableName,
} from "./statements.ts";

/** One after the other, and seen by every replica: the order of decisions is that of their blocks. */
const IN_ORDER: ServerSettings = {
  insert_quorum: "auto",
  insert_quorum_parallel: "0",
  select_sequential_consistency: "1",
};

/** Reads everything that a source's tables have been made with. */
const APPLIED_COLUMNS =
  "SELECT table, groupArray(name) FROM system.columns WHERE database = {database:String} GROUP BY table";

export interface NewDecision {
  readonly source: string;
  readonly decision: Decision;
}

export class SchemaKeeper {
  readonly #client: ServerClient;
  readonly #place: TablePlace;
  readonly #settings: ServerSettings;
  /** The columns that tables are known to have. */
  readonly #columns = new Map<string, Set<string>>();
  readonly #dropped = new Set<string>();

  constructor(client: ServerClient, place: TablePlace) {
    this.#client = client;
    this.#place = place;
    this.#settings = place.cluster === undefined ? {} : IN_ORDER;
  }

  /** Reads which columns exist: a node that needs a column which was decided but not created creates it. */
  async open(): Promise<void> {
    const rows = await this.#client.rows(APPLIED_COLUMNS, { database: this.#place.database });
    for (const [table, names] of rows) this.#columns.set(String(table), new Set(names as readonly string[]));
  }

  /** Numbers that change whenever anything here does. */
  async version(): Promise<string> {
    const counts = [SCHEMA_TABLE, TENANTS_TABLE].map((table) => `(SELECT count() FROM ${this.#name(table)})`);
    return JSON.stringify(await this.#client.rows(`SELECT ${counts.join(", ")}`, {}, this.#settings));
  }

  /** All sources, or those of one name. */
  async read(source?: string): Promise<Outcome> {
    const where = source === undefined ? "" : "WHERE source = {source:String} ";
    const rows = await this.#client.rows(
      `SELECT source, id, decision FROM ${this.#name(SCHEMA_TABLE)} ${where}ORDER BY _block_number, _block_offset`,
      source === undefined ? {} : { source },
      this.#settings,
    );
    return decide(
      rows.map(([name, id, text]) => ({
        source: String(name),
        id: String(id),
        decision: JSON.parse(String(text)) as Decision,
      })),
    );
  }

  /** Writes decisions down, and answers what holds then and whether each came through. */
  async propose(
    decisions: readonly NewDecision[],
  ): Promise<{ readonly outcome: Outcome; readonly taken: readonly boolean[] }> {
    const ids = decisions.map(() => crypto.randomUUID());
    const lines = decisions.map(({ source, decision }, index) =>
      JSON.stringify([source, ids[index], JSON.stringify(decision)]),
    );
    await this.#insert(SCHEMA_TABLE, ["source", "id", "decision"], lines, ids.join());
    const [first, ...others] = decisions;
    const outcome = await this.read(others.length === 0 ? first?.source : undefined);
    return { outcome, taken: ids.map((id) => outcome.taken.has(id)) };
  }

  /** Makes the source's table, or the columns that it lacks. It may be done by several nodes at once. */
  async apply(source: DecidedSource): Promise<void> {
    const { table, entries } = source;
    const known = this.#columns.get(table);
    const tenantColumn = tenantColumnOf(source);
    const columns = columnsOf(entries, tenantColumn);
    const missing = known === undefined ? columns : columns.filter(({ name }) => !known.has(name));
    if (known !== undefined && missing.length === 0) return;
    const statements =
      known === undefined
        ? createSourceTable(this.#place, table, entries, tenantColumn)
        : addColumns(this.#place, table, missing);
    for (const statement of statements) await this.#client.command(statement);
    this.#columns.set(table, new Set([...(known ?? []), ...columns.map(({ name }) => name)]));
  }

  /** Columns of a table that no decision mentions: there are none unless decisions were lost or reordered. */
  strayColumns({ table, entries }: Pick<DecidedSource, "table" | "entries">): readonly string[] {
    const known = new Set([...fixedColumns, ...columnsOf(entries, undefined)].map(({ name }) => name));
    return [...(this.#columns.get(table) ?? [])].filter((name) => name !== BATCH_COLUMN && !known.has(name));
  }

  /** Notes that this node drops the table: decisions that were read before still report it. */
  noteDropped(table: string): void {
    this.#dropped.add(table);
    this.#columns.delete(table);
  }

  /** Has this node dropped the table? No other one ever has its name. */
  isDropped(table: string): boolean {
    return this.#dropped.has(table);
  }

  /** Stores the new fields of tenants. */
  async noteTenants(table: string, tenants: readonly TenantEntries[]): Promise<void> {
    if (tenants.length === 0) return;
    const lines = tenants.map(([tenant, entries]) => JSON.stringify([table, tenant, entries]));
    await this.#insert(TENANTS_TABLE, ["`table`", "tenant", "entries"], lines, crypto.randomUUID());
  }

  /** By table. */
  async readTenants(): Promise<ReadonlyMap<string, readonly TenantEntries[]>> {
    const rows = await this.#client.rows(
      `SELECT \`table\`, tenant, arrayStringConcat(groupArray(entries), ',') FROM ${this.#name(TENANTS_TABLE)} ` +
        "GROUP BY `table`, tenant ORDER BY `table`, tenant",
      {},
      this.#settings,
    );
    return groupTenants(rows);
  }

  /** Once, however often the answer is lost: the server knows the token again. */
  #insert(table: string, columns: readonly string[], lines: readonly string[], token: string): Promise<void> {
    return this.#client.insert({
      ...{ table: this.#name(table), columns, format: "JSONCompactEachRow", body: [Buffer.from(lines.join("\n"))] },
      settings: { ...this.#settings, insert_deduplication_token: token },
      signal: new AbortController().signal,
    });
  }

  #name(table: string): string {
    return tableName(this.#place, table);
  }
}
