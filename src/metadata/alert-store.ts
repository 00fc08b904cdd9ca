import type { MetadataDatabase } from "./database.ts";

/** An alert as it is stored. */
export interface StoredAlert {
  readonly id: string;
  /** Sealed. */
  readonly document: string;
}

/** Stores alerts, and the outcome of their runs. */
export interface AlertStore {
  /** In order of creation. */
  list(): Promise<readonly StoredAlert[]>;
  /** Adds some, or replaces those with their ids, in one write. */
  put(alerts: readonly StoredAlert[]): Promise<void>;
  /** Removes some with their states, in one write. */
  remove(ids: readonly string[]): Promise<void>;
  /** The states, as JSON, by the alerts' ids. */
  states(): Promise<ReadonlyMap<string, string>>;
  readState(id: string): Promise<string | undefined>;
  /** Replaces states by the alerts' ids, in one write. Resolves with the ids of alerts that there are still. */
  putStates(states: ReadonlyMap<string, string>): Promise<ReadonlySet<string>>;
}

/** Keeps alerts in the metadata. */
export function createAlertStore({ queries }: MetadataDatabase): AlertStore {
  return {
    list: () => queries.selectFrom("alerts").select(["id", "document"]).orderBy("number").execute(),
    async put(alerts) {
      await queries
        .insertInto("alerts")
        .values(alerts.map(({ id, document }) => ({ id, document })))
        .onConflict((conflict) =>
          conflict.column("id").doUpdateSet(({ ref }) => ({ document: ref("excluded.document") })),
        )
        .execute();
    },
    async remove(ids) {
      await queries.transaction().execute(async (transaction) => {
        await transaction.deleteFrom("alerts").where("id", "in", ids).execute();
        await transaction.deleteFrom("alert_states").where("id", "in", ids).execute();
      });
    },
    async states() {
      const rows = await queries.selectFrom("alert_states").selectAll().execute();
      return new Map(rows.map(({ id, state }) => [id, state]));
    },
    async readState(id) {
      const row = await queries.selectFrom("alert_states").select("state").where("id", "=", id).executeTakeFirst();
      return row?.state;
    },
    async putStates(states) {
      const ids = [...states.keys()];
      return queries.transaction().execute(async (transaction) => {
        // The write comes first: in a file, it takes the lock.
        await transaction
          .insertInto("alert_states")
          .values([...states].map(([id, state]) => ({ id, state })))
          .onConflict((conflict) => conflict.column("id").doUpdateSet(({ ref }) => ({ state: ref("excluded.state") })))
          .execute();
        const alerts = await transaction.selectFrom("alerts").select("id").where("id", "in", ids).execute();
        const left = new Set(alerts.map(({ id }) => id));
        const gone = ids.filter((id) => !left.has(id));
        if (gone.length > 0) await transaction.deleteFrom("alert_states").where("id", "in", gone).execute();
        return left;
      });
    },
  };
}
