import type { MetadataDatabase } from "./database.ts";

/** Something that a command did on the data folder. */
export interface OutboxEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** JSON of the event. */
  readonly event: string;
}

/** Where commands leave what they did for the audit of the service that runs, or of the next one. */
export interface AuditOutbox {
  put(event: object): Promise<void>;
  /**
   * What is there, oldest first; afterwards it is not there any more. Costs microseconds as long as nobody has put
   * anything in.
   */
  take(): Promise<readonly OutboxEntry[]>;
}

/** `now` is the clock, in milliseconds since 1970. */
export function createAuditOutbox({ queries, dataVersion }: MetadataDatabase, now: () => number): AuditOutbox {
  let seen: number | undefined;
  return {
    async put(event) {
      await queries
        .insertInto("audit_outbox")
        .values({ at: now(), event: JSON.stringify(event) })
        .execute();
    },
    async take() {
      const version = dataVersion();
      if (version === seen) return [];
      const rows = await queries.selectFrom("audit_outbox").selectAll().orderBy("id").execute();
      const last = rows.at(-1);
      if (last !== undefined) await queries.deleteFrom("audit_outbox").where("id", "<=", last.id).execute();
      seen = version;
      return rows.map(({ at, event }) => ({ at, event }));
    },
  };
}
