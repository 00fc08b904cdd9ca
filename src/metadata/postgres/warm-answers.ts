import { type Kysely, sql } from "kysely";
import type { ComputedAnswer } from "../../endpoints/cache/cached-answer.ts";
import type { AnswerStore } from "../../endpoints/cache/shared-refreshes.ts";
import type { PostgresSchema } from "./schema.ts";

/** Answer properties stored as JSON, which has no form for `bigint`. */
type Head = Pick<ComputedAnswer, "columns"> & {
  readonly next?: ComputedAnswer["next"];
  readonly dataThroughUs?: string;
};

/** Stores refreshed answers in the database for as long as they are valid. */
export function createAnswerStore(queries: Kysely<PostgresSchema>, nowMs: () => number): AnswerStore {
  return {
    async find(key, madeAfterMs) {
      const row = await queries
        .selectFrom("warm_answers")
        .select(["made_at", "head", "body"])
        .where("key", "=", key)
        .where("made_at", ">", madeAfterMs)
        .where("expires_at", ">", nowMs())
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { columns, next, dataThroughUs } = JSON.parse(row.head) as Head;
      const covered = dataThroughUs === undefined ? undefined : BigInt(dataThroughUs);
      // By the clock of another machine, which may be fast.
      const computedAtMs = Math.min(row.made_at, nowMs());
      return { computed: { body: row.body, columns, next, dataThroughUs: covered }, computedAtMs };
    },
    async put(key, { computed: { body, columns, next, dataThroughUs }, computedAtMs }, expiresAtMs) {
      const head: Head = {
        columns,
        ...(next === undefined ? {} : { next }),
        ...(dataThroughUs === undefined ? {} : { dataThroughUs: String(dataThroughUs) }),
      };
      const row = {
        made_at: Math.floor(computedAtMs),
        expires_at: Math.ceil(expiresAtMs),
        head: JSON.stringify(head),
        body,
      };
      await sql`DELETE FROM warm_answers WHERE expires_at <= ${Math.floor(nowMs())}`.execute(queries);
      await queries
        .insertInto("warm_answers")
        .values({ key, ...row })
        .onConflict((conflict) => conflict.column("key").doUpdateSet(row))
        .execute();
    },
  };
}
