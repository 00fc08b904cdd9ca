/** A source as the writer knows it: its table's columns and the ids in it. */

import { liveColumn, type SchemaEntry } from "../../../schema/schema-entry.ts";
import type { SourceRules, SourceSchema } from "../../../schema/source/source-schema.ts";
import type { BatchType } from "../../batch/batch.ts";
import type { Connection } from "../../driver/connection.ts";
import { DuckDBListValue, DuckDBTimestampValue, LIST, TIMESTAMP, VARCHAR } from "../../driver/driver.ts";
import { hashId, IdFilter, type IdHash, type TimeRange, unionRange } from "./id-filter.ts";
import type { TableColumn } from "./row-chunks.ts";
import { columnOf } from "./table-columns.ts";

export interface StoredSource {
  readonly name: string;
  readonly table: string;
  readonly entries: SchemaEntry[];
  /** As the service last defined them; undefined for a source of an earlier format that it has not defined yet. */
  rules: SourceRules | undefined;
  /** In the table's order. */
  readonly columns: TableColumn[];
  readonly ids: IdFilter;
  /** False until the ids that the table held at the opening are read; then the filter can rule ids out. */
  hasAllIds: boolean;
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
    const isKnown = source.columns.some(({ name }) => name === column?.name);
    if (column !== undefined && !isKnown) source.columns.push({ name: column.name, type: batchTypeOf(entry) });
  }
}

export function createStoredSource(schema: SourceSchema): StoredSource {
  const source: StoredSource = {
    name: schema.name,
    table: schema.table,
    entries: [],
    rules: schema.rules,
    columns: [
      { name: "id", type: "STRING" },
      { name: "timestamp", type: "TIMESTAMP" },
      { name: "event_message", type: "STRING" },
      { name: "lw_run", type: "RUN" },
    ],
    ids: new IdFilter(),
    hasAllIds: false,
  };
  noteEntries(source, schema.entries);
  return source;
}

/** The VARCHAR column that tells tenants apart; undefined for a source without tenants. */
export function tenantColumnOf({ rules, entries }: StoredSource): string | undefined {
  const path = rules?.tenantField ?? null;
  if (path === null) return undefined;
  for (const entry of entries) {
    const column = liveColumn(entry);
    if (entry.role === "value" && entry.type === "STRING" && entry.path === path && column !== null) return column;
  }
  return undefined;
}

/** Tells ids of different tenants apart. */
export function idKey(tenant: string | null, id: string): string {
  return tenant === null ? `:${id}` : `${tenant.length}:${tenant}${id}`;
}

/** Reads the ids of the table into the filter, about a million a second. Concurrent appends add theirs. */
export async function loadIds(connection: Connection, source: StoredSource): Promise<void> {
  const reader = await connection.stream(`SELECT id, timestamp FROM "${source.table}"`);
  for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
    const [idVector, timeVector] = [chunk.getColumnVector(0), chunk.getColumnVector(1)];
    for (let row = 0; row < chunk.rowCount; row++) {
      const time = timeVector.getItem(row);
      if (time instanceof DuckDBTimestampValue) source.ids.add(hashId(String(idVector.getItem(row))), time.micros);
    }
  }
  source.hasAllIds = true;
}

/** Where events of a table with the id may be: undefined anywhere, null nowhere. */
export function findIdRange(sources: Iterable<StoredSource>, table: string, id: string): TimeRange | null {
  for (const source of sources) {
    if (source.table === table) return source.hasAllIds ? source.ids.find(hashId(id)) : undefined;
  }
  return undefined;
}

/** An id that the filter cannot rule out. */
export interface Candidate {
  readonly id: string;
  readonly range: TimeRange;
}

/** Undefined when the source certainly does not hold the id. */
export function findCandidate(source: StoredSource, id: string, hash: IdHash): Candidate | undefined {
  if (!source.hasAllIds) return { id, range: undefined };
  const range = source.ids.find(hash);
  return range === null ? undefined : { id, range };
}

/** The keys (see `idKey`) of those of the candidates that the table really holds. */
export async function findStoredIds(
  connection: Connection,
  source: StoredSource,
  candidates: readonly Candidate[],
): Promise<Set<string>> {
  const [first] = candidates;
  if (first === undefined) return new Set();
  const range = candidates.reduce<TimeRange>((union, candidate) => unionRange(union, candidate.range), first.range);
  const ids = { value: new DuckDBListValue(candidates.map(({ id }) => id)), type: LIST(VARCHAR) };
  const tenant = tenantColumnOf(source);
  const list = tenant === undefined ? "id" : `id, "${tenant}"`;
  const sql = `SELECT DISTINCT ${list} FROM "${source.table}" WHERE id IN (SELECT unnest($1))`;
  const rows =
    range === undefined
      ? await connection.all(sql, [ids])
      : await connection.all(`${sql} AND timestamp >= $2 AND timestamp < $3`, [
          ids,
          { value: new DuckDBTimestampValue(range.fromUs), type: TIMESTAMP },
          { value: new DuckDBTimestampValue(range.toUs), type: TIMESTAMP },
        ]);
  return new Set(rows.map(([id, name = null]) => idKey(name === null ? null : String(name), String(id))));
}
