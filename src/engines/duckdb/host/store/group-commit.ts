/** Stores the batches of several appends in one transaction: one write and one fsync for all of them. */

import { idKey } from "../../../contract/event-tenant.ts";
import type { AppendResult } from "../../../contract/query-engine.ts";
import { tenantColumnOf } from "../../../schema/source/source-schema.ts";
import { type EncodedBatch, withOwnIds } from "../../batch/batch.ts";
import { type ColumnView, readValues, rowOf, viewBatch } from "../../batch/batch-reader.ts";
import type { Connection } from "../../driver/connection.ts";
import { hashId, type IdHash } from "../ids/id-filter.ts";
import type { AppendContext, JointResult } from "../protocol.ts";
import { buildChunks, type PickedRows } from "./row-chunks.ts";
import { type Candidate, eventKey, findCandidates, findStoredIds, type StoredSource } from "./stored-source.ts";
import { keepTenants } from "./tenant-entries.ts";

export interface AppendWork {
  readonly source: StoredSource;
  readonly batch: EncodedBatch;
  readonly context: AppendContext;
}

/** The work as it is to be tried after a failure: every id of it is looked up. */
export function asAgain<Work extends AppendWork>(work: Work): Work {
  return { ...work, batch: withOwnIds(work.batch) };
}

interface ReadBatch {
  readonly source: StoredSource;
  readonly batch: EncodedBatch;
  readonly columns: readonly ColumnView[];
  readonly ids: readonly string[];
  readonly timestamps: readonly bigint[];
  readonly hashes: readonly IdHash[];
  /** The tenant of each row whose id may be a repeat; empty for a source without tenants. */
  readonly tenants: ReadonlyMap<number, string>;
}

function columnValues(columns: readonly ColumnView[], name: string): readonly unknown[] {
  const column = columns.find((candidate) => candidate.column === name);
  if (column === undefined || column.rowsAt !== undefined) throw new Error(`A batch lacks the column ${name}`);
  return readValues(column);
}

function readBatch(source: StoredSource, batch: EncodedBatch): ReadBatch {
  const columns = viewBatch(batch);
  const ids = columnValues(columns, "id") as readonly string[];
  const timestamps = columnValues(columns, "timestamp") as readonly bigint[];
  return {
    source,
    batch,
    columns,
    ids,
    timestamps,
    hashes: ids.map(hashId),
    tenants: readTenantColumn(source, columns),
  };
}

function readTenantColumn(source: StoredSource, columns: readonly ColumnView[]): ReadonlyMap<number, string> {
  const name = tenantColumnOf(source);
  const view = name === undefined ? undefined : columns.find(({ column }) => column === name);
  const tenants = new Map<number, string>();
  if (view !== undefined) {
    readValues(view).forEach((value, index) => {
      tenants.set(rowOf(view, index), String(value));
    });
  }
  return tenants;
}

function keyOf({ tenants, ids }: ReadBatch, row: number): string {
  return idKey(tenants.get(row) ?? null, ids[row] ?? "");
}

/** Row numbers whose id may be a repeat. */
function ownIdRows({ batch: { header } }: ReadBatch): readonly number[] {
  return header.ownIdRows === "all" ? Array.from({ length: header.rowCount }, (_, row) => row) : header.ownIdRows;
}

/** Rows to store: the first of each id of a tenant that the table does not hold. `known` gains those of this batch. */
function pickRows(batch: ReadBatch, known: Set<string>): PickedRows {
  const rowCount = batch.batch.header.rowCount;
  const repeated = new Set<number>();
  for (const row of ownIdRows(batch)) {
    const key = keyOf(batch, row);
    if (known.has(key) || known.has(eventKey(key, batch.timestamps[row] ?? 0n))) repeated.add(row);
    else known.add(key);
  }
  const rows: number[] = [];
  for (let row = 0; row < rowCount; row++) if (!repeated.has(row)) rows.push(row);
  return { columns: batch.columns, rows, rowCount };
}

async function pickFromSource(
  connection: Connection,
  source: StoredSource,
  batches: readonly ReadBatch[],
): Promise<readonly PickedRows[]> {
  const candidates: Candidate[] = [];
  for (const batch of batches) {
    for (const row of ownIdRows(batch)) {
      const [id, hash, time] = [batch.ids[row], batch.hashes[row], batch.timestamps[row]];
      if (id === undefined || hash === undefined || time === undefined) continue;
      candidates.push(...findCandidates(source, id, hash, time));
    }
  }
  const known = await findStoredIds(connection, source, candidates);
  return batches.map((batch) => pickRows(batch, known));
}

/**
 * Stores the work in one transaction and answers each part's result, in order. All or none is stored; where this fails,
 * it is not known which: `asAgain` is what may be tried then.
 */
export async function commitGroup(connection: Connection, works: readonly AppendWork[]): Promise<JointResult[]> {
  const batches = works.map(({ source, batch }) => readBatch(source, batch));
  const bySource = new Map<StoredSource, ReadBatch[]>();
  for (const batch of batches) {
    const group = bySource.get(batch.source);
    if (group === undefined) bySource.set(batch.source, [batch]);
    else group.push(batch);
  }
  const picked = new Map<ReadBatch, PickedRows>();
  const work = async () => {
    for (const [source, group] of bySource) {
      const parts = await pickFromSource(connection, source, group);
      parts.forEach((part, index) => {
        const batch = group[index];
        if (batch !== undefined) picked.set(batch, part);
      });
      const chunks = buildChunks(source.columns, parts);
      if (chunks.length > 0) await connection.append(source.table, chunks);
    }
    for (const { source, context } of works) {
      if (context.tenants.length > 0) await keepTenants(connection, source.name, context.tenants);
    }
  };
  try {
    await connection.transaction(work);
  } catch (error) {
    // A commit that is done may fail for want of memory to say so. Ids that are remembered are only looked up.
    for (const batch of batches) rememberIds(batch, batch.ids.keys());
    throw error;
  }
  return batches.map((batch, index) => {
    const rows = picked.get(batch)?.rows ?? [];
    rememberIds(batch, rows);
    const result = { stored: rows.length, repeated: batch.ids.length - rows.length };
    const rowCounts = works[index]?.context.rowCounts;
    return rowCounts === undefined ? result : { ...result, parts: splitResult(rows, rowCounts) };
  });
}

/** The rows of each request that were stored and that were not, by the numbers of those that were, ascending. */
function splitResult(stored: readonly number[], rowCounts: readonly number[]): readonly AppendResult[] {
  let [end, at] = [0, 0];
  return rowCounts.map((rowCount) => {
    end += rowCount;
    const from = at;
    while ((stored[at] ?? end) < end) at++;
    return { stored: at - from, repeated: rowCount - (at - from) };
  });
}

function rememberIds({ source, hashes, timestamps }: ReadBatch, rows: Iterable<number>): void {
  for (const row of rows) {
    const [hash, timestamp] = [hashes[row], timestamps[row]];
    if (hash !== undefined && timestamp !== undefined) source.ids.add(hash, timestamp);
  }
}
