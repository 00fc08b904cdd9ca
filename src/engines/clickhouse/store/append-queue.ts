/**
 * Appends of one source, in blocks: what arrives while a block is on its way goes with the next. Ids are looked up
 * before a block is sent, by all nodes alike, and once more behind it where a sender chose them: of two blocks with the
 * same id, which only nodes that work at the same moment can send, the one that the server took first stays.
 */
import { type AppendResult, EngineError } from "../../contract/query-engine.ts";
import type { ServerClient } from "../driver/client.ts";
import { quoteName, quoteText } from "../driver/quote.ts";
import { BATCH_COLUMN, encodeBlock, type NativeRows, type PickedRows } from "./native-rows.ts";
import { deleteRows, rewrite, type TablePlace, tableName } from "./statements.ts";

/** Bounds of one block, so that none holds up those behind it for long. */
const MAX_BLOCK_ROWS = 50_000;
const MAX_BLOCK_BYTES = 32 * 1024 * 1024;
/** How often a block is sent again when its answer was lost, after how long the first time, and until when. */
const MAX_ATTEMPTS = 4;
const RETRY_PAUSE_MS = 100;
const RETRY_WINDOW_MS = 10_000;

export interface AppendTable {
  readonly place: TablePlace;
  readonly table: string;
  /** Undefined for a source without tenants. */
  readonly tenantColumn: string | undefined;
}

interface Job {
  readonly rows: NativeRows;
  /** Done before the rows are sent, since what they bring must not be lost behind them. */
  readonly prepare: () => Promise<void>;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Tells ids of different tenants apart. */
function idKey(tenant: string | null, id: string): string {
  return tenant === null ? `:${id}` : `${tenant.length}:${tenant}${id}`;
}

function tenantsOf({ columns }: NativeRows, tenantColumn: string | undefined): ReadonlyMap<number, string> {
  const column = tenantColumn === undefined ? undefined : columns.get(tenantColumn);
  return new Map(column?.rows.map((row, index) => [row, String(column.values[index])]));
}

/** The key of each row. */
function keysOf(rows: NativeRows, tenantColumn: string | undefined): readonly string[] {
  const tenants = tenantsOf(rows, tenantColumn);
  return rows.ids.map((id, row) => idKey(tenants.get(row) ?? null, id));
}

/** A number that no other block has. */
function newBatch(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
}

export class AppendQueue {
  readonly #client: ServerClient;
  readonly #table: AppendTable;
  readonly #jobs: Job[] = [];
  #running: Promise<void> | undefined;

  constructor(client: ServerClient, table: AppendTable) {
    this.#client = client;
    this.#table = table;
  }

  /** Resolves when the server has the rows. All or none are stored. */
  append(rows: NativeRows, prepare: () => Promise<void>): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ rows, prepare, resolve, reject });
      this.#running ??= this.#work();
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #work(): Promise<void> {
    // What arrives in this turn of the event loop joins the first block.
    await Promise.resolve();
    while (this.#jobs.length > 0) await this.#send(this.#takeGroup());
    this.#running = undefined;
  }

  #takeGroup(): readonly Job[] {
    let [count, rows, bytes] = [0, 0, 0];
    for (const job of this.#jobs) {
      rows += job.rows.rowCount;
      bytes += job.rows.byteCount;
      if (count > 0 && (rows > MAX_BLOCK_ROWS || bytes > MAX_BLOCK_BYTES)) break;
      count++;
    }
    return this.#jobs.splice(0, count);
  }

  async #send(group: readonly Job[]): Promise<void> {
    try {
      const results = await this.#store(group);
      for (const [index, job] of group.entries()) job.resolve(results[index] ?? { stored: 0, repeated: 0 });
    } catch (error) {
      const mayBeOne = error instanceof EngineError && error.code === "internal" && group.length > 1;
      if (!mayBeOne) for (const job of group) job.reject(error);
      // One bad append must not fail the others.
      else for (const job of group) await this.#send([job]);
    }
  }

  async #store(group: readonly Job[]): Promise<readonly AppendResult[]> {
    await Promise.all(group.map(({ prepare }) => prepare()));
    const keys = group.map(({ rows }) => keysOf(rows, this.#table.tenantColumn));
    const own = group.flatMap(({ rows }) => rows.ids.filter((_, row) => rows.ownIds[row]));
    const known = await this.#findStored(own);
    const parts: PickedRows[] = group.map(({ rows }, index) => ({
      rows,
      picked: pick(rows, keys[index] ?? [], known),
    }));
    if (parts.some(({ picked }) => picked.length > 0)) {
      const batch = newBatch();
      await this.#insert(parts, batch);
      const sent = parts.flatMap(({ rows, picked }) =>
        picked.flatMap((row) => (rows.ownIds[row] ? [rows.ids[row]] : [])),
      );
      const lost = await this.#settle(sent as string[], batch);
      for (const [index, part] of parts.entries()) {
        const own = keys[index] ?? [];
        parts[index] = { ...part, picked: part.picked.filter((row) => !lost.has(own[row] ?? "")) };
      }
    }
    return parts.map(({ rows, picked }) => ({ stored: picked.length, repeated: rows.rowCount - picked.length }));
  }

  /** Sent again with the same token where the answer was lost: the server takes it once. */
  async #insert(parts: readonly PickedRows[], batch: bigint): Promise<void> {
    const { columns, body } = encodeBlock(parts, batch);
    const { place, table } = this.#table;
    const started = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#client.insert({
          ...{ table: tableName(place, table), columns: columns.map(quoteName), format: "Native", body },
          settings: insertSettings(place, batch),
          signal: new AbortController().signal,
        });
        return;
      } catch (error) {
        const isOver = attempt === MAX_ATTEMPTS || performance.now() - started > RETRY_WINDOW_MS;
        if (!(error instanceof EngineError && error.isLost) || isOver) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS * 2 ** attempt));
      }
    }
  }

  /** Keys of those of the ids that the table holds. What a node left there twice, because it ended, is put right. */
  async #findStored(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.#client.rows(
      `SELECT id, ${this.#tenant()} AS tenant, count() FROM ${this.#name()} WHERE id IN {ids:Array(String)} ` +
        "GROUP BY id, tenant",
      { ids },
    );
    const twice = rows.filter(([, , count]) => Number(count) > 1);
    if (twice.length > 0)
      await this.#keepFirst(
        twice.map(([id]) => String(id)),
        0n,
      );
    return new Set(rows.map(([id, tenant]) => idKey(tenant === null ? null : String(tenant), String(id))));
  }

  /** Removes what another node stored at the same moment too, and answers the keys that are no longer of this block. */
  async #settle(ids: readonly string[], batch: bigint): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const twice = await this.#client.rows(
      `SELECT id FROM ${this.#name()} WHERE id IN {ids:Array(String)} GROUP BY id, ${this.#tenant()} HAVING count() > 1`,
      { ids },
    );
    return this.#keepFirst(
      twice.map(([id]) => String(id)),
      batch,
    );
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

  /** Of a source without tenants every row is nobody's; the server groups by no constant. */
  #tenant(): string {
    return this.#table.tenantColumn === undefined
      ? "CAST(NULL, 'Nullable(String)')"
      : quoteName(this.#table.tenantColumn);
  }

  #name(): string {
    return tableName(this.#table.place, this.#table.table);
  }
}

function insertSettings({ cluster }: TablePlace, batch: bigint): Readonly<Record<string, string>> {
  return {
    async_insert: "0",
    insert_deduplication_token: String(batch),
    // Old and new events may come together; a block stays one.
    max_partitions_per_insert_block: "0",
    ...(cluster === undefined ? {} : { distributed_foreground_insert: "1", insert_quorum: "auto" }),
  };
}

/** Rows to store: the first of each id of a tenant that is not known. `known` gains those of these rows. */
function pick(rows: NativeRows, keys: readonly string[], known: Set<string>): readonly number[] {
  const picked: number[] = [];
  for (const [row, key] of keys.entries()) {
    if (rows.ownIds[row] === true && known.has(key)) continue;
    if (rows.ownIds[row] === true) known.add(key);
    picked.push(row);
  }
  return picked;
}
