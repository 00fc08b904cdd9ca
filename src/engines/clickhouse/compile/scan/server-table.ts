import type { TableDefinition } from "../../../../googlesql/relation.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import type { Binding } from "../scope.ts";

/** A table of the server as the compiler reads it. */
export interface ServerTable {
  readonly name: string;
  /** A column of the definition over the table's alias; undefined where the server has it in no exact form. */
  column(alias: string, source: string, type: SqlType): Binding | undefined;
}

/** Finds the table that was made with a definition, by the object itself. */
export type ServerTables = (table: TableDefinition) => ServerTable | undefined;
