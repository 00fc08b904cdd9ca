import { randomUUID } from "node:crypto";
import type { MetadataDatabase } from "./database.ts";
import type { ViewTable } from "./schema.ts";

/** A saved view: a name for a state of the explorer. */
export interface SavedView {
  readonly id: string;
  readonly name: string;
  /** Name of the endpoint that it explores, or `source:NAME`. */
  readonly endpoint: string;
  /** The state of the explorer as in its URL. The service does not interpret it. */
  readonly state: string;
  /** Public id of the token that saved it. */
  readonly author: string;
  /** True where every token that may run the endpoint sees it. */
  readonly isShared: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Keeps saved views. */
export interface ViewStore {
  /** The author's own, and those that are shared; by name. */
  listFor(author: string): Promise<readonly SavedView[]>;
  /** Undefined where the author has `maxCount` of them already. */
  add(view: Omit<SavedView, "id" | "createdAt">, maxCount: number): Promise<SavedView | undefined>;
  /** Removes one of the author's own, or for owners a shared one. False where there is none. */
  remove(id: string, author: string, isOwner: boolean): Promise<boolean>;
}

/** Keeps views in the metadata; `now` is the clock, in milliseconds since 1970. */
export function createViewStore({ queries, inTurn }: MetadataDatabase, now: () => number): ViewStore {
  return {
    async listFor(author) {
      const rows = await queries
        .selectFrom("views")
        .selectAll()
        .where(({ eb, or }) => or([eb("author", "=", author), eb("is_shared", "=", 1)]))
        .orderBy("name")
        .orderBy("id")
        .execute();
      return rows.map(toView);
    },
    async add({ name, endpoint, state, author, isShared }, maxCount) {
      const row = {
        id: randomUUID(),
        name,
        endpoint,
        state,
        author,
        is_shared: isShared ? 1 : 0,
        created_at: now(),
      };
      // Concurrent saves cannot both be the last one that fits. The write comes first: in a file, it takes the lock.
      return inTurn(`views of ${author}`, async (transaction) => {
        await transaction.insertInto("views").values(row).execute();
        const { count } = await transaction
          .selectFrom("views")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("author", "=", author)
          .executeTakeFirstOrThrow();
        if (count <= maxCount) return toView(row);
        await transaction.deleteFrom("views").where("id", "=", row.id).execute();
        return undefined;
      });
    },
    async remove(id, author, isOwner) {
      const { numDeletedRows } = await queries
        .deleteFrom("views")
        .where("id", "=", id)
        .where(({ eb, or }) => or([eb("author", "=", author), ...(isOwner ? [eb("is_shared", "=", 1)] : [])]))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function toView({ is_shared: shared, created_at: createdAt, ...row }: ViewTable): SavedView {
  return { ...row, isShared: shared === 1, createdAt };
}
