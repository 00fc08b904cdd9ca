import type { ColumnDataType, CreateTableBuilder, Expression, Kysely } from "kysely";

/** The types and constraints of columns that differ between databases. */
export interface Columns {
  /** Texts, compared and ordered by their bytes. */
  readonly text: ColumnDataType | Expression<unknown>;
  /** Whole numbers of up to 2^53. */
  readonly whole: ColumnDataType;
  /** Adds a key that the database numbers, from 1, in the order of inserts. */
  addNumber<Table extends string, Names extends string>(
    table: CreateTableBuilder<Table, Names>,
    name: string,
  ): CreateTableBuilder<Table, Names>;
  /** Adds what several services on the database agree by. */
  addNodes(db: Kysely<unknown>): Promise<void>;
  /** Adds the outcome of drained events, where several services share it. */
  addDrainProgress(db: Kysely<unknown>): Promise<void>;
  /** Has changes of the table `alerts` noticed by other services. */
  watchAlerts(db: Kysely<unknown>): Promise<void>;
  /** Has positions in drained events go with their rules, where several services share them. */
  bindDrainPositions(db: Kysely<unknown>): Promise<void>;
}
