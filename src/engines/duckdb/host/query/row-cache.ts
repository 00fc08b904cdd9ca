/**
 * The texts of rows that were returned recently. DuckDB decompresses the JSON of 2,048 rows, 1.5 to 3 ms, for each
 * vector of which one row is needed; reading only ids and times avoids that if the rest of every row is cached. A
 * statement that ran before with the same values reads from the time of its last row on: that many rows after a time
 * are the newest, whatever has been stored or deleted since.
 *
 * It is correct because a cached row never changes: a source's events are identified by their tenants and ids,
 * compaction moves rows unchanged, and no text is overwritten (a JSON column's NULL may be, so it is not cached).
 * Only after a deletion can an id belong to another event: `forget` then ends a generation, and no row of one
 * generation is used in a statement of another.
 */

import { LRUCache } from "lru-cache";
import { DuckDBTimestampValue, type DuckDBValue } from "../../driver/driver.ts";
import { FIRST_US, LATE_ROWS, type PlainColumn, type RowsPlan } from "../../statement-plan.ts";

/** How to ask for the rows of such a statement without their texts. */
interface RowShape {
  readonly table: string;
  /** The same statement, with each row's tenant after its columns if rows have one. */
  readonly wholeSql: string;
  readonly hasTenant: boolean;
  readonly limit: number;
  /** Values that the statement takes. */
  readonly valueCount: number;
  /** The same without the texts. */
  readonly keysSql: string;
  /**
   * That statement from a time on, its last parameter; only where rows are sorted newest first. It asks for more than
   * `limit` rows where there are more: beyond `LATE_ROWS` DuckDB makes no second pass over the table, which keys have
   * no use for.
   */
  readonly newest:
    | { readonly sql: string; readonly timePosition: number; readonly timeKeyPosition: number }
    | undefined;
  /** The name of each column that is a cached text; undefined for those that `keysSql` returns. */
  readonly texts: readonly (string | undefined)[];
  /** Where the id stands among all columns, and in what `keysSql` answers. */
  readonly idPosition: number;
  readonly idKeyPosition: number;
}

function positionOf(columns: readonly PlainColumn[], name: string): number {
  return columns.findIndex(({ column }) => column === name);
}

/** The column that identifies the tenant in a table; undefined where nothing does. */
export type FindTenantColumn = (table: string) => string | undefined;

/** Undefined where there is no text, or no id to find it by. */
export function createRowShape(
  { table, alias, columns, where, order, isNewestFirst, limit }: RowsPlan,
  valueCount: number,
  findTenantColumn: FindTenantColumn = () => undefined,
): RowShape | undefined {
  if (limit === 0 || limit > LATE_ROWS) return undefined;
  const keys = columns.filter(({ isText }) => !isText);
  const [idPosition, idKeyPosition] = [positionOf(columns, "id"), positionOf(keys, "id")];
  if (idKeyPosition === -1 || keys.length === columns.length) return undefined;
  // Ids are unique within a tenant.
  const tenantColumn = findTenantColumn(table);
  const tenant = tenantColumn === undefined ? "" : `, ${alias}."${tenantColumn}" AS lw_tenant`;
  const print = (list: readonly PlainColumn[], condition: string, count: number) => {
    const items = list.map(({ column, alias: name }) => `${alias}."${column}" AS ${name}`).join(", ");
    const filter = condition === "" ? "" : ` WHERE ${condition}`;
    return `SELECT ${items}${tenant} FROM "${table}" AS ${alias}${filter} ORDER BY ${order} LIMIT ${count}::BIGINT`;
  };
  const since = `${alias}."timestamp" >= CAST($${valueCount + 1} AS TIMESTAMP)`;
  const timeKeyPosition = positionOf(keys, "timestamp");
  return {
    table,
    wholeSql: print(columns, where, limit),
    hasTenant: tenantColumn !== undefined,
    limit,
    valueCount,
    keysSql: print(keys, where, limit),
    newest:
      timeKeyPosition === -1 || !isNewestFirst
        ? undefined
        : {
            sql: print(keys, where === "" ? since : `${since} AND (${where})`, LATE_ROWS + 1),
            timePosition: positionOf(columns, "timestamp"),
            timeKeyPosition,
          },
    texts: columns.map(({ column, isText }) => (isText ? column : undefined)),
    idPosition,
    idKeyPosition,
  };
}

/** Bytes of texts that are cached at most, two for each of their characters. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
const BYTES_PER_ROW = 200;
/** Rows with longer texts are not cached: they would push out many others. */
const MAX_TEXT_LENGTH = 100_000;
/** Statements that are remembered with their shapes, sets of values of each, and the characters of such a set. */
const MAX_SHAPES = 500;
const MAX_CALLS = 100;
const MAX_CALL_LENGTH = 2_000;
/** A statement that meets unknown rows each time tries again once in so many runs. */
const MAX_PAUSE = 16;

type Row = readonly DuckDBValue[];

/** One statement of a shape, what was learnt of it, and when it was begun. */
export interface CacheableCall {
  readonly shape: RowShape;
  readonly state: ShapeState;
  readonly generation: number;
  /** Its values, as text. */
  readonly values: string;
  /**
   * Where the newest rows began the last time, in microseconds; undefined where it did not run, FIRST_US where there
   * were too few.
   */
  readonly sinceUs: bigint | undefined;
}

interface ShapeState {
  readonly shape: RowShape | undefined;
  readonly sinceUs: LRUCache<string, bigint>;
  /**
   * Runs that are to pass before ids are asked for first, to begin with the statement's own first, and how many that
   * were the last time.
   */
  wait: number;
  pause: number;
}

/** A statement to be run first, with the value of its one additional parameter, if it has one. */
interface KeysStatement {
  readonly sql: string;
  readonly since: DuckDBTimestampValue | undefined;
}

function isText(value: DuckDBValue | undefined): value is string {
  return typeof value === "string";
}

/** A JSON column's NULL may be written over later. */
function isLasting({ texts }: RowShape, row: Row): boolean {
  return texts.every((name, at) => {
    const value = row[at];
    if (name === undefined || (name === "event_message" && value === null)) return true;
    return isText(value) && value.length <= MAX_TEXT_LENGTH;
  });
}

/** Returns a key of an event's texts. A row's tenant is its last value, if it has one. */
function keyOf({ table, texts, hasTenant }: RowShape, row: Row, idPosition: number): string {
  const tenant = hasTenant ? (row.at(-1) ?? null) : null;
  const whose = tenant === null ? "" : `${String(tenant).length}:${String(tenant)}`;
  return `${table} ${texts.join()} ${whose} ${String(row[idPosition])}`;
}

function noteNewest({ shape, state, values }: CacheableCall, rows: readonly Row[], timePosition: number): void {
  if (values.length > MAX_CALL_LENGTH) return;
  const last = rows[shape.limit - 1]?.[timePosition];
  state.sinceUs.set(values, last instanceof DuckDBTimestampValue ? last.micros : FIRST_US);
}

/** Values of a call, without those that are others at the next run: rows are counted, whatever time they were of. */
function withoutClock(values: readonly unknown[], clockValues: readonly number[]): readonly unknown[] {
  return values.filter((_, position) => !clockValues.includes(position));
}

/** Lets more and more runs pass before ids are asked for first again. */
function pause(state: ShapeState): void {
  state.pause = Math.min(MAX_PAUSE, Math.max(1, state.pause * 2));
  state.wait = state.pause;
}

/** Empty at first. */
export class RowCache {
  readonly #findTenantColumn: FindTenantColumn;
  readonly #states = new LRUCache<string, ShapeState>({ max: MAX_SHAPES });
  readonly #texts = new LRUCache<string, Row>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: (texts) =>
      texts.reduce<number>((sum, text) => sum + (isText(text) ? 2 * text.length : 0), BYTES_PER_ROW),
  });
  #generation = 0;

  constructor(findTenantColumn: FindTenantColumn = () => undefined) {
    this.#findTenantColumn = findTenantColumn;
  }

  /** Begins a statement of so many values; undefined where nothing of its rows can be cached. */
  begin(sql: string, plan: RowsPlan, columnCount: number, values: readonly unknown[]): CacheableCall | undefined {
    const state = this.#stateOf(sql, plan, values.length);
    const { shape, sinceUs } = state;
    if (shape === undefined || shape.texts.length !== columnCount || shape.valueCount !== values.length)
      return undefined;
    const text = JSON.stringify(plan.clockValues === undefined ? values : withoutClock(values, plan.clockValues));
    return { shape, state, generation: this.#generation, values: text, sinceUs: sinceUs.get(text) };
  }

  /** Returns the statement to be run first; undefined if it would save little. */
  keysOf({ shape, state, sinceUs }: CacheableCall): KeysStatement | undefined {
    if (state.wait > 0) {
      state.wait--;
      return undefined;
    }
    if (this.#texts.size === 0) return undefined;
    if (shape.newest === undefined || sinceUs === undefined) return { sql: shape.keysSql, since: undefined };
    return { sql: shape.newest.sql, since: new DuckDBTimestampValue(sinceUs) };
  }

  /** The whole rows for those that the keys' statement answered; undefined unless all of them are known. */
  complete(call: CacheableCall, keys: readonly Row[]): readonly Row[] | undefined {
    const { shape, state } = call;
    const wanted = keys.slice(0, shape.limit);
    const texts = wanted.map((row) => this.#texts.get(keyOf(shape, row, shape.idKeyPosition)));
    if (!this.#isComplete(call, keys.length) || texts.includes(undefined)) {
      pause(state);
      return undefined;
    }
    state.pause = 0;
    if (shape.newest !== undefined) noteNewest(call, wanted, shape.newest.timeKeyPosition);
    return wanted.map((row, index) => {
      let [key, text] = [0, 0];
      return shape.texts.map((name) => (name === undefined ? row[key++] : texts[index]?.[text++]) ?? null);
    });
  }

  /** Takes all rows of a statement that ran whole. */
  add(call: CacheableCall, rows: readonly Row[]): void {
    const { shape } = call;
    if (call.generation !== this.#generation) return;
    for (const row of rows) {
      if (!isLasting(shape, row)) continue;
      const texts = row.filter((_, at) => shape.texts[at] !== undefined);
      this.#texts.set(keyOf(shape, row, shape.idPosition), texts);
    }
    if (shape.newest !== undefined) noteNewest(call, rows, shape.newest.timePosition);
  }

  /** To be called when events were deleted, before an id of theirs can be stored again. */
  forget(): void {
    this.#generation++;
    this.#texts.clear();
  }

  #stateOf(sql: string, plan: RowsPlan, valueCount: number): ShapeState {
    let state = this.#states.get(sql);
    if (state === undefined) {
      const shape = createRowShape(plan, valueCount, this.#findTenantColumn);
      state = { shape, sinceUs: new LRUCache({ max: MAX_CALLS }), wait: 1, pause: 0 };
      this.#states.set(sql, state);
    }
    return state;
  }

  #isComplete({ shape, generation, sinceUs }: CacheableCall, rowCount: number): boolean {
    // Behind a time there may be too few by now; then those before it belong to the answer too.
    return (
      generation === this.#generation && (sinceUs === undefined || sinceUs === FIRST_US || rowCount >= shape.limit)
    );
  }
}
