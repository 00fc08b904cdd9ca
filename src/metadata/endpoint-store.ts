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

/** Keeps endpoints in the metadata; `now` is the clock, in milliseconds since 1970. */
export function createEndpointStore({ queries }: Pick<MetadataDatabase, "queries">, now: () => number): EndpointStore {
  const versionsOf = (id: string) =>
    queries.selectFrom("endpoint_versions").where("endpoint_id", "=", id).orderBy("number", "desc");
  return {
    async list() {
      const rows = await queries.selectFrom("endpoints").selectAll().orderBy("name").execute();
      return rows.map(({ version: number, ...row }) => ({ ...row, number }));
    },
    save: (version, base) =>
      queries.transaction().execute(async (transaction) => {
        // The first statement writes, and so excludes other writers until the end.
        const isWritten =
          base === undefined
            ? await insertEndpoint(transaction, version)
            : await updateEndpoint(transaction, version, base);
        if (!isWritten) return undefined;
        const number = await insertVersion(transaction, version, now());
        const { endpointId } = version;
        await transaction.updateTable("endpoints").set({ version: number }).where("id", "=", endpointId).execute();
        return number;
      }),
    async remove(id, base) {
      const removal = queries.deleteFrom("endpoints").where("id", "=", id).where("version", "=", base);
      const { numDeletedRows } = await removal.executeTakeFirst();
      return numDeletedRows === 1n;
    },
    async record(versions) {
      if (versions.length === 0) return [];
      return queries.transaction().execute(async (transaction) => {
        const numbers: number[] = [];
        for (const version of versions) numbers.push(await insertVersion(transaction, version, now()));
        return numbers;
      });
    },
    versions: async (id) => (await versionsOf(id).select(summaryColumns).execute()).map(toSummary),
    async version(id, number) {
      const row = await versionsOf(id).selectAll().where("number", "=", number).executeTakeFirst();
      return row && toRecord(row);
    },
    async latest(id) {
      const row = await versionsOf(id).selectAll().limit(1).executeTakeFirst();
      return row && toRecord(row);
    },
  };
}

/** False where there is an endpoint of this id or name. */
async function insertEndpoint(queries: Kysely<MetadataSchema>, version: NewVersion): Promise<boolean> {
  const { endpointId: id, name, document, contract } = version;
  const { numInsertedOrUpdatedRows } = await queries
    .insertInto("endpoints")
    .values({ id, name, document, contract, version: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** False where the endpoint is not at the version `base`. */
async function updateEndpoint(queries: Kysely<MetadataSchema>, version: NewVersion, base: number): Promise<boolean> {
  const { endpointId, name, document, contract } = version;
  const { numUpdatedRows } = await queries
    .updateTable("endpoints")
    .set({ name, document, contract })
    .where("id", "=", endpointId)
    .where("version", "=", base)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** With the next number of its endpoint, in one statement. */
async function insertVersion(queries: Kysely<MetadataSchema>, version: NewVersion, now: number): Promise<number> {
  const { endpointId, name, author, action, rollbackTo, changed, document, contract } = version;
  const { number } = await queries
    .insertInto("endpoint_versions")
    .values({
      endpoint_id: endpointId,
      number: sql<number>`(SELECT coalesce(max(number), 0) + 1 FROM endpoint_versions WHERE endpoint_id = ${endpointId})`,
      name,
      created_at: now,
      author,
      action,
      rollback_to: rollbackTo ?? null,
      changed: JSON.stringify(changed),
      document,
      contract,
    })
    .returning("number")
    .executeTakeFirstOrThrow();
  return number;
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
