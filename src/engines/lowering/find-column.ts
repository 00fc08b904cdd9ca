/** Columns of a block of SQL that is being printed. */

/** What finding a column reads of a block. */
export interface ColumnPlaces<Binding> {
  /** Columns that were found before, by their ids. */
  readonly bindings: Map<number, Binding>;
  /** What the block reads, each of which may know a column. */
  readonly sources: readonly ((id: number) => Binding | undefined)[];
}

/** The column as expressions of the block print it; undefined if the block does not have it. */
export function findColumn<Binding>(block: ColumnPlaces<Binding>, id: number): Binding | undefined {
  const known = block.bindings.get(id);
  if (known !== undefined) return known;
  for (const source of block.sources) {
    const found = source(id);
    if (found !== undefined) {
      block.bindings.set(id, found);
      return found;
    }
  }
  return undefined;
}
