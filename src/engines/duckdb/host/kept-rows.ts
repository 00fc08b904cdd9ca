/**
 * Texts of rows that were answered lately. DuckDB decompresses the JSON of 2,048 rows, 1.5 to 3 ms, for each vector of which one
 * row is wanted; asking for ids and times alone spares that when the rest of every row is known.
 *
 * It is right because what is kept never changes: a source's events are told apart by their ids, compaction moves rows as they
 * are, and no text is written over (a JSON column's NULL may be, so it is not kept). Only a deletion lets an id stand for
 * another event: `forget` ends a generation then, and nothing goes from one generation into a statement of another.
 */
import { LRUCache } from "lru-cache";
import type { DuckDBValue } from "../driver.ts";

/** Bytes of texts that are kept at most, two for each of their characters. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const BYTES_PER_ROW = 200;
/** Statements that are remembered with their shapes. */
const MAX_SHAPES = 500;
/** Up to here rows are kept and asked for by their ids; DuckDB sorts keys first up to so many as well. */
const MAX_ROWS = 1024;
/** A statement that meets unknown rows each time tries again once in so many runs. */
const MAX_PAUSE = 16;

/** A statement that selects plain columns of one table, and how its rows are put together. */
export interface RowShape {
  /** The same statement without its texts. Its parameters are those of the whole. */
  readonly keysSql: string;
  readonly table: string;
  /** Of each column: its name where it is a text to keep; else undefined, and `keysSql` answers it. */
  readonly texts: readonly (string | undefined)[];
  /** Where the id stands among all columns, and in what `keysSql` answers. */
  readonly idPosition: number;
  readonly idKeyPosition: number;
  /** Runs that are to pass before ids are asked for first again, and how many that were the last time. */
  wait: number;
  pause: number;
}

type Row = readonly DuckDBValue[];

export interface KeptRows {
  /** Undefined where nothing of the statement's rows can be kept. */
  shapeOf(sql: string, columnCount: number): RowShape | undefined;
  /** Whether to ask for ids and times first; counts the runs. */
  isWorthTrying(shape: RowShape): boolean;
  /** To be taken before a statement begins, and handed in with its rows. */
  readonly generation: number;
  /** The whole rows for those that `keysSql` answered; undefined unless all of them are known. */
  complete(shape: RowShape, generation: number, keys: readonly Row[]): readonly Row[] | undefined;
  keep(shape: RowShape, generation: number, rows: readonly Row[]): void;
  /** To be called when events were deleted, before an id of theirs can be stored again. */
  forget(): void;
}

const PLAIN_ROWS =
  /^SELECT ((?:t1\."\w+" AS \w+, )*t1\."\w+" AS \w+) FROM "(\w+)" AS t1((?: WHERE | ORDER BY ).* LIMIT (\d+)::BIGINT(?: OFFSET \d+::BIGINT)?)$/s;
const ITEM = /t1\."(\w+)" AS (\w+)/g;
/** What reads the select list by position, or is more than one SELECT. Inside a literal it only costs the shape. */
const READS_LIST = /\b(?:GROUP BY|UNION|INTERSECT|EXCEPT|HAVING|QUALIFY|ORDER BY \d)/;
const TEXT_COLUMN = /^(?:event_message|j\d+)$/;

function parseShape(sql: string): RowShape | undefined {
  const [, list = "", table = "", rest = "", limit = ""] = PLAIN_ROWS.exec(sql) ?? [];
  if (list === "" || Number(limit) > MAX_ROWS || READS_LIST.test(rest)) return undefined;
  const items = [...list.matchAll(ITEM)].map(([text, column = "", alias = ""]) => ({
    text,
    column,
    alias,
    isText: TEXT_COLUMN.test(column),
  }));
  const keys = items.filter(({ isText }) => !isText);
  const [idPosition, idKeyPosition] = [items, keys].map((list) => list.findIndex(({ column }) => column === "id"));
  if (idPosition === undefined || idPosition === -1 || idKeyPosition === undefined) return undefined;
  if (keys.length === items.length || items.some(({ isText, alias }) => isText && rest.includes(alias)))
    return undefined;
  return {
    keysSql: `SELECT ${keys.map(({ text }) => text).join(", ")} FROM "${table}" AS t1${rest}`,
    table,
    texts: items.map(({ isText, column }) => (isText ? column : undefined)),
    idPosition,
    idKeyPosition,
    wait: 0,
    pause: 0,
  };
}

/** Nothing is kept at first. */
export function createKeptRows(): KeptRows {
  const shapes = new LRUCache<string, { readonly shape: RowShape | undefined }>({ max: MAX_SHAPES });
  const kept = new LRUCache<string, Row>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: (texts) =>
      texts.reduce<number>((sum, text) => sum + (typeof text === "string" ? 2 * text.length : 0), BYTES_PER_ROW),
  });
  let generation = 0;
  const keyOf = ({ table, texts }: RowShape, id: DuckDBValue | undefined) => `${table} ${texts.join()} ${String(id)}`;

  return {
    shapeOf(sql, columnCount) {
      let known = shapes.get(sql);
      if (known === undefined) {
        known = { shape: parseShape(sql) };
        shapes.set(sql, known);
      }
      return known.shape?.texts.length === columnCount ? known.shape : undefined;
    },
    isWorthTrying(shape) {
      if (kept.size === 0) return false;
      if (shape.wait === 0) return true;
      shape.wait--;
      return false;
    },
    get generation() {
      return generation;
    },
    complete(shape, begunIn, keys) {
      const texts = keys.map((row) => kept.get(keyOf(shape, row[shape.idKeyPosition])));
      if (begunIn !== generation || texts.includes(undefined)) {
        shape.pause = Math.min(MAX_PAUSE, Math.max(1, shape.pause * 2));
        shape.wait = shape.pause;
        return undefined;
      }
      shape.pause = 0;
      return keys.map((row, index) => {
        let [key, text] = [0, 0];
        return shape.texts.map((name) => (name === undefined ? row[key++] : texts[index]?.[text++]) ?? null);
      });
    },
    keep(shape, begunIn, rows) {
      if (begunIn !== generation) return;
      for (const row of rows) {
        const isLasting = shape.texts.every(
          (name, at) => row[at] !== null || name === undefined || name === "event_message",
        );
        const texts = row.filter((_, at) => shape.texts[at] !== undefined);
        if (isLasting) kept.set(keyOf(shape, row[shape.idPosition]), texts);
      }
    },
    forget() {
      generation++;
      kept.clear();
    },
  };
}
