/**
 * Which events a source's table holds. An event repeats another of its tenant and id that has the same time, or that
 * arrived within the window. Of two such rows, which only nodes that work at the same moment can send, the one that the
 * server took first stays.
 *
 * No row says when it arrived. A part does: its rows came before it was written. So the parts that were written within
 * the window hold what arrived in it, and are looked through for the ids, which their index finds; in all others the
 * times and tenants of the events bound what is read.
 */
import { idKey } from "../../contract/event-tenant.ts";
import { BATCH_COLUMN } from "../blocks/native-rows.ts";
import type { ServerClient, ServerSettings } from "../driver/client.ts";
import { askInPieces, elementBytes } from "../driver/limits.ts";
import { quoteName, quoteText } from "../driver/quote.ts";
import { deleteSurplus, rewrite, rowsTableName, type SurplusRow, type TablePlace, tableName } from "./statements.ts";

/** For reading `_block_number`: the parts of projections have numbers of their own. */
const WITHOUT_PROJECTIONS: ServerSettings = { optimize_use_projections: "0" };

/**
 * Parts of these last seconds of the window are looked through in both ways: one query may see a part just before the
 * window has left it, and the other just after.
 */
const OVERLAP_SECONDS = 600;
/** How much earlier than its commit a part may say that it was written, in seconds: longer than an insert lasts. */
const COMMIT_SECONDS = 60;
/**
 * Seconds between two arrivals of one id with different times that are a collision of nodes, and not a repeat beyond
 * the window: half of the shortest window, whatever the setting was then, for clocks of nodes differ.
 */
const COLLISION_SECONDS = 1_800;
/** So many rows are read faster than an index of their ids is asked for a block's. */
const SCANNED_ROWS = 1_000_000;
/** Longer names of tenants are no condition. */
const MAX_TENANT_BYTES = 1_000;
const INTEGER_BYTES = 20;

export interface AppendTable {
  readonly place: TablePlace;
  readonly table: string;
  /** Undefined for a source without tenants. */
  readonly tenantColumn: string | undefined;
}

/** An event whose id its sender chose, so that it may be a repeat. */
export interface SentEvent {
  readonly id: string;
  readonly tenant: string | null;
  readonly timestampUs: bigint;
  /** Distinguishes ids of different tenants. */
  readonly key: string;
}

export function sentEvent(id: string, tenant: string | null, timestampUs: bigint): SentEvent {
  return { id, tenant, timestampUs, key: idKey(tenant, id) };
}

/** Events that the table holds: keys of those that arrived within the window, and keys with times of all others. */
export type KnownEvents = ReadonlySet<string>;

function timedKey(key: string, timestampUs: string): string {
  return `@${timestampUs}${key}`;
}

export function isRepeat(known: KnownEvents, { key, timestampUs }: SentEvent): boolean {
  return known.has(key) || known.has(timedKey(key, String(timestampUs)));
}

/** A number that no other block has: the second of its arrival by the node's clock, and a random half. */
export function newBatch(nowMs = Date.now()): bigint {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return (BigInt(Math.floor(nowMs / 1000)) << 32n) | BigInt(random);
}

function isSameMoment(batch: string, other: string): boolean {
  const [one, two] = [batch, other].map((each) => Number(BigInt(each) >> 32n));
  return Math.abs((one ?? 0) - (two ?? 0)) < COLLISION_SECONDS;
}

/** A row of the table; its time is empty where it was found by its id alone. */
interface FoundRow {
  readonly key: string;
  readonly id: string;
  readonly tenant: string | null;
  readonly time: string;
  readonly batch: string;
  readonly partition: string;
}

/** Which rows of events are read. */
interface Look {
  /** Those in parts that were written within so many seconds. */
  readonly seconds: number;
  /** In other parts, those of the same times. */
  readonly hasSameTimes: boolean;
  /** With their partitions and times, in the order in which the server took them. */
  readonly inOrder?: boolean;
}

function bytesOf({ id, tenant }: SentEvent): number {
  const tenantBytes = tenant === null ? 0 : elementBytes(tenant);
  return Math.max(INTEGER_BYTES, elementBytes(id), tenantBytes > MAX_TENANT_BYTES ? 0 : tenantBytes);
}

export class StoredIds {
  readonly #client: ServerClient;
  readonly #table: AppendTable;
  readonly #window: Look;
  /** Rows of the parts that the last look-up for events to be stored was for; those of the look behind are among them. */
  #windowRows = Number.POSITIVE_INFINITY;

  /** `windowMs`: how long an event is recognised by its id alone, from its arrival. */
  constructor(client: ServerClient, table: AppendTable, windowMs: number) {
    this.#client = client;
    this.#table = table;
    this.#window = { seconds: Math.ceil(windowMs / 1000), hasSameTimes: true };
  }

  /** Those of the events that the table holds. What a node left there twice, because it ended, is put right. */
  async find(events: readonly SentEvent[]): Promise<KnownEvents> {
    const rows = await this.#look(events, this.#window);
    await this.#keepFirst(events, rows, this.#window);
    return new Set(rows.map(({ key, time }) => (time === "" ? key : timedKey(key, time))));
  }

  /**
   * Removes of a stored block what another node stored at the same moment too, since the block's events were looked up
   * so many milliseconds ago. Returns the keys that are no longer of this block.
   */
  async removeCollisions(
    events: readonly SentEvent[],
    batch: bigint,
    lookedUpMsAgo: number,
  ): Promise<ReadonlySet<string>> {
    const since = { seconds: Math.ceil(lookedUpMsAgo / 1000) + COMMIT_SECONDS, hasSameTimes: false };
    const rows = await this.#look(events, since);
    const { kept, gone } = await this.#keepFirst(events, rows, since);
    const isOwn = (row: FoundRow) => row.batch === String(batch);
    const own = new Set(kept.filter(isOwn).map(({ key }) => key));
    // Another node has removed the block's row already, for its own or for that of a third.
    const others = kept.filter((row) => !own.has(row.key) && isSameMoment(row.batch, String(batch)));
    return new Set([...gone.filter(isOwn), ...others].map(({ key }) => key));
  }

  /**
   * Removes surplus rows of events that were found twice: of rows of one event the one that the server took first
   * stays. What was found twice is read again, and other nodes may have removed some of it since.
   */
  async #keepFirst(events: readonly SentEvent[], found: readonly FoundRow[], look: Look) {
    const batches = new Map<string, string>();
    const twice = new Set<string>();
    for (const { key, batch: own } of found) {
      if ((batches.get(key) ?? own) !== own) twice.add(key);
      batches.set(key, own);
    }
    if (twice.size === 0) return { kept: found, gone: [] };
    const some = events.filter(({ key }) => twice.has(key));
    const now = await this.#look(some, { ...look, inOrder: true });
    const gone = surplusOf(now);
    const { place, table, tenantColumn } = this.#table;
    const rows = gone.map((row): SurplusRow => ({ ...row, timestamp: BigInt(row.time) }));
    for (const statement of deleteSurplus(place, table, tenantColumn, rows)) await rewrite(this.#client, statement);
    const removed = new Set(gone);
    const once = found.filter(({ key }) => !twice.has(key));
    return { kept: [...once, ...now.filter((row) => !removed.has(row))], gone };
  }

  async #look(events: readonly SentEvent[], look: Look): Promise<readonly FoundRow[]> {
    const found = new Map<string, FoundRow>();
    // The index has no entry for the empty id.
    for (const isEmpty of [false, true]) {
      const some = events.filter(({ id }) => (id === "") === isEmpty);
      const rows = await askInPieces(this.#client, some, bytesOf, (piece) => this.#ask(piece, look, isEmpty));
      for (const row of rows.map(toFoundRow)) {
        if (row.time === "rows") this.#windowRows = Number(row.batch);
        else found.set(`${row.batch}@${row.time}${row.key}`, row);
      }
    }
    return [...found.values()];
  }

  /** The select of same times comes first: a part of it that is merged meanwhile is a newly written one to the other. */
  #ask(events: readonly SentEvent[], { seconds, hasSameTimes, inOrder = false }: Look, isEmpty: boolean) {
    const tenants = [...new Set(events.map(({ tenant }) => tenant))];
    const named = tenants.filter((tenant) => tenant !== null);
    const ofTenants = this.#ofTenants(tenants, named);
    const hasId = isEmpty ? "length(id) = 0 AND id = ''" : "id IN {ids:Array(String)}";
    // No index has the function.
    const isScanned = !isEmpty && this.#windowRows < SCANNED_ROWS;
    const hasRecentId = isScanned ? "identity(id) IN {ids:Array(String)}" : hasId;
    const select = (time: string, conditions: readonly string[]) => {
      const columns = ["id", `${this.#tenant()} AS tenant`, `${time} AS time`, `toString(${BATCH_COLUMN}) AS batch`];
      if (inOrder) columns.push("_partition_id AS partition", "_block_number AS number");
      return `SELECT ${columns.join(", ")} FROM ${this.#name()} WHERE ${[...conditions, ...ofTenants].join(" AND ")}`;
    };
    const { place, table } = this.#table;
    const time = "toString(timestamp)";
    const sameTimes = [
      isNotOf(place, table, ">=", seconds - OVERLAP_SECONDS),
      "timestamp IN {times:Array(Int64)}",
      hasId,
    ];
    const selects = [
      ...(hasSameTimes ? [select(time, sameTimes)] : []),
      select(inOrder ? time : "''", [isNotOf(place, table, "<", seconds), hasRecentId]),
      ...(hasSameTimes && !inOrder ? [countOf(place, table, Math.max(seconds, COMMIT_SECONDS))] : []),
    ];
    const sql = selects.join(" UNION ALL ");
    return this.#client.rows(
      inOrder ? `SELECT id, tenant, time, batch, partition FROM (${sql}) ORDER BY number, batch` : sql,
      {
        ...(isEmpty ? {} : { ids: events.map(({ id }) => id) }),
        ...(named.length === 0 ? {} : { tenants: named }),
        ...(hasSameTimes ? { times: [...new Set(events.map(({ timestampUs }) => timestampUs))] } : {}),
      },
      inOrder ? WITHOUT_PROJECTIONS : {},
    );
  }

  #ofTenants(tenants: readonly (string | null)[], named: readonly string[]): readonly string[] {
    const { tenantColumn } = this.#table;
    const isLong = named.some((tenant) => elementBytes(tenant) > MAX_TENANT_BYTES);
    if (tenantColumn === undefined || isLong) return [];
    const column = quoteName(tenantColumn);
    const isNamed = named.length === 0 ? [] : [`${column} IN {tenants:Array(String)}`];
    return [`(${[...isNamed, ...(tenants.includes(null) ? [`${column} IS NULL`] : [])].join(" OR ")})`];
  }

  /** In a source without tenants no row has one. */
  #tenant(): string {
    return this.#table.tenantColumn === undefined
      ? "CAST(NULL, 'Nullable(String)')"
      : quoteName(this.#table.tenantColumn);
  }

  #name(): string {
    return tableName(this.#table.place, this.#table.table);
  }
}

/**
 * The condition that a row is in none of the parts that were written before, or since, so many seconds ago. A part that
 * is unknown when it is asked, because it was made just then, is in none of them.
 */
function isNotOf(place: TablePlace, table: string, operator: "<" | ">=", seconds: number): string {
  return `_part NOT IN (SELECT name FROM ${partsOf(place, table, operator, seconds)})`;
}

function partsOf(place: TablePlace, table: string, operator: "<" | ">=", seconds: number): string {
  return (
    `system.parts WHERE database = ${quoteText(place.database)} AND table = ${quoteText(rowsTableName(place, table))} ` +
    `AND modification_time ${operator} subtractSeconds(now(), ${seconds})`
  );
}

/** A row that says how many rows the parts have, on the server that is asked. */
function countOf(place: TablePlace, table: string, seconds: number): string {
  return `SELECT '', NULL, 'rows', toString(sum(rows)) FROM ${partsOf(place, table, ">=", seconds)} AND active`;
}

function toFoundRow([id, tenant, time, batch, partition]: readonly unknown[]): FoundRow {
  const owner = tenant === null ? null : String(tenant);
  return {
    ...{ key: idKey(owner, String(id)), id: String(id), tenant: owner },
    ...{ time: String(time), batch: String(batch), partition: String(partition) },
  };
}

/** The rows, in their order, that are of the same event as an earlier one. */
function surplusOf(rows: readonly FoundRow[]): readonly FoundRow[] {
  const kept = new Map<string, FoundRow[]>();
  return rows.filter((row) => {
    const earlier = kept.get(row.key) ?? [];
    const isSurplus = earlier.some(({ time, batch }) => {
      return time === row.time || isSameMoment(batch, row.batch);
    });
    if (!isSurplus) kept.set(row.key, [...earlier, row]);
    return isSurplus;
  });
}
