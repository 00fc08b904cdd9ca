/** Runs compiled queries: several at once, each on a connection of its own, under its limits. */
import { EngineError, RowBatch } from "../../../contract/query-engine.ts";
import type { BoundValue, Connection, Database } from "../../driver/connection.ts";
import { type DuckDBValue, TIMESTAMP } from "../../driver/driver.ts";
import { chunkOf, createRowEncoder, notedChunk, type RowChunk } from "../../driver/rows.ts";
import type { NewestPlan } from "../../statement-plan.ts";
import type { HostQuery, HostSummary, WindowSizes } from "../protocol.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { bindParameters, ConstantsBinder } from "./constants.ts";
import { boundIds, type FindIdRange } from "./id-bounds.ts";
import { createMemoryWatch } from "./memory-watch.ts";
import { NewestFinder } from "./newest-rows.ts";
import { createProcessWatch } from "./process-watch.ts";
import { type QueryMemory, QueryStop } from "./query-stop.ts";
import type { FindTenantColumn } from "./row-cache.ts";
import { type CacheableCall, RowCache } from "./row-cache.ts";
import { weighRows } from "./row-weights.ts";
import type { CheckStatement } from "./statement-check.ts";
import { StatementGate } from "./statement-gate.ts";

/** Rows that are written at once: few enough for a bound on bytes to hold, many enough to be quick. */
const ROWS_PER_BATCH = 256;
/** Or until the rows have this many bytes: the text of a single row may have sixteen million. */
const BATCH_BYTES = 1_000_000;

export interface RunnerLimits {
  /** Queries that run at once; more wait. */
  readonly maxQueries: number;
  /** Resident memory of the process from which on a query is stopped; not watched unless set. */
  readonly maxProcessBytes?: number | undefined;
  readonly windows?: WindowSizes | undefined;
}

/** Adds up the time spent in the driver, so that a slow reader is not counted as a slow engine. */
class EngineClock {
  #totalMs = 0;

  async time<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#totalMs += performance.now() - startedAt;
    }
  }

  get totalMs(): number {
    return Math.round(this.#totalMs * 1000) / 1000;
  }
}

type ReadChunk = () => Promise<RowChunk | undefined>;

/** A statement on its connection, to be run with the values. */
interface Held {
  readonly connection: Connection;
  readonly sql: string;
  readonly values: readonly BoundValue[];
  readonly stop: AbortSignal;
}

/**
 * A statement without values is planned when it is prepared, on the least and the greatest values of that moment: a
 * condition that all rows meet is left out, and would not hold for what is stored before it runs. So it sees nothing of
 * that.
 */
async function beginPlanned(connection: Connection, values: readonly BoundValue[]): Promise<void> {
  if (values.length === 0) await connection.beginReading();
}

/** Runs the statement, and returns its rows as they are produced. */
async function openRows({ connection, sql, values }: Held, columnCount: number): Promise<ReadChunk> {
  await beginPlanned(connection, values);
  const reader = await connection.stream(sql, values);
  // A statement has a column at least, also where the query selects the fields of what no event has carried.
  if (reader.columnCount !== Math.max(columnCount, 1)) {
    throw new EngineError("internal", "The engine answered another number of columns than were compiled");
  }
  return reader.next;
}

/**
 * The rows of a statement whose texts may be cached: from the cache where it holds all of them, else anew, to be
 * cached.
 */
async function openCached(held: Held, call: CacheableCall, cache: RowCache, check: CheckStatement): Promise<ReadChunk> {
  const { connection, values, stop } = held;
  const keys = cache.keysOf(call);
  if (keys !== undefined) {
    const { sql, since } = keys;
    await check(sql);
    const bound = since === undefined ? values : [...values, { value: since, type: TIMESTAMP }];
    await beginPlanned(connection, bound);
    const rows = cache.complete(call, await connection.all(sql, bound));
    stop.throwIfAborted();
    if (rows !== undefined) return once(chunkOf(rows));
  }
  const { wholeSql, hasTenant, texts } = call.shape;
  await check(wholeSql);
  const next = await openRows({ ...held, sql: wholeSql }, texts.length + (hasTenant ? 1 : 0));
  const rows: DuckDBValue[][] = [];
  return async () => {
    const chunk = await next();
    if (chunk !== undefined) return notedChunk(chunk, rows, hasTenant ? texts.length : undefined);
    cache.add(call, rows);
    return undefined;
  };
}

function once(chunk: RowChunk): ReadChunk {
  let rest: RowChunk | undefined = chunk;
  return async () => {
    const next = rest;
    rest = undefined;
    return next;
  };
}

async function* readRows(
  query: HostQuery,
  next: ReadChunk,
  clock: EngineClock,
): AsyncGenerator<RowBatch, HostSummary, void> {
  const { maxRows, maxResultBytes } = query.limits;
  const encode = createRowEncoder(query.columns, query.encoding);
  const refuse = (): never => {
    throw new EngineError("result_too_large", `The result is larger than ${maxResultBytes} bytes`);
  };
  let rowCount = 0;
  let byteCount = 0;
  for (let chunk = await clock.time(next); chunk !== undefined; chunk = await clock.time(next)) {
    const available = Math.min(chunk.rowCount, maxRows - rowCount);
    const weigh = weighRows(chunk);
    for (let from = 0; from < available; ) {
      const to = endOfBatch(from, available, weigh, (bytes) => byteCount + bytes > maxResultBytes && refuse());
      const json = encode(chunk, from, to);
      byteCount += Buffer.byteLength(json) + 1;
      if (byteCount > maxResultBytes) refuse();
      rowCount += to - from;
      yield new RowBatch(json, to - from);
      from = to;
    }
    if (available < chunk.rowCount) return { rowCount, isTruncated: true, engineMs: clock.totalMs };
  }
  return { rowCount, isTruncated: false, engineMs: clock.totalMs };
}

/**
 * Behind the last row that is written together with the one at `from`: `ROWS_PER_BATCH` on, or as soon as rows have
 * `BATCH_BYTES`. `check` is called with the least bytes of these rows, before any of them is read.
 */
function endOfBatch(
  from: number,
  available: number,
  weigh: ReturnType<typeof weighRows>,
  check: (bytes: number) => void,
): number {
  const end = Math.min(from + ROWS_PER_BATCH, available);
  if (weigh === undefined) return end;
  let bytes = 0;
  for (let row = from; row < end; row++) {
    bytes += weigh(row);
    check(bytes);
    if (bytes > BATCH_BYTES) return row + 1;
  }
  return end;
}

function stopping(): EngineError {
  return new EngineError("unavailable", "The engine is stopping");
}

/** Runs so many queries at once over the database; `check` decides on each statement before it runs. */
export class QueryRunner {
  readonly #check: CheckStatement;
  readonly #pool: ConnectionPool;
  readonly #findIdRange: FindIdRange;
  readonly #rowCache: RowCache;
  readonly #constants = new ConstantsBinder();
  readonly #newest: NewestFinder;
  readonly #memory: QueryMemory;
  readonly #running = new Set<QueryStop>();
  readonly #gate = new StatementGate();
  #isClosed = false;

  constructor(
    database: Database,
    check: CheckStatement,
    findIdRange: FindIdRange,
    { maxQueries, maxProcessBytes, windows }: RunnerLimits,
    findTenantColumn?: FindTenantColumn,
  ) {
    this.#check = check;
    this.#pool = new ConnectionPool(database, maxQueries);
    this.#findIdRange = findIdRange;
    this.#rowCache = new RowCache(findTenantColumn);
    this.#newest = new NewestFinder(Date.now, windows);
    this.#memory = {
      ofQueries: createMemoryWatch(database),
      ofProcess: maxProcessBytes === undefined ? undefined : createProcessWatch(maxProcessBytes),
    };
  }

  async *run(query: HostQuery, signal: AbortSignal): AsyncGenerator<RowBatch, HostSummary, void> {
    const stop = new QueryStop(query.limits, signal, this.#memory);
    const clock = new EngineClock();
    let connection: Connection | undefined;
    let isFinished = false;
    let hasEntered = false;
    stop.signal.addEventListener("abort", () => connection?.interrupt());
    this.#running.add(stop);
    try {
      if (this.#isClosed) throw stopping();
      if (signal.aborted) stop.giveUp();
      connection = await this.#pool.acquire(stop.signal);
      await this.#gate.enter();
      hasEntered = true;
      stop.signal.throwIfAborted();
      const held = { connection, stop: stop.signal };
      const bound = await clock.time(() => this.#bind(query, held));
      if (bound === undefined) {
        isFinished = true;
        return { rowCount: 0, isTruncated: false, engineMs: clock.totalMs, lacksConstants: true };
      }
      const next = await clock.time(() => this.#open(bound, held));
      const summary = yield* readRows(bound, next, clock);
      isFinished = !summary.isTruncated;
      return summary;
    } catch (error) {
      throw stop.explain(error);
    } finally {
      this.#running.delete(stop);
      stop.end();
      if (connection !== undefined) await this.#release(connection, isFinished);
      if (hasEntered) this.#gate.leave();
    }
  }

  /** Does work that moves rows apart from statements: see `StatementGate`. */
  async pauseFor(work: (isAlone: boolean) => Promise<void>, maxWaitMs?: number): Promise<boolean> {
    return this.#gate.pause(work, maxWaitMs);
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** A table was changed: statements that were prepared for their next run would hold on to what it was. */
  forgetStatements(): void {
    this.#pool.forgetStatements();
  }

  /** Events were deleted. To be called before their ids can be stored again. */
  forgetRows(): void {
    this.#rowCache.forget();
  }

  /** Interrupts what runs, and lets nothing new begin. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#running) stop.stop(stopping());
  }

  #bind(query: HostQuery, { connection, stop }: Pick<Held, "connection" | "stop">): Promise<HostQuery | undefined> {
    return this.#constants.bind(query, async (sql, values) => {
      await this.#check(sql);
      stop.throwIfAborted();
      return connection.all(sql, values);
    });
  }

  async #open(query: HostQuery, { connection, stop }: Pick<Held, "connection" | "stop">): Promise<ReadChunk> {
    const { sql, parameters, plan, columns } = query;
    const bounds = boundIds(query, this.#findIdRange);
    const ownCount = parameters.length - bounds.length;
    const held = { connection, sql, values: [...bindParameters(parameters.slice(0, ownCount)), ...bounds], stop };
    const check = async (statement: string) => {
      await this.#check(statement);
      // An interrupt meanwhile has met no statement.
      stop.throwIfAborted();
    };
    if (plan?.newest !== undefined && (await this.#newest.isWorthIt(connection, plan.newest))) {
      await check(plan.newest.times.sql);
      await check(plan.newest.rows.sql);
      return this.#openNewest(query, plan.newest, held);
    }
    await check(sql);
    const own = parameters.slice(0, ownCount).map(({ value }) => value);
    const given = [...own, ...bounds.map(({ value }) => String(value))];
    const call = plan?.rows && this.#rowCache.begin(sql, plan.rows, columns.length, given);
    return call === undefined ? openRows(held, columns.length) : openCached(held, call, this.#rowCache, check);
  }

  async #openNewest(query: HostQuery, plan: NewestPlan, held: Held): Promise<ReadChunk> {
    const { connection, stop, values } = held;
    // All statements see the same rows.
    await connection.beginReading();
    const statement = await this.#newest.find(connection, plan, query, values);
    stop.throwIfAborted();
    return openRows({ ...held, ...statement }, query.columns.length);
  }

  async #release(connection: Connection, isFinished: boolean): Promise<void> {
    // What is left unread would keep its snapshot of the table alive.
    if (!isFinished) await connection.discardReader().catch(() => undefined);
    await connection.endReading();
    this.#pool.release(connection);
  }
}
