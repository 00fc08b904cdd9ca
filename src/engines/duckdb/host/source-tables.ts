/** Making and widening the tables of sources, always on the writer's connection. */
import type { Connection } from "../connection.ts";
import { columnOf, fixedColumns, type SchemaEntry } from "../schema/schema-entry.ts";
import { noteEntries, type StoredSource } from "./stored-source.ts";

/** Makes the table of a source with the columns of its entries, and keeps its name and them. */
export async function createSourceTable(
  connection: Connection,
  { name, table, entries }: Pick<StoredSource, "name" | "table" | "entries">,
): Promise<void> {
  const columns = [...fixedColumns, ...entries.map(columnOf).filter((column) => column !== undefined)];
  const list = columns.map((column) => `"${column.name}" ${column.type}`).join(", ");
  await connection.transaction(async () => {
    await connection.all(`CREATE TABLE "${table}" (${list})`);
    await connection.all("INSERT INTO lw_sources VALUES ($1, $2)", [{ value: name }, { value: table }]);
    await keepEntries(connection, name, 0, entries);
  });
}

/** Keeps entries, the first of which is the `ordinal`th of the source. */
async function keepEntries(
  connection: Connection,
  source: string,
  ordinal: number,
  entries: readonly SchemaEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry, index) => [
    source,
    ordinal + index,
    entry.role,
    entry.path,
    "type" in entry ? entry.type : null,
    columnOf(entry)?.name ?? null,
  ]);
  let place = 0;
  const list = rows.map((row) => `(${row.map(() => `$${++place}`).join(", ")})`).join(", ");
  const values = rows.flat().map((value) => ({ value }));
  await connection.all(`INSERT INTO lw_fields VALUES ${list}`, values);
}

/**
 * Values that were stored at a path before a record came there are copied into the record's JSON column, which is where
 * they are read from now on. Does nothing where that has been done; run again at each opening, in case it was cut short.
 */
export async function copyEarlierValues(connection: Connection, source: StoredSource): Promise<void> {
  for (const record of source.entries) {
    if (record.role !== "json") continue;
    for (const earlier of source.entries) {
      if (earlier.role !== "value" || earlier.path !== record.path || earlier.column === null) continue;
      const [json, value] = [`"${record.column}"`, `"${earlier.column}"`];
      await connection.all(
        `UPDATE "${source.table}" SET ${json} = to_json(${value})::VARCHAR WHERE ${value} IS NOT NULL AND ${json} IS NULL`,
      );
    }
  }
}

/** Keeps the entries and adds their columns in one transaction. */
export async function addSourceEntries(
  connection: Connection,
  source: StoredSource,
  entries: readonly SchemaEntry[],
): Promise<void> {
  const isKnown = new Set(source.columns.map(({ name }) => name));
  await connection.transaction(async () => {
    for (const entry of entries) {
      const column = columnOf(entry);
      if (column === undefined) continue;
      if (isKnown.has(column.name)) throw new Error(`The table of ${source.name} has a column ${column.name} already`);
      await connection.all(`ALTER TABLE "${source.table}" ADD COLUMN "${column.name}" ${column.type}`);
    }
    await keepEntries(connection, source.name, source.entries.length, entries);
  });
  noteEntries(source, entries);
  // DuckDB takes no UPDATE in the transaction that altered the table.
  if (entries.some(({ role }) => role === "json")) await copyEarlierValues(connection, source);
}
