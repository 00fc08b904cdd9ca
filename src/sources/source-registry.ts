import type { EventStore } from "../engines/engine.ts";
import type { TableCatalog, TableDefinition } from "../googlesql/relation.ts";
import type { Source } from "./source.ts";

/** The service's sources by name and alias, and the tables that saved queries see in them. */
export interface SourceRegistry extends TableCatalog {
  readonly sources: readonly Source[];
  /** By exact name or alias, as ingest takes it: names are case-sensitive there. */
  findSource(nameOrAlias: string): Source | undefined;
}

/** Makes every source's table where it is missing; afterwards all sources can be written and queried. */
export async function openSources(sources: readonly Source[], store: EventStore): Promise<SourceRegistry> {
  for (const source of sources) await store.ensureSource(source);
  const exact = new Map<string, Source>();
  const folded = new Map<string, Source>();
  for (const source of sources) {
    for (const name of [source.name, ...source.aliases]) {
      exact.set(name, source);
      folded.set(name.toLowerCase(), source);
    }
  }
  return {
    sources,
    findSource: (name) => exact.get(name),
    findTable(name): TableDefinition | undefined {
      const source = exact.get(name) ?? folded.get(name.toLowerCase());
      return source === undefined ? undefined : store.describe(source.name);
    },
    tableNames: () => [...exact.keys()],
  };
}
