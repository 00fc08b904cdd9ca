import { type Kysely, sql } from "kysely";
import type {
  EndpointStore,
  NewVersion,
  VersionAction,
  VersionRecord,
  VersionSummary,
} from "../endpoints/management/endpoint-store.ts";
import type { MetadataDatabase } from "./database.ts";
import type { EndpointVersionTable, MetadataSchema } from "./schema.ts";

const summaryColumns = [
  "endpoint_id",
  "number",
  "name",
  "created_at",
  "author",
  "action",
  "rollback_to",
  "changed",
] as const;

/** Keeps endpoints in the metadata file; `now` is the clock, in milliseconds since 1970. */
export function createEndpointStore({ queries }: Pick<MetadataDatabase, "queries">, now: () => number): EndpointStore {
  return {
    async list() {
      const rows = await queries.selectFrom("endpoints").selectAll().orderBy("name").execute();
      return rows.map(({ id, version, name, document, contract }) => ({
        id,
        number: version,
        name,
        document,
        contract,
      }));
    },
    save: (version, base) =>
      queries.transaction().execute(async (transaction) => {
        const { endpointId: id, name, document, contract } = version;
        // The first statement writes, so that nobody else does until the end.
        if (base === undefined) {
          const { numInsertedOrUpdatedRows } = await transaction
            .insertInto("endpoints")
            .values({ id, name, document, contract, version: 0 })
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirst();
          if (numInsertedOrUpdatedRows !== 1n) return undefined;
        } else {
          const { numUpdatedRows } = await transaction
            .updateTable("endpoints")
            .set({ name, document, contract })
            .where("id", "=", id)
            .where("version", "=", base)
            .executeTakeFirst();
          if (numUpdatedRows !== 1n) return undefined;
        }
        const number = await insertVersion(transaction, version, now());
        await transaction.updateTable("endpoints").set({ version: number }).where("id", "=", id).execute();
        return number;
      }),
    async remove(id, base) {
      const { numDeletedRows } = await queries
        .deleteFrom("endpoints")
        .where("id", "=", id)
        .where("version", "=", base)
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },
    record: (version) => insertVersion(queries, version, now()),
    async versions(id) {
      const rows = await queries
        .selectFrom("endpoint_versions")
        .select(summaryColumns)
        .where("endpoint_id", "=", id)
        .orderBy("number", "desc")
        .execute();
      return rows.map(toSummary);
    },
    async version(id, number) {
      const row = await queries
        .selectFrom("endpoint_versions")
        .selectAll()
        .where("endpoint_id", "=", id)
        .where("number", "=", number)
        .executeTakeFirst();
      return row === undefined ? undefined : toRecord(row);
    },
    async latest(id) {
      const row = await queries
        .selectFrom("endpoint_versions")
        .selectAll()
        .where("endpoint_id", "=", id)
        .orderBy("number", "desc")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? undefined : toRecord(row);
    },
  };
}

/** With the next number of its endpoint, in one statement. */
async function insertVersion(queries: Kysely<MetadataSchema>, version: NewVersion, now: number): Promise<number> {
  const { endpointId, name, author, action, rollbackTo, changed, document, contract } = version;
  const { rows } = await sql<{ readonly number: number }>`
    INSERT INTO endpoint_versions (endpoint_id, number, name, created_at, author, action, rollback_to, changed, document, contract)
    SELECT ${endpointId}, coalesce(max(number), 0) + 1, ${name}, ${now}, ${author}, ${action}, ${rollbackTo ?? null},
      ${JSON.stringify(changed)}, ${document}, ${contract}
    FROM endpoint_versions WHERE endpoint_id = ${endpointId}
    RETURNING number`.execute(queries);
  const [row] = rows;
  if (row === undefined) throw new Error("A version was not kept");
  return row.number;
}

function toSummary(row: Pick<EndpointVersionTable, (typeof summaryColumns)[number]>): VersionSummary {
  return {
    endpointId: row.endpoint_id,
    number: row.number,
    name: row.name,
    createdAt: row.created_at,
    author: row.author,
    action: row.action as VersionAction,
    rollbackTo: row.rollback_to ?? undefined,
    changed: JSON.parse(row.changed) as string[],
  };
}

function toRecord(row: EndpointVersionTable): VersionRecord {
  return { ...toSummary(row), document: row.document, contract: row.contract };
}
