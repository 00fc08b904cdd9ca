/** The part of the metadata that is copied unchanged from one database to another. */
import { createHash } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import type { MetadataSchema } from "../../metadata/schema.ts";

type Row = Readonly<Record<string, string | number | null>>;

interface StateTable {
  readonly name: keyof MetadataSchema;
  /** For people. */
  readonly label: string;
  /** In which rows are read, and so written: of numbered rows their numbers. */
  readonly order: readonly string[];
  /** The database's own number of a row, which is not moved. */
  readonly number?: string;
}

const stateTables: readonly StateTable[] = [
  { name: "tokens", label: "tokens", order: ["id"] },
  { name: "endpoints", label: "endpoints", order: ["id"] },
  { name: "endpoint_versions", label: "versions of endpoints", order: ["endpoint_id", "number"] },
  { name: "sources", label: "sources", order: ["name"] },
  { name: "backends", label: "backends", order: ["number"], number: "number" },
  { name: "rules", label: "rules", order: ["number"], number: "number" },
  { name: "alerts", label: "alerts", order: ["number"], number: "number" },
  { name: "alert_states", label: "states of alerts", order: ["id"] },
  { name: "views", label: "views", order: ["id"] },
];

/** The rows of each table, in their order. */
export interface State {
  readonly tables: readonly { readonly table: StateTable; readonly rows: readonly Row[] }[];
  /** Differs where any row does. */
  readonly digest: string;
}

/** Tables by name, as statements over any of them see them. */
type AnyTables = Kysely<Record<string, Record<string, unknown>>>;

/** Reads everything at one moment. */
export function readState(queries: Kysely<MetadataSchema>): Promise<State> {
  return queries
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute((transaction) => readTables(transaction));
}

async function readTables(transaction: Transaction<MetadataSchema>): Promise<State> {
  const tables: State["tables"][number][] = [];
  for (const table of stateTables) {
    let select = (transaction as unknown as AnyTables).selectFrom(table.name).selectAll();
    for (const column of table.order) select = select.orderBy(column);
    const rows = (await select.execute()) as Row[];
    tables.push({ table, rows: rows.map((row) => plainRow(row, table)) });
  }
  const hash = createHash("sha256");
  for (const { table, rows } of tables) hash.update(`${JSON.stringify([table.name, rows])}\n`);
  return { tables, digest: hash.digest("hex") };
}

/** In the order of names, which databases choose differently. */
function plainRow(row: Row, { number }: StateTable): Row {
  const columns = Object.entries(row).filter(([name]) => name !== number);
  return Object.fromEntries(columns.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Fewer than a statement may have parameters. */
const rowsPerInsert = 200;

/** Replaces all rows. */
export async function writeState(transaction: Transaction<MetadataSchema>, { tables }: State): Promise<void> {
  const any = transaction as unknown as AnyTables;
  for (const { table, rows } of tables) {
    await any.deleteFrom(table.name).execute();
    for (let from = 0; from < rows.length; from += rowsPerInsert) {
      await any
        .insertInto(table.name)
        .values(rows.slice(from, from + rowsPerInsert))
        .execute();
    }
  }
}

/** How many rows there are, in words. */
export function describeState({ tables }: State): string {
  const counts = tables.filter(({ rows }) => rows.length > 0).map(({ table, rows }) => `${table.label} ${rows.length}`);
  return counts.length === 0 ? "empty" : counts.join(", ");
}

/** Tables whose rows differ, in words. */
export function describeDifference(from: State, to: State): string {
  const differing = from.tables.filter(({ rows }, index) => {
    return JSON.stringify(rows) !== JSON.stringify(to.tables[index]?.rows);
  });
  return differing.map(({ table }) => table.label).join(", ");
}

/** Whether no row is there, as in a database that was just made. */
export function isEmptyState({ tables }: State): boolean {
  return tables.every(({ rows }) => rows.length === 0);
}
