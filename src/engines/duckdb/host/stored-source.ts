/** What the writer knows of one source: its table's columns and the ids it holds. */
import type { BatchType } from "../batch.ts";
import type { Connection } from "../connection.ts";
import { DuckDBListValue, DuckDBTimestampValue, LIST, TIMESTAMP, VARCHAR } from "../driver.ts";
import { columnOf, type SchemaEntry } from "../schema/schema-entry.ts";
import { hashId, IdFilter, type IdHash, type TimeRange, unionRange } from "./id-filter.ts";
import type { SourceSchema } from "./protocol.ts";
import type { TableColumn } from "./row-chunks.ts";

export interface StoredSource {
  readonly name: string;
  readonly table: string;
  readonly entries: SchemaEntry[];
  /** In the table's order. */
  readonly columns: TableColumn[];
  /** Filled from the table before the first append. */
  ids: IdFilter | undefined;
}

function batchTypeOf(entry: SchemaEntry): BatchType {
  if (entry.role === "value") return entry.type;
  return entry.role === "record" ? "BOOL" : "STRING";
}

/** Notes entries whose columns the table has now. */
export function noteEntries(source: StoredSource, entries: readonly SchemaEntry[]): void {
  for (const entry of entries) {
    source.entries.push(entry);
    const column = columnOf(entry);
    if (column !== undefined) source.columns.push({ name: column.name, type: batchTypeOf(entry) });
  }
}

export function createStoredSource(schema: SourceSchema): StoredSource {
  const source: StoredSource = {
    name: schema.name,
    table: schema.table,
    entries: [],
    columns: [
      { name: "id", type: "STRING" },
      { name: "timestamp", type: "TIMESTAMP" },
      { name: "event_message", type: "STRING" },
      { name: "lw_run", type: "RUN" },
    ],
    ids: undefined,
  };
  noteEntries(source, schema.entries);
  return source;
}

/** Reads every id of the table into a filter. */
export async function loadIds(connection: Connection, table: string): Promise<IdFilter> {
  const ids = new IdFilter();
  const reader = await connection.stream(`SELECT id, timestamp FROM "${table}"`);
  for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
    const [idVector, timeVector] = [chunk.getColumnVector(0), chunk.getColumnVector(1)];
    for (let row = 0; row < chunk.rowCount; row++) {
      const time = timeVector.getItem(row);
      if (time instanceof DuckDBTimestampValue) ids.add(hashId(String(idVector.getItem(row))), time.micros);
    }
  }
  return ids;
}

/** An id that the filter cannot rule out. */
export interface Candidate {
  readonly id: string;
  readonly range: TimeRange;
}

export function findCandidate(filter: IdFilter, id: string, hash: IdHash): Candidate | undefined {
  const range = filter.find(hash);
  return range === null ? undefined : { id, range };
}

/** Those of the candidates that the table really holds. */
export async function findStoredIds(
  connection: Connection,
  table: string,
  candidates: readonly Candidate[],
): Promise<Set<string>> {
  const [first] = candidates;
  if (first === undefined) return new Set();
  const range = candidates.reduce<TimeRange>((union, candidate) => unionRange(union, candidate.range), first.range);
  const ids = { value: new DuckDBListValue(candidates.map(({ id }) => id)), type: LIST(VARCHAR) };
  const sql = `SELECT DISTINCT id FROM "${table}" WHERE id IN (SELECT unnest($1))`;
  const rows =
    range === undefined
      ? await connection.all(sql, [ids])
      : await connection.all(`${sql} AND timestamp >= $2 AND timestamp < $3`, [
          ids,
          { value: new DuckDBTimestampValue(range.fromUs), type: TIMESTAMP },
          { value: new DuckDBTimestampValue(range.toUs), type: TIMESTAMP },
        ]);
  return new Set(rows.map(([id]) => String(id)));
}
