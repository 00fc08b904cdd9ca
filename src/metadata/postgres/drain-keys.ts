import { type Kysely, sql } from "kysely";
import type { KeptPosition, KeyStore, WaitingKeys } from "../../drains/key-store.ts";
import type { PostgresSchema } from "./schema.ts";

/** Batches that are read, or given up, at once. */
const batchCount = 100;

/** Keeps keys of events that wait to be drained in the database. */
export function createKeyStore(queries: Kysely<PostgresSchema>): KeyStore {
  return { ...createKeys(queries), ...createReleases(queries), ...createPositions(queries) };
}

type Releases = Pick<KeyStore, "releaseBefore" | "dropOldest" | "remove">;

type Positions = Pick<KeyStore, "positions" | "openPosition" | "savePosition" | "removePosition">;

function createKeys(queries: Kysely<PostgresSchema>): Omit<KeyStore, keyof Releases | keyof Positions> {
  return {
    async waiting() {
      const { rows } = await sql<WaitingKeys>`
        SELECT source, next AS end, bytes AS "byteCount",
          coalesce((SELECT min(first) FROM drain_keys WHERE drain_keys.source = drain_journals.source), next) AS first
        FROM drain_journals`.execute(queries);
      return rows;
    },
    async add(source, lines, count) {
      const bytes = Buffer.byteLength(lines);
      // The journal's row is locked until the batch is there: numbers come in the order of commits, without a gap.
      const { rows } = await sql<{ readonly end: number }>`
        WITH journal AS (
          INSERT INTO drain_journals (source, next, bytes) VALUES (${source}, ${count}, ${bytes})
          ON CONFLICT (source) DO UPDATE
          SET next = drain_journals.next + EXCLUDED.next, bytes = drain_journals.bytes + EXCLUDED.bytes
          RETURNING next
        )
        INSERT INTO drain_keys (source, first, count, lines)
        SELECT ${source}::text, next - ${count}::bigint, ${count}::bigint, ${lines}::text FROM journal
        RETURNING first + count AS end`.execute(queries);
      const [row] = rows;
      if (row === undefined) throw new Error("Keys were not kept");
      return row.end;
    },
    async read(source, from) {
      const { rows } = await sql<{ readonly first: number; readonly lines: string }>`
        SELECT first, lines FROM drain_keys
        WHERE source = ${source}
          AND first >= (SELECT max(first) FROM drain_keys WHERE source = ${source} AND first <= ${from})
        ORDER BY first LIMIT ${batchCount}`.execute(queries);
      return rows;
    },
  };
}

function createReleases(queries: Kysely<PostgresSchema>): Releases {
  return {
    async releaseBefore(source, number) {
      await sql`
        WITH gone AS (
          DELETE FROM drain_keys WHERE source = ${source} AND first < ${number} AND first + count <= least(${number},
            (SELECT min(number) FROM drain_positions WHERE source = ${source}))
          RETURNING octet_length(lines) AS bytes
        )
        UPDATE drain_journals SET bytes = bytes - (SELECT sum(bytes) FROM gone)::bigint
        WHERE source = ${source} AND EXISTS (SELECT FROM gone)`.execute(queries);
    },
    async dropOldest(source) {
      const { rows } = await sql<{ readonly count: number }>`
        WITH gone AS (
          DELETE FROM drain_keys WHERE source = ${source}
            AND first IN (SELECT first FROM drain_keys WHERE source = ${source} ORDER BY first LIMIT ${batchCount})
          RETURNING count, octet_length(lines) AS bytes
        ), counted AS (
          UPDATE drain_journals SET bytes = bytes - (SELECT sum(bytes) FROM gone)::bigint
          WHERE source = ${source} AND EXISTS (SELECT FROM gone)
        )
        SELECT coalesce(sum(count), 0)::bigint AS count FROM gone`.execute(queries);
      return rows[0]?.count ?? 0;
    },
    async remove(source) {
      await queries.transaction().execute(async (transaction) => {
        // Another service may have made a rule since, which this one does not know yet.
        const { rows } = await sql`SELECT FROM drain_positions WHERE source = ${source} LIMIT 1`.execute(transaction);
        if (rows.length > 0) return;
        await transaction.deleteFrom("drain_journals").where("source", "=", source).execute();
        await transaction.deleteFrom("drain_keys").where("source", "=", source).execute();
      });
    },
  };
}

function createPositions(queries: Kysely<PostgresSchema>): Positions {
  return {
    async positions() {
      const rows = await queries.selectFrom("drain_positions").select(["rule_id", "number", "progress"]).execute();
      return new Map(rows.map(({ rule_id: id, ...kept }) => [id, kept]));
    },
    async openPosition({ id, source }, otherwise) {
      const { rows } = await sql<KeptPosition>`
        INSERT INTO drain_positions (rule_id, source, number) VALUES (${id}, ${source}, coalesce(
          ${otherwise === "first" ? sql`(SELECT min(first) FROM drain_keys WHERE source = ${source})` : sql`NULL`},
          (SELECT next FROM drain_journals WHERE source = ${source}), 0))
        ON CONFLICT (rule_id) DO UPDATE SET source = EXCLUDED.source
        RETURNING number, progress`.execute(queries);
      return rows[0] ?? { number: 0, progress: null };
    },
    async savePosition(id, { number, progress }, isNewJournal) {
      const save = queries.updateTable("drain_positions").set({ number, progress }).where("rule_id", "=", id);
      // Whoever sent until a moment ago does not take back what another has sent since.
      await (isNewJournal ? save : save.where("number", "<", number)).execute();
    },
    async removePosition(id) {
      await queries.deleteFrom("drain_positions").where("rule_id", "=", id).execute();
    },
  };
}
