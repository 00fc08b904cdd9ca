import type { EventValue } from "./event-store.ts";

/** A Parquet file that is open, whoever wrote it. */
export interface ParquetFile {
  /** The names of its columns, which differ by more than their case. */
  readonly columns: readonly string[];
  /** The key-value metadata of its footer. */
  readonly facts: ReadonlyMap<string, string>;
  /** Reads all rows in their order, with the values of some columns as events have them. Throws for damage. */
  rows(columns: readonly string[]): AsyncGenerator<readonly (EventValue | null)[]>;
  close(): void;
}
