/**
 * Which ids a source's table holds, and that it holds each once: of two blocks with the same id, which only nodes that
 * work at the same moment can send, the one that the server took first stays.
 */
import { BATCH_COLUMN } from "../blocks/native-rows.ts";
import type { ServerClient } from "../driver/client.ts";
import { quoteName, quoteText } from "../driver/quote.ts";
import { deleteRows, rewrite, type TablePlace, tableName } from "./statements.ts";

export interface AppendTable {
  readonly place: TablePlace;
  readonly table: string;
  /** Undefined for a source without tenants. */
  readonly tenantColumn: string | undefined;
}

/** Tells ids of different tenants apart. */
export function idKey(tenant: string | null, id: string): string {
  return tenant === null ? `:${id}` : `${tenant.length}:${tenant}${id}`;
}

type FoundIds = readonly (readonly unknown[])[];

function keysOf(rows: FoundIds): Set<string> {
  return new Set(rows.map(([id, tenant]) => idKey(tenant === null ? null : String(tenant), String(id))));
}

function twiceOf(rows: FoundIds): readonly string[] {
  return rows.filter(([, , count]) => Number(count) > 1).map(([id]) => String(id));
}

export class StoredIds {
  readonly #client: ServerClient;
  readonly #table: AppendTable;

  constructor(client: ServerClient, table: AppendTable) {
    this.#client = client;
    this.#table = table;
  }

  /** Keys of those of the ids that the table holds. What a node left there twice, because it ended, is put right. */
  async find(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.#client.rows(
      `SELECT id, ${this.#tenant()} AS tenant, count() FROM ${this.#name()} WHERE id IN {ids:Array(String)} ` +
        "GROUP BY id, tenant",
      { ids },
    );
    await this.#keepFirst(twiceOf(rows), 0n);
    return keysOf(rows);
  }

  /**
   * Removes what another node stored at the same moment too. Answers the keys that are no longer of this block, and, of
   * the ids of appends that follow, the keys of those that the table holds.
   */
  async settle(
    ids: readonly string[],
    batch: bigint,
    next: readonly string[],
  ): Promise<{ readonly lost: ReadonlySet<string>; readonly known: ReadonlySet<string> }> {
    const rows = await this.#client.rows(
      `SELECT id, ${this.#tenant()} AS tenant, count() FROM ${this.#name()} ` +
        "WHERE id IN {ids:Array(String)} OR id IN {next:Array(String)} " +
        "GROUP BY id, tenant HAVING count() > 1 OR id IN {next:Array(String)}",
      { ids, next },
    );
    const lost = await this.#keepFirst(twiceOf(rows), batch);
    return { lost, known: keysOf(rows) };
  }

  /** Of rows with the same id the one that the server took first stays. Answers the keys that the block loses. */
  async #keepFirst(ids: readonly string[], batch: bigint): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.#client.rows(
      `SELECT id, ${this.#tenant()}, toString(${BATCH_COLUMN}) FROM ${this.#name()} ` +
        `WHERE id IN {ids:Array(String)} ORDER BY _block_number, ${BATCH_COLUMN}`,
      { ids },
      // A projection's parts do not know the numbers of the rows' blocks.
      { optimize_use_projections: "0" },
    );
    const first = new Set<string>();
    const lost = new Set<string>();
    const gone: string[] = [];
    for (const [id, tenant, block] of rows) {
      const owner = tenant === null ? null : String(tenant);
      const key = idKey(owner, String(id));
      if (first.has(key)) {
        if (String(block) === String(batch)) lost.add(key);
        gone.push(`(${String(block)}, ${quoteText(String(id))}, ${owner === null ? "[]" : `[${quoteText(owner)}]`})`);
      }
      first.add(key);
    }
    if (gone.length > 0) {
      const key = `(${BATCH_COLUMN}, id, if(isNull(${this.#tenant()}), [], [assumeNotNull(${this.#tenant()})]))`;
      const condition = `${key} IN (${gone.join(", ")})`;
      await rewrite(this.#client, deleteRows(this.#table.place, this.#table.table, condition));
    }
    return lost;
  }

  /** In a source without tenants no row has one; the server does not group by a constant. */
  #tenant(): string {
    return this.#table.tenantColumn === undefined
      ? "CAST(NULL, 'Nullable(String)')"
      : quoteName(this.#table.tenantColumn);
  }

  #name(): string {
    return tableName(this.#table.place, this.#table.table);
  }
}
