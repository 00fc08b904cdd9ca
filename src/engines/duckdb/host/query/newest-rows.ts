/**
 * Finds the time that the newest rows of a statement begin at, by windows of time, each longer than the one before: a
 * statement of its own, which reads no more than what it filters by, looks for the times of so many rows in the window.
 * See docs/decisions/newest-rows.md.
 */
import type { BoundValue, Connection } from "../../driver/connection.ts";
import { DuckDBTimestampValue, type DuckDBValue, TIMESTAMP } from "../../driver/driver.ts";
import { type BoundedStatement, FIRST_US, LAST_US, type NewestPlan, type TimeValue } from "../../statement-plan.ts";
import type { HostQuery, WindowSizes } from "../protocol.ts";

const GROWTH = 16n;
/** A single event of another century makes a table look sparse: the first window is at most six hours long. */
const MAX_FIRST_US = 6n * 3_600_000_000n;
/**
 * How long a table's extent is believed, in milliseconds: it only shows where to look first. Reading it takes two
 * milliseconds for 100,000,000 rows, or 150 after some were deleted.
 */
const EXTENT_MS = 60_000;

/**
 * DuckDB finds the newest rows of a smaller table as quickly by reading all of it, and reading the rows of the first
 * window costs hardly more than planning the statement.
 */
const WINDOW_SIZES: WindowSizes = { minRows: 4_000_000, firstRows: 50_000 };

/** The rows of a table, and the times that they lie between, in microseconds since 1970. */
export interface Extent {
  readonly rowCount: bigint;
  readonly firstUs: bigint;
  readonly lastUs: bigint;
}

/** Times within which rows are wanted, as far as they are known, and now; in microseconds since 1970. */
export interface Wanted {
  readonly from: readonly bigint[];
  readonly until: readonly bigint[];
  readonly nowUs: bigint;
}

/** A statement with the values of a call, the last of which is the time that it reads from. */
export interface NewestStatement {
  readonly sql: string;
  readonly values: readonly BoundValue[];
}

function microsOf(value: DuckDBValue | undefined): bigint | undefined {
  return value instanceof DuckDBTimestampValue ? value.micros : undefined;
}

function least(times: readonly bigint[], none: bigint): bigint {
  return times.reduce((a, b) => (b < a ? b : a), times[0] ?? none);
}

function greatest(times: readonly bigint[], none: bigint): bigint {
  return times.reduce((a, b) => (b > a ? b : a), times[0] ?? none);
}

/** The times that are known for this run. */
function timesOf(bounds: readonly TimeValue[], parameters: HostQuery["parameters"]): bigint[] {
  return bounds.flatMap((bound) => {
    if (typeof bound === "string") return [BigInt(bound)];
    const parameter = parameters[bound];
    return parameter?.type.kind === "TIMESTAMP" && typeof parameter.value === "string" ? [BigInt(parameter.value)] : [];
  });
}

/**
 * The beginnings of windows that end where the wanted rows do, from the shortest window on; the last holds all rows.
 * What is wanted is believed no further than for the order of the windows.
 */
export function beginsOf(
  { rowCount, firstUs, lastUs }: Extent,
  { from, until, nowUs }: Wanted,
  firstRows: number,
): bigint[] {
  const endUs = least([lastUs, nowUs, greatest(until, LAST_US)], LAST_US);
  const beginUs = greatest([firstUs, least(from, FIRST_US)], FIRST_US);
  const begins: bigint[] = [];
  if (rowCount > 0n) {
    const shortest = least([MAX_FIRST_US, ((lastUs - firstUs) * BigInt(firstRows)) / rowCount + 1n], MAX_FIRST_US);
    for (let length = shortest; endUs - length > beginUs; length *= GROWTH) begins.push(endUs - length);
  }
  return [...begins, FIRST_US];
}

function bind({ sql, values }: BoundedStatement, given: readonly BoundValue[], beginUs: bigint): NewestStatement {
  const begin = { value: new DuckDBTimestampValue(beginUs), type: TIMESTAMP };
  return { sql, values: [...values.flatMap((position) => given[position] ?? []), begin] };
}

/** Remembers the extent of tables for a while. */
export class NewestFinder {
  readonly #nowMs: () => number;
  readonly #sizes: WindowSizes;
  readonly #extents = new Map<string, { readonly extent: Extent; readonly readAtMs: number }>();

  constructor(nowMs: () => number, sizes = WINDOW_SIZES) {
    this.#nowMs = nowMs;
    this.#sizes = sizes;
  }

  /** Is the table so large that its newest rows are looked for? */
  async isWorthIt(connection: Connection, { table }: NewestPlan): Promise<boolean> {
    const { rowCount } = await this.#extentOf(connection, table);
    return rowCount >= this.#sizes.minRows;
  }

  /**
   * The statement that reads the rows of the answer and few others. `values` are those of the query's own statement.
   * It is right for the rows that this finds, so both are to run in one transaction.
   */
  async find(
    connection: Connection,
    { table, count, times, rows, from, until }: NewestPlan,
    { parameters }: HostQuery,
    values: readonly BoundValue[],
  ): Promise<NewestStatement> {
    const nowUs = BigInt(Math.round(this.#nowMs() * 1000));
    const wanted = { from: timesOf(from, parameters), until: timesOf(until, parameters), nowUs };
    for (const beginUs of beginsOf(await this.#extentOf(connection, table), wanted, this.#sizes.firstRows)) {
      const { sql, values: bound } = bind(times, values, beginUs);
      const found = (await connection.all(sql, bound)).slice(0, count);
      if (found.length < count && beginUs !== FIRST_US) continue;
      // There is no row where none is found.
      return bind(rows, values, microsOf(found.at(-1)?.[0]) ?? LAST_US);
    }
    throw new Error("The last window holds all rows");
  }

  async #extentOf(connection: Connection, table: string): Promise<Extent> {
    const nowMs = this.#nowMs();
    const known = this.#extents.get(table);
    if (known !== undefined && nowMs - known.readAtMs < EXTENT_MS) return known.extent;
    const sql = `SELECT count(*), min("timestamp"), max("timestamp") FROM "${table}"`;
    const [[count, first, last] = []] = await connection.all(sql);
    const extent = {
      rowCount: typeof count === "bigint" ? count : 0n,
      firstUs: microsOf(first) ?? 0n,
      lastUs: microsOf(last) ?? 0n,
    };
    this.#extents.set(table, { extent, readAtMs: nowMs });
    return extent;
  }
}
