/** A source as the writer knows it: its table's columns and the ids in it. */

import { idKey } from "../../../contract/event-tenant.ts";
import type { SchemaEntry } from "../../../schema/schema-entry.ts";
import { type SourceRules, type SourceSchema, tenantColumnOf } from "../../../schema/source/source-schema.ts";
import type { BatchType } from "../../batch/batch.ts";
import type { Connection } from "../../driver/connection.ts";
import { DuckDBListValue, DuckDBTimestampValue, LIST, TIMESTAMP, VARCHAR } from "../../driver/driver.ts";
import { hashId, type IdHash, type TimeRange, unionRange } from "../ids/id-filter.ts";
import { IdIndex } from "../ids/id-index.ts";
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
  readonly ids: IdIndex;
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

/** `ids`: by default those of a store in memory. */
export function createStoredSource(
  schema: SourceSchema,
  ids = new IdIndex({ table: schema.table, windowMs: Number.POSITIVE_INFINITY, nowMs: Date.now }),
): StoredSource {
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
    ids,
  };
  noteEntries(source, schema.entries);
  return source;
}

/**
 * Adds the ids of the rows that the index lacks, about a million a second. Concurrent appends add theirs. `onChunk`
 * runs between chunks of rows.
 */
export async function loadIds(
  connection: Connection,
  { ids, table }: StoredSource,
  onChunk: () => Promise<void>,
): Promise<void> {
  const { uncovered } = ids;
  for (const condition of uncovered ?? []) {
    const reader = await connection.stream(`SELECT id, timestamp FROM "${table}" WHERE ${condition}`);
    for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
      const [idVector, timeVector] = [chunk.getColumnVector(0), chunk.getColumnVector(1)];
      for (let row = 0; row < chunk.rowCount; row++) {
        const time = timeVector.getItem(row);
        if (time instanceof DuckDBTimestampValue) ids.add(hashId(String(idVector.getItem(row))), time.micros);
      }
      await onChunk();
    }
  }
  ids.complete(uncovered);
}

/** Where events of a table with the id may be: undefined anywhere, null nowhere. */
export function findIdRange(sources: Iterable<StoredSource>, table: string, id: string): TimeRange | null {
  for (const source of sources) if (source.table === table) return source.ids.find(hashId(id));
  return undefined;
}

/** An id that the index cannot rule out. */
export interface Candidate {
  readonly id: string;
  /** Where it may be; "uncovered": in rows that the index lacks. */
  readonly place: TimeRange | "uncovered";
  /** Whether an event with the id is the same only if it has the same time too. */
  readonly isSameTime: boolean;
}

/** None when the source certainly does not hold the event. */
export function findCandidates({ ids }: StoredSource, id: string, hash: IdHash, timestampUs: bigint): Candidate[] {
  const found: Candidate[] = ids.findRepeats(hash, timestampUs).map(({ range, isSameTime }) => {
    return { id, place: range, isSameTime };
  });
  return ids.uncovered === undefined ? found : [...found, { id, place: "uncovered", isSameTime: false }];
}

/** Distinguishes events of the same tenant and id by their times. */
export function eventKey(key: string, timestampUs: bigint): string {
  return `${timestampUs}@${key}`;
}

/** Times that lie closer together are looked at together. */
const MAX_GAP_US = 3_600_000_000n;
/** Beyond so many groups all times between the first and the last are looked at. */
const MAX_GROUPS = 32;

interface Group {
  readonly condition: string;
  readonly range: TimeRange;
  readonly candidates: readonly Candidate[];
}

/** Candidates that one statement looks for. */
function groupCandidates({ ids }: StoredSource, candidates: readonly Candidate[]): readonly Group[] {
  const uncovered = candidates.filter(({ place }) => place === "uncovered");
  const anywhere = candidates.filter(({ place }) => place === undefined);
  const timed = candidates.flatMap((candidate) =>
    typeof candidate.place === "object" ? [{ candidate, range: candidate.place }] : [],
  );
  timed.sort((a, b) => (a.range.fromUs < b.range.fromUs ? -1 : 1));
  const groups: { range: TimeRange & object; candidates: Candidate[] }[] = [];
  for (const { candidate, range } of timed) {
    const last = groups.at(-1);
    if (last !== undefined && range.fromUs <= last.range.toUs + MAX_GAP_US) {
      last.range = unionRange(last.range, range) as TimeRange & object;
      last.candidates.push(candidate);
    } else groups.push({ range, candidates: [candidate] });
  }
  const [first, last] = [groups[0], groups.at(-1)];
  const isScattered = groups.length > MAX_GROUPS && first !== undefined && last !== undefined;
  const merged = isScattered
    ? [
        {
          range: { fromUs: first.range.fromUs, toUs: last.range.toUs },
          candidates: timed.map((each) => each.candidate),
        },
      ]
    : groups;
  return [
    ...(uncovered.length > 0 ? (ids.uncovered ?? []) : []).map((condition) => {
      return { condition, range: undefined, candidates: uncovered };
    }),
    ...(anywhere.length > 0 ? [{ condition: "true", range: undefined, candidates: anywhere }] : []),
    ...merged.map((group) => ({ condition: "true", ...group })),
  ];
}

/**
 * The keys of those of the candidates that the table really holds: see `idKey`, and `eventKey` for those that count
 * only with the same time.
 */
export async function findStoredIds(
  connection: Connection,
  source: StoredSource,
  candidates: readonly Candidate[],
): Promise<Set<string>> {
  const found = new Set<string>();
  const tenant = tenantColumnOf(source);
  for (const { condition, range, candidates: group } of groupCandidates(source, candidates)) {
    const bySameTime = new Set(group.flatMap(({ id, isSameTime }) => (isSameTime ? [id] : [])));
    const byId = new Set(group.flatMap(({ id, isSameTime }) => (isSameTime ? [] : [id])));
    const ids = new DuckDBListValue([...new Set(group.map(({ id }) => id))]);
    const bounds = range === undefined ? "" : " AND timestamp >= $2 AND timestamp < $3";
    const times = range === undefined ? [] : [range.fromUs, range.toUs];
    const rows = await connection.all(
      `SELECT DISTINCT id, epoch_us(timestamp), ${tenant === undefined ? "NULL" : `"${tenant}"`} FROM "${source.table}" ` +
        `WHERE ${condition} AND id IN (SELECT unnest($1))${bounds}`,
      [
        { value: ids, type: LIST(VARCHAR) },
        ...times.map((us) => ({ value: new DuckDBTimestampValue(us), type: TIMESTAMP })),
      ],
    );
    for (const [id, time, name] of rows) {
      const key = idKey(name === null || name === undefined ? null : String(name), String(id));
      if (byId.has(String(id))) found.add(key);
      if (bySameTime.has(String(id))) found.add(eventKey(key, BigInt(String(time))));
    }
  }
  return found;
}
