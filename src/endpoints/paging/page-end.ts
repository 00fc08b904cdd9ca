import { RowBatch } from "../../engines/contract/query-engine.ts";
import { lastObject, lastValue, splitValues } from "../../values/json/split-json.ts";
import type { PagePlace } from "./cursor.ts";
import { type Paging, placeParameter } from "./page-query.ts";

/** Bytes at the end of a batch that are searched for its last row first. */
const tailBytes = 16_384;

/** Watches a page's rows go by: takes hidden columns off, and keeps the last row's place. */
export interface PageEnd {
  read(batch: RowBatch): RowBatch;
  /** Where the next page begins, once all rows were read; undefined where the page was not full. */
  next(): PagePlace | undefined;
}

/** Rows of a full page of a call that answers `maxRows` at most; undefined where there are no pages. */
export function fullPageRows(paging: Paging | undefined, maxRows: number): number | undefined {
  return paging === undefined ? undefined : Math.min(paging.pageSize ?? maxRows, maxRows);
}

/** `maxRows` is the most that the page can have. */
export function createPageEnd(paging: Paging | undefined, maxRows: number): PageEnd {
  if (paging === undefined) return { read: (batch) => batch, next: () => undefined };
  const pageSize = fullPageRows(paging, maxRows);
  const hidden = paging.keys.findIndex(({ name }, index) => name === placeParameter(index));
  let rowCount = 0;
  let last: RowBatch | undefined;
  return {
    read(batch) {
      rowCount += batch.rowCount;
      if (rowCount === pageSize && batch.rowCount > 0) last = batch;
      if (hidden === -1) return batch;
      const rows = [...splitValues(batch.json)];
      return new RowBatch(rows.map((row) => hideFrom(row, placeParameter(hidden))).join(","), batch.rowCount);
    },
    next() {
      const row = last === undefined ? undefined : (lastObject(last.tail(tailBytes)) ?? lastValue(last.json));
      return row === undefined ? undefined : placeOf(row, paging);
    },
  };
}

/** Hidden columns are the last: the row ends where the first of them begins. A text value holds no bare quotes. */
export function hideFrom(row: string, name: string): string {
  const key = `${JSON.stringify(name)}:`;
  const start = row.lastIndexOf(`,${key}`);
  return start === -1 ? "{}" : `${row.slice(0, start)}}`;
}

/** The place behind a row, which has its hidden columns. */
export function placeOf(row: string, { keys }: Pick<Paging, "keys">): PagePlace {
  const values = JSON.parse(row) as Readonly<Record<string, unknown>>;
  return keys.map(({ name }) => {
    const value = values[name];
    return value === null || value === undefined ? null : String(value);
  });
}
