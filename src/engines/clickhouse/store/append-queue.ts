/**
 * Appends of one source in blocks, some of which are inserted concurrently: what arrives during an insert joins the
 * next block. Every node looks ids up before it sends a block, and once more after it if a sender chose them.
 * Appends with the same id are never inserted concurrently.
 */
import { type AppendResult, EngineError } from "../../contract/query-engine.ts";
import { type AppendRows, makeInsertBody, type PickedRows } from "../blocks/insert-body.ts";
import { NativeRows } from "../blocks/native-rows.ts";
import type { ServerClient } from "../driver/client.ts";
import { quoteName } from "../driver/quote.ts";
import { isAway } from "../spool/spool-errors.ts";
import { type TablePlace, tableName } from "./statements.ts";
import {
  type AppendTable,
  isRepeat,
  type KnownEvents,
  newBatch,
  type SentEvent,
  StoredIds,
  sentEvent,
} from "./stored-ids.ts";

/** The limits of one block, so that none delays the next ones for long. */
const MAX_BLOCK_ROWS = 50_000;
const MAX_BLOCK_BYTES = 32 * 1024 * 1024;
/**
 * While the server stores one, another is sent if it has so many rows. A block costs the server as much as a thousand
 * rows whatever it holds, so smaller ones wait and grow.
 */
const MAX_BLOCKS_AT_ONCE = 2;
const SECOND_BLOCK_ROWS = 5_000;
/** Appends that are looked up before it is their turn. */
const MAX_LOOKED_UP = 64;
/** How often a block is sent again when its answer was lost, after how long the first time, and until when. */
const MAX_ATTEMPTS = 4;
const RETRY_PAUSE_MS = 100;
const RETRY_WINDOW_MS = 10_000;

/** How long a block may wait so that another node that sends the same ids is first. */
const MAX_YIELD_MS = 2_000;
/** Shorter waits are none. */
const MIN_YIELD_MS = 10;

const sleepFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface LookedUp {
  readonly events: KnownEvents;
  /** When the look-up began, by `performance.now()`. */
  readonly sinceMs: number;
}

interface Job {
  readonly rows: AppendRows;
  /** For each row whose id the sender chose. */
  readonly events: readonly (SentEvent | undefined)[];
  /** Runs before the rows are sent, since their new fields must not be lost. */
  readonly prepare: () => Promise<void>;
  /** Those that the table holds, if they were looked up after the previous block. */
  known: LookedUp | undefined;
  /** A block with one of its ids began since the append came: what was looked up before counts no more. */
  isOvertaken: boolean;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

function tenantsOf(rows: AppendRows, tenantColumn: string | undefined): readonly unknown[] {
  if (!(rows instanceof NativeRows)) return rows.tenants ?? [];
  return tenantColumn === undefined ? [] : rows.valuesOf(tenantColumn);
}

function eventsOf(rows: AppendRows, tenantColumn: string | undefined): Job["events"] {
  const tenants = tenantsOf(rows, tenantColumn);
  return rows.ids.map((id, row) => {
    const tenant = tenants[row] ?? null;
    if (rows.ownIds[row] !== true) return undefined;
    return sentEvent(id, tenant === null ? null : String(tenant), rows.timestamps[row] ?? 0n);
  });
}

function sentBy({ events }: Job): readonly SentEvent[] {
  return events.filter((event) => event !== undefined);
}

export class AppendQueue {
  readonly #client: ServerClient;
  readonly #table: AppendTable;
  readonly #ids: StoredIds;
  readonly #jobs: Job[] = [];
  readonly #running = new Set<Promise<void>>();
  /** The keys of the blocks that are being inserted. */
  readonly #runningKeys = new Set<string>();
  readonly #sleep: (ms: number) => Promise<void>;
  /**
   * Two nodes that are sent the same events at the same moments each insert what the other has not stored yet, and each
   * such row has to be found and deleted. The one that was second waits from then on before it looks ids up, and finds
   * them stored, until it is sent ids that nobody else stores.
   */
  #yieldMs = 0;

  /** `repeatWindowMs`: how long an event is recognised by its id alone, from its arrival. */
  constructor(client: ServerClient, table: AppendTable, repeatWindowMs: number, sleep = sleepFor) {
    this.#client = client;
    this.#table = table;
    this.#sleep = sleep;
    this.#ids = new StoredIds(client, table, repeatWindowMs);
  }

  /** Resolves when the server has the rows. All or none are stored. */
  append(rows: AppendRows, prepare: () => Promise<void>): Promise<AppendResult> {
    const events = eventsOf(rows, this.#table.tenantColumn);
    return new Promise((resolve, reject) => {
      this.#jobs.push({ rows, events, prepare, known: undefined, isOvertaken: false, resolve, reject });
      // What arrives in this turn of the event loop joins the same block.
      queueMicrotask(() => this.#start());
    });
  }

  /** Resolves when no insert is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #start(): void {
    while (this.#mayStart()) {
      const group = this.#takeGroup();
      if (group.length === 0) return;
      const keys = group.flatMap(sentBy).map(({ key }) => key);
      for (const key of keys) this.#runningKeys.add(key);
      for (const job of this.#jobs) job.isOvertaken ||= this.#isRunning(job);
      const work = this.#send(group).finally(() => {
        for (const key of keys) this.#runningKeys.delete(key);
        this.#running.delete(work);
        this.#start();
      });
      this.#running.add(work);
    }
  }

  #mayStart(): boolean {
    if (this.#running.size === 0) return true;
    const rowCount = this.#jobs.reduce((sum, { rows }) => sum + rows.rowCount, 0);
    return this.#running.size < MAX_BLOCKS_AT_ONCE && rowCount >= SECOND_BLOCK_ROWS;
  }

  /** Is an id of the job already being inserted? */
  #isRunning({ events }: Job): boolean {
    return events.some((event) => event !== undefined && this.#runningKeys.has(event.key));
  }

  #takeGroup(): readonly Job[] {
    let [count, rows, bytes] = [0, 0, 0];
    for (const job of this.#jobs) {
      rows += job.rows.rowCount;
      bytes += job.rows.byteCount;
      if (count > 0 && (rows > MAX_BLOCK_ROWS || bytes > MAX_BLOCK_BYTES)) break;
      // Whether it is a repeat shows when the block before it has ended.
      if (this.#isRunning(job)) break;
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
      // What failed may have been stored, and the appends may share ids.
      for (const job of group) job.isOvertaken = true;
      // What waits has not been sent: of a silent server each further block would learn it after as long again.
      if (isAway(error)) for (const job of this.#jobs.splice(0)) job.reject(error);
      if (!mayBeOne) for (const job of group) job.reject(error);
      // One bad append must not fail the others.
      else for (const job of group) await this.#send([job]);
    }
  }

  async #store(group: readonly Job[]): Promise<readonly AppendResult[]> {
    await Promise.all(group.map(({ prepare }) => prepare()));
    const [known, lookedUpMs] = await this.#lookUp(group);
    const parts: PickedRows[] = group.map(({ rows, events }) => ({ rows, picked: pick(events, known) }));
    if (parts.some(({ picked }) => picked.length > 0)) {
      const batch = newBatch();
      const started = performance.now();
      await this.#insert(parts, batch);
      const sent = parts.flatMap(({ picked }, index) => picked.flatMap((row) => group[index]?.events[row] ?? []));
      const lost = await this.#lookBehind(sent, batch, lookedUpMs);
      if (lost.size > 0) this.#yieldTo(performance.now() - started);
      for (const [index, part] of parts.entries()) {
        const events = group[index]?.events ?? [];
        parts[index] = { ...part, picked: part.picked.filter((row) => !lost.has(events[row]?.key ?? "")) };
      }
    }
    return parts.map(({ rows, picked }) => ({ stored: picked.length, repeated: rows.rowCount - picked.length }));
  }

  /** Looks up which of a group the table holds. Also returns when the first of it was looked up. */
  async #lookUp(group: readonly Job[]): Promise<readonly [known: Set<string>, sinceMs: number]> {
    const now = performance.now();
    const isKnown = (job: Job) => job.known !== undefined && !job.isOvertaken;
    const earlier = group.filter(isKnown).flatMap((job) => job.known ?? []);
    const known = new Set(earlier.flatMap(({ events }) => [...events]));
    const unknown = group.filter((job) => !isKnown(job)).flatMap(sentBy);
    for (const each of await this.#ids.find(unknown)) known.add(each);
    const sent = group.flatMap(sentBy);
    for (const each of await this.#waitForOthers(sent, known)) known.add(each);
    return [known, Math.min(now, ...earlier.map(({ sinceMs }) => sinceMs))];
  }

  /** Looks events up until all are stored or it has waited long enough for another node to store them. */
  async #waitForOthers(sent: readonly SentEvent[], known: KnownEvents): Promise<KnownEvents> {
    const countIn = (events: KnownEvents) => sent.filter((event) => isRepeat(events, event)).length;
    const isYielding = this.#yieldMs >= MIN_YIELD_MS;
    let found: KnownEvents = new Set();
    let count = isYielding ? countIn(known) : 0;
    let stepMs = MIN_YIELD_MS / 2;
    for (let leftMs = this.#yieldMs; isYielding && leftMs > 0; leftMs -= stepMs) {
      if (count >= sent.length) return found;
      stepMs = Math.min(leftMs, 2 * stepMs);
      await this.#sleep(stepMs);
      found = await this.#ids.find(sent);
      count = Math.max(count, countIn(found));
    }
    if (isYielding && count === 0) this.#yieldMs /= 2;
    return found;
  }

  /** Twice as long as a block takes, and longer after each one that came second again. */
  #yieldTo(blockMs: number): void {
    this.#yieldMs = Math.min(MAX_YIELD_MS, Math.max(MIN_YIELD_MS, 2 * blockMs, 2 * this.#yieldMs));
  }

  /** Looks behind the block, and meanwhile for what waits to be sent next. Returns the keys that the block lost. */
  async #lookBehind(sent: readonly SentEvent[], batch: bigint, lookedUpMs: number): Promise<ReadonlySet<string>> {
    if (sent.length === 0) return new Set();
    const waiting = this.#jobs.slice(0, MAX_LOOKED_UP).filter((job) => !job.isOvertaken && !this.#isRunning(job));
    const sinceMs = performance.now();
    const [lost, events] = await Promise.all([
      this.#ids.removeCollisions(sent, batch, sinceMs - lookedUpMs),
      this.#ids.find(waiting.flatMap(sentBy)),
    ]);
    for (const job of waiting) job.known = { events, sinceMs };
    return lost;
  }

  /** Sent again with the same token where the answer was lost: the server takes it once. */
  async #insert(parts: readonly PickedRows[], batch: bigint): Promise<void> {
    const { columns, body } = makeInsertBody(parts, batch);
    const { place, table } = this.#table;
    const started = performance.now();
    const settings = insertSettings(place, `${batch}-${crypto.randomUUID()}`);
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#client.insert({
          ...{ table: tableName(place, table), columns: columns.map(quoteName), format: "Native", body },
          settings,
          signal: new AbortController().signal,
        });
        return;
      } catch (error) {
        const isOver = attempt === MAX_ATTEMPTS || performance.now() - started > RETRY_WINDOW_MS;
        if (!(error instanceof EngineError && error.isLost) || isOver) throw error;
        await this.#sleep(RETRY_PAUSE_MS * 2 ** attempt);
      }
    }
  }
}

function insertSettings({ cluster }: TablePlace, token: string): Readonly<Record<string, string>> {
  return {
    async_insert: "0",
    // Merges index ids: until then a part is small, and read faster than its index.
    materialize_skip_indexes_on_insert: "0",
    insert_deduplication_token: token,
    // Old and new events may come together; a block stays one.
    max_partitions_per_insert_block: "0",
    ...(cluster === undefined ? {} : { distributed_foreground_insert: "1", insert_quorum: "auto" }),
  };
}

/** Rows to store: the first of each id of a tenant that is no repeat. `known` gains the keys of these rows. */
function pick(events: Job["events"], known: Set<string>): readonly number[] {
  const picked: number[] = [];
  for (const [row, event] of events.entries()) {
    if (event !== undefined && isRepeat(known, event)) continue;
    if (event !== undefined) known.add(event.key);
    picked.push(row);
  }
  return picked;
}
