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

type Positions = Pick<KeyStore, "positions" | "openPositions" | "savePositions">;

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

interface PositionRow extends KeptPosition {
  readonly rule_id: string;
}

function createPositions(queries: Kysely<PostgresSchema>): Positions {
  const byRule = (rows: readonly PositionRow[]) => new Map(rows.map(({ rule_id: id, ...kept }) => [id, kept]));
  return {
    async positions() {
      return byRule(await queries.selectFrom("drain_positions").select(["rule_id", "number", "progress"]).execute());
    },
    async openPositions(wanted) {
      // A rule's document has its source as this text, and nowhere else: quotes within its values are escaped.
      const fields = wanted.map(({ source }) => JSON.stringify({ source }).slice(1, -1));
      const { rows } = await sql<PositionRow>`
        INSERT INTO drain_positions (rule_id, source, number)
        SELECT wanted.id, wanted.source, coalesce(
          CASE WHEN is_first THEN (SELECT min(first) FROM drain_keys WHERE drain_keys.source = wanted.source) END,
          (SELECT next FROM drain_journals WHERE drain_journals.source = wanted.source), 0)
        FROM unnest(
          ${wanted.map(({ id }) => id)}::text[], ${wanted.map(({ source }) => source)}::text[], ${fields}::text[],
          ${wanted.map(({ otherwise }) => otherwise === "first")}::boolean[]
        ) AS wanted (id, source, field, is_first)
        JOIN rules ON rules.id = wanted.id AND strpos(rules.document, wanted.field) > 0
        ON CONFLICT (rule_id) DO UPDATE SET source = EXCLUDED.source,
          number = CASE WHEN drain_positions.source <> EXCLUDED.source THEN EXCLUDED.number
            ELSE drain_positions.number END,
          progress = CASE WHEN drain_positions.source <> EXCLUDED.source THEN NULL ELSE drain_positions.progress END
        RETURNING rule_id, number, progress`.execute(queries);
      return byRule(rows);
    },
    async savePositions(moved) {
      // Whoever sent until a moment ago does not take back what another has sent since.
      await sql`
        UPDATE drain_positions SET number = moved.number, progress = moved.progress
        FROM unnest(
          ${moved.map(({ id }) => id)}::text[], ${moved.map(({ source }) => source)}::text[],
          ${moved.map(({ number }) => number)}::bigint[], ${moved.map(({ progress }) => progress)}::text[],
          ${moved.map(({ isNewJournal }) => isNewJournal)}::boolean[]
        ) AS moved (id, source, number, progress, is_new)
        WHERE rule_id = moved.id AND drain_positions.source = moved.source
          AND (is_new OR drain_positions.number < moved.number)`.execute(queries);
    },
  };
}
