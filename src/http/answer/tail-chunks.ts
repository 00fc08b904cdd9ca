import type { TailRow } from "../../endpoints/tail/ask-tail.ts";

/** Messages of rows, laid out once for all followers of the same query. */
export interface TailChunks {
  of(rows: readonly TailRow[], seal: (place: TailRow["place"]) => string): Buffer;
}

export function createTailChunks(): TailChunks {
  const laidOut = new WeakMap<readonly TailRow[], Buffer>();
  return {
    of(rows, seal) {
      const known = laidOut.get(rows);
      if (known !== undefined) return known;
      const made = Buffer.from(rows.map(({ place, json }) => `id: ${seal(place)}\ndata: ${json}\n\n`).join(""));
      laidOut.set(rows, made);
      return made;
    },
  };
}
