import { isDeepStrictEqual } from "node:util";
import type { EventStore } from "../engines/contract/query-engine.ts";
import type { TableDefinition } from "../googlesql/relation.ts";
import { orUndo } from "../shared/concurrency/serial-queue.ts";
import { type Source, sourceId } from "./source.ts";
import type { SourceTables } from "./source-tables.ts";

/** The service's sources by name and alias, and the tables that saved queries see in them. */
export interface SourceRegistry extends SourceTables {
  /** Those of the moment. */
  readonly sources: readonly Source[];
  /** By exact name or alias, as ingest takes it: names are case-sensitive there. */
  findSource(nameOrAlias: string): Source | undefined;
  /** By name, alias or id. */
  find(nameOrId: string): Source | undefined;
  /** The tables as they would be with these sources; makes those that are missing. */
  prepare(sources: readonly Source[]): Promise<SourceTables>;
  /**
   * Does work that needs these sources' tables. Where it fails, the store is as it was before: tables that were made
   * for it are gone, unless they have events, and the others are declared as the sources of the moment declare them.
   */
  attempt<T>(sources: readonly Source[], work: (tables: SourceTables) => Promise<T>): Promise<T>;
  /** Replaces all sources. The new ones must have been prepared, and share no name. */
  replace(sources: readonly Source[]): void;
  /** Is called after each `replace`, with what `changedNames` finds. */
  onChange(listener: (changed: ReadonlySet<string>) => void): void;
}

/** Names and aliases, in lower case, of the sources that only one of two lists has as they are. */
export function changedNames(before: readonly Source[], after: readonly Source[]): ReadonlySet<string> {
  const old = new Map(before.map((source) => [source.name, source]));
  const same = new Set<Source>();
  for (const source of after) {
    const known = old.get(source.name);
    if (known === source || isDeepStrictEqual(known, source)) same.add(source).add(known ?? source);
  }
  const changed = [...before, ...after].filter((source) => !same.has(source));
  return new Set(changed.flatMap(({ name, aliases }) => [name, ...aliases].map((each) => each.toLowerCase())));
}

/** Makes every source's table where it is missing; afterwards all sources can be written and queried. */
export async function openSources(sources: readonly Source[], store: EventStore): Promise<SourceRegistry> {
  let current = indexSources(sources, store);
  const prepare = async (wanted: readonly Source[]) => {
    await store.ensureSources(wanted);
    return indexSources(wanted, store);
  };
  const putBack = async (made: readonly Source[]) => {
    for (const { name } of made) {
      const isEmpty = store.describe(name) !== undefined && (await store.countEvents(name, {})) === 0;
      if (isEmpty) await store.dropSource(name);
    }
    await prepare(current.sources);
  };
  await prepare(sources);
  const listeners: ((changed: ReadonlySet<string>) => void)[] = [];
  return {
    get sources() {
      return current.sources;
    },
    findSource: (name) => current.findSource(name),
    find: (nameOrId) => current.findSource(nameOrId) ?? current.byId.get(nameOrId.toLowerCase()),
    findTable: (name, tenant) => current.findTable(name, tenant),
    tableNames: () => current.tableNames(),
    prepare,
    attempt(wanted, work) {
      const made = wanted.filter(({ name }) => store.describe(name) === undefined);
      return orUndo(
        async () => work(await prepare(wanted)),
        () => putBack(made),
      );
    },
    replace(wanted) {
      const changed = changedNames(current.sources, wanted);
      current = indexSources(wanted, store);
      for (const listener of listeners) listener(changed);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

interface SourceIndex extends SourceTables {
  readonly sources: readonly Source[];
  readonly byId: ReadonlyMap<string, Source>;
  findSource(nameOrAlias: string): Source | undefined;
}

function indexSources(sources: readonly Source[], store: EventStore): SourceIndex {
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
    byId: new Map(sources.map((source) => [sourceId(source.name), source])),
    findSource: (name) => exact.get(name),
    findTable(name, tenant): TableDefinition | undefined {
      const source = exact.get(name) ?? folded.get(name.toLowerCase());
      return source === undefined ? undefined : store.describe(source.name, tenant);
    },
    tableNames: () => [...exact.keys()],
  };
}
