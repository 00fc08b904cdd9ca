import { isDeepStrictEqual } from "node:util";
import { createWay } from "./give-way.ts";

/**
 * Parses all rows of a table each time they are read. A row that is as it was has the same value as before: of
 * thousands, one that was changed is all that is parsed. A row without a value is left out.
 */
export function createRowReader<Row extends { readonly id: string }, Value>(
  parse: (row: Row) => Value | undefined,
): (rows: readonly Row[]) => Promise<readonly Value[]> {
  let known = new Map<string, { readonly row: Row; readonly value: Value | undefined }>();
  return async (rows) => {
    const giveWay = createWay();
    const read: typeof known = new Map();
    for (const row of rows) {
      const before = known.get(row.id);
      const isSame = before !== undefined && isDeepStrictEqual(before.row, row);
      read.set(row.id, isSame ? before : { row, value: parse(row) });
      await giveWay();
    }
    known = read;
    return [...read.values()].flatMap(({ value }) => value ?? []);
  };
}
