/**
 * Which ids a source's table holds, and that it holds each once: of two blocks with the same id, which only nodes that
 * work at the same moment can send, the one that the server took first stays.
 */
import { BATCH_COLUMN } from "../blocks/native-rows.ts";
import type { ServerClient } from "../driver/client.ts";
import { askInPieces, LIMIT_DEFAULTS, piecesOf } from "../driver/limits.ts";
import { quoteName } from "../driver/quote.ts";
import { deleteSurplus, rewrite, type SurplusRow, type TablePlace, tableName } from "./statements.ts";

/** How often the parts that hold some ids are looked up before all parts are read. */
const MAX_PART_LOOKUPS = 3;

const WITHOUT_PROJECTIONS = { optimize_use_projections: "0" };

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
    const rows = await this.#look(ids);
    await this.#keepFirst(twiceOf(rows), 0n);
    return keysOf(rows);
  }

  #look(ids: readonly string[]): Promise<FoundIds> {
    const sql =
      `SELECT id, ${this.#tenant()} AS tenant, count() FROM ${this.#name()} WHERE id IN {ids:Array(String)} ` +
      "GROUP BY id, tenant";
    return askInPieces(this.#client, ids, (piece) => this.#client.rows(sql, { ids: piece }));
  }

  /** Those of the first ids that are there twice, and all that is there of the next ones. */
  async #lookBehind(ids: readonly string[], next: readonly string[]): Promise<FoundIds> {
    const maxBytes = this.#client.limits?.pieceBytes ?? LIMIT_DEFAULTS.http_max_field_value_size;
    const isOneCall = piecesOf([...ids, ...next], maxBytes).length === 1;
    if (!isOneCall) {
      const sent = (await this.#look(ids)).filter(([, , count]) => Number(count) > 1);
      return [...sent, ...(await this.#look(next))];
    }
    return this.#client.rows(
      `SELECT id, ${this.#tenant()} AS tenant, count() FROM ${this.#name()} ` +
        "WHERE id IN {ids:Array(String)} OR id IN {next:Array(String)} " +
        "GROUP BY id, tenant HAVING count() > 1 OR id IN {next:Array(String)}",
      { ids, next },
    );
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
    const rows = await this.#lookBehind(ids, next);
    const lost = await this.#keepFirst(twiceOf(rows), batch);
    return { lost, known: keysOf(rows) };
  }

  /**
   * Removes repeats: of rows with the same id the one that the server took first stays. Returns the keys that the block
   * loses.
   */
  async #keepFirst(ids: readonly string[], batch: bigint): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const first = new Set<string>();
    const lost = new Set<string>();
    const gone: SurplusRow[] = [];
    for (const [id, tenant, block, partition, timestamp] of await this.#inOrder(ids)) {
      const owner = tenant === null ? null : String(tenant);
      const key = idKey(owner, String(id));
      if (first.has(key)) {
        if (String(block) === String(batch)) lost.add(key);
        const place = { partition: String(partition), timestamp: BigInt(String(timestamp)) };
        gone.push({ ...place, id: String(id), tenant: owner, batch: String(block) });
      }
      first.add(key);
    }
    const { place, table, tenantColumn } = this.#table;
    for (const statement of deleteSurplus(place, table, tenantColumn, gone)) await rewrite(this.#client, statement);
    return lost;
  }

  /**
   * The rows of the ids in the order in which the server took them. The projection tells the parts that hold them, and
   * only those are read: its own parts do not know the numbers of the rows' blocks.
   */
  async #inOrder(ids: readonly string[]): Promise<FoundIds> {
    const columns = `id, ${this.#tenant()}, toString(${BATCH_COLUMN}), _partition_id, toString(timestamp)`;
    const select = (condition: string) =>
      `SELECT ${columns} FROM ${this.#name()} WHERE ${condition}id IN {ids:Array(String)} ` +
      `ORDER BY _block_number, ${BATCH_COLUMN}`;
    for (let attempt = 0; attempt < MAX_PART_LOOKUPS; attempt++) {
      const where = `SELECT id, _part FROM ${this.#name()} WHERE id IN {ids:Array(String)}`;
      const found = await askInPieces(this.#client, ids, (piece) => this.#client.rows(where, { ids: piece }));
      const parts = [...new Set(found.map(([, part]) => String(part)))];
      const rows = await askInPieces(this.#client, ids, (piece) =>
        this.#client.rows(select("_part IN {parts:Array(String)} AND "), { ids: piece, parts }, WITHOUT_PROJECTIONS),
      );
      // A part that was merged in between is not there any more.
      if (rows.length >= found.length) return rows;
    }
    return askInPieces(this.#client, ids, (piece) =>
      this.#client.rows(select(""), { ids: piece }, WITHOUT_PROJECTIONS),
    );
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
