/** Columns of a block of SQL that is being printed. */

/** The parts of a block in which columns are found. */
export interface ColumnPlaces<Binding> {
  /** Columns that were found before, by their ids. */
  readonly bindings: Map<number, Binding>;
  /** The sources of the block, each of which may have the column. */
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
