import type { MetadataDatabase } from "./database.ts";

/** A backend as it is kept. */
export interface StoredBackend {
  readonly id: string;
  /** JSON: all that is not secret. */
  readonly document: string;
  /** How it is reached, sealed. */
  readonly config: string;
}

/** A rule as it is kept. */
export interface StoredRule {
  readonly id: string;
  readonly backendId: string;
  readonly document: string;
}

/** Stores the destinations of events. Lists are in order of creation. */
export interface DrainStore {
  backends(): Promise<readonly StoredBackend[]>;
  /** Adds one, or replaces the one with its id. */
  putBackend(backend: StoredBackend): Promise<void>;
  /** Removes it with its rules. */
  removeBackend(id: string): Promise<void>;
  rules(): Promise<readonly StoredRule[]>;
  putRule(rule: StoredRule): Promise<void>;
  removeRule(id: string): Promise<void>;
}

/** Keeps backends and rules in the metadata. */
export function createDrainStore({ queries }: MetadataDatabase): DrainStore {
  return {
    backends: () => queries.selectFrom("backends").select(["id", "document", "config"]).orderBy("number").execute(),
    async putBackend({ id, document, config }) {
      await queries
        .insertInto("backends")
        .values({ id, document, config })
        .onConflict((conflict) => conflict.column("id").doUpdateSet({ document, config }))
        .execute();
    },
    async removeBackend(id) {
      await queries.transaction().execute(async (transaction) => {
        await transaction.deleteFrom("rules").where("backend_id", "=", id).execute();
        await transaction.deleteFrom("backends").where("id", "=", id).execute();
      });
    },
    async rules() {
      const rows = await queries
        .selectFrom("rules")
        .select(["id", "backend_id", "document"])
        .orderBy("number")
        .execute();
      return rows.map(({ id, backend_id: backendId, document }) => ({ id, backendId, document }));
    },
    async putRule({ id, backendId, document }) {
      await queries
        .insertInto("rules")
        .values({ id, backend_id: backendId, document })
        .onConflict((conflict) => conflict.column("id").doUpdateSet({ backend_id: backendId, document }))
        .execute();
    },
    async removeRule(id) {
      await queries.deleteFrom("rules").where("id", "=", id).execute();
    },
  };
}
