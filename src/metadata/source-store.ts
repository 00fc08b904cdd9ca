import type { MetadataDatabase } from "./database.ts";

/** A source that the API made, as it is kept. */
export interface StoredSource {
  readonly name: string;
  /** JSON: the source's document. */
  readonly document: string;
}

/** Keeps the sources that the API made. */
export interface SourceStore {
  /** By name. */
  list(): Promise<readonly StoredSource[]>;
  /** Adds one, or replaces the one with its name. */
  put(source: StoredSource): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Keeps sources in the metadata; `now` is the clock, in milliseconds since 1970. */
export function createSourceStore({ queries }: MetadataDatabase, now: () => number): SourceStore {
  return {
    list: () => queries.selectFrom("sources").select(["name", "document"]).orderBy("name").execute(),
    async put({ name, document }) {
      const at = now();
      await queries
        .insertInto("sources")
        .values({ name, document, created_at: at, updated_at: at })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ document, updated_at: at }))
        .execute();
    },
    async remove(name) {
      await queries.deleteFrom("sources").where("name", "=", name).execute();
    },
  };
}
