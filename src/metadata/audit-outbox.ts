import { randomUUID } from "node:crypto";
import type { MetadataDatabase } from "./database.ts";

/** An action of a command on the data folder, or on the database. */
export interface OutboxEntry {
  readonly number: number;
  /** Identifies the entry in the audit, even if it is recorded twice. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** JSON of the event. */
  readonly event: string;
}

/**
 * The actions that commands leave for the audit of the running service, or of the next one. An entry remains until it
 * is removed, so that the service can store it in the audit first.
 */
export interface AuditOutbox {
  put(event: object): Promise<void>;
  /** The pending entries, oldest first. Costs microseconds while the outbox is empty and unchanged. */
  list(): Promise<readonly OutboxEntry[]>;
  /** Removes what `list` answered. */
  remove(entries: readonly OutboxEntry[]): Promise<void>;
}

/** `now` is the clock, in milliseconds since 1970. */
export function createAuditOutbox({ queries, versionOf }: MetadataDatabase, now: () => number): AuditOutbox {
  /** The version at which the outbox was empty. */
  let empty: number | undefined;
  return {
    async put(event) {
      const text = JSON.stringify({ ...event, entryId: randomUUID() });
      await queries.insertInto("audit_outbox").values({ at: now(), event: text }).execute();
    },
    async list() {
      const version = versionOf("audit_outbox");
      if (version === empty) return [];
      const rows = await queries.selectFrom("audit_outbox").selectAll().orderBy("id").execute();
      if (rows.length === 0) empty = version;
      return rows.map(({ id: number, at, event }) => ({ number, id: entryIdOf(number, at, event), at, event }));
    },
    async remove(entries) {
      if (entries.length === 0) return;
      const numbers = entries.map(({ number }) => number);
      await queries.deleteFrom("audit_outbox").where("id", "in", numbers).execute();
    },
  };
}

/** Entries of earlier releases had none. */
function entryIdOf(number: number, at: number, event: string): string {
  const { entryId } = JSON.parse(event) as { readonly entryId?: unknown };
  return typeof entryId === "string" ? entryId : `outbox ${at} ${number}`;
}
