import type { TableDefinition } from "../googlesql/relation.ts";

/** Log sources as tables: as a whole, or as one tenant sees them. Names are looked up as queries write them. */
export interface SourceTables {
  /**
   * Undefined where no source has the name or alias; case does not count, an exact match comes first. With `tenant`
   * the table that its events and the source's declaration show; with null what the declaration alone shows. The same
   * object as long as it is the same.
   */
  findTable(name: string, tenant?: string | null): TableDefinition | undefined;
  tableNames(): readonly string[];
}
