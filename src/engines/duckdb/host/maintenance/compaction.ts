/**
 * Rewriting rows sorted by tenant and time, in which order a query for one tenant reads a fraction of them. Rows that
 * were appended are the *tail* (`lw_run` is NULL); a compaction takes the oldest of them and appends them again as a
 * sorted *run*, a short last run together with them. It is one transaction: at any moment each row is in the table
 * once.
 */

import { tenantColumnOf } from "../../../schema/source/source-schema.ts";
import type { Connection } from "../../driver/connection.ts";
import type { StoredSource } from "../store/stored-source.ts";

export interface Compaction {
  readonly source: StoredSource;
  readonly run: number;
  readonly rowCount: number;
  /**
   * Conditions of the rows that are rewritten. Each by itself lets a scan pass over all other row groups; joined by OR
   * they would not.
   */
  readonly parts: readonly string[];
  /** Earlier runs whose rows are among them; their records go. */
  readonly replaced: readonly number[];
}

export interface CompactionSize {
  /** A shorter tail is not compacted. */
  readonly minRows: number;
  /** The same while no events come in; a quarter of `minRows` by default. */
  readonly minQuietRows?: number;
  /** How long no event must have come in for that, in milliseconds; ten seconds by default. */
  readonly quietMs?: number;
  /** Rows of one compaction, about: they are sorted in memory. */
  readonly maxRows: number;
  /** The interval in which tails are checked, in milliseconds; five seconds by default. */
  readonly everyMs?: number;
  /** Free bytes that the file may keep after a deletion beside a tenth of its content; 8 MB by default. */
  readonly spareBytes?: number;
}

export async function readNumber(connection: Connection, sql: string): Promise<number | undefined> {
  const [row] = await connection.all(sql);
  const value = row?.[0];
  return value === null || value === undefined ? undefined : Number(value);
}

/** Rows that are not in a run yet. */
export async function countTail(connection: Connection, table: string): Promise<number> {
  return (await readNumber(connection, `SELECT count(*)::DOUBLE FROM "${table}" WHERE lw_run IS NULL`)) ?? 0;
}

/** A run is written again with at least half as many new rows: so each row is rewritten a few times at most. */
const MAX_MERGED_SHARE = 2;
/**
 * Shorter than half a row group it is always written again: that is quick, and many short runs would be slow to read.
 */
const SHORT_RUN_ROWS = 15_360;

/** The last run, when it and the new rows make one run of a good size. */
async function findMergedRun(
  connection: Connection,
  source: StoredSource,
  lastRun: number,
  newRows: number,
  maxRows: number,
): Promise<{ readonly run: number; readonly rowCount: number } | undefined> {
  const sql = `SELECT count(*)::DOUBLE FROM "${source.table}" WHERE lw_run = ${lastRun}`;
  const rowCount = (await readNumber(connection, sql)) ?? 0;
  const isWorthIt = rowCount <= Math.max(newRows * MAX_MERGED_SHARE, SHORT_RUN_ROWS);
  const fits = rowCount > 0 && isWorthIt && rowCount + newRows <= maxRows;
  return fits ? { run: lastRun, rowCount } : undefined;
}

/**
 * Plans the next rewrite of a source; undefined if its tail is short. `rowsInLog`: so many of its last rows may not be
 * in the file yet; they wait. Row groups' ends are not read: DuckDB reports them for all columns at once
 * (`pragma_storage_info`), for which it reads the whole file.
 */
export async function planCompaction(
  connection: Connection,
  source: StoredSource,
  { minRows, maxRows }: CompactionSize,
  rowsInLog: number,
): Promise<Compaction | undefined> {
  const tail = `FROM "${source.table}" WHERE lw_run IS NULL`;
  const tailRows = (await countTail(connection, source.table)) - rowsInLog;
  if (tailRows < Math.max(1, minRows)) return undefined;
  const rowCount = Math.min(tailRows, maxRows);
  const last = await readNumber(
    connection,
    `SELECT rowid::DOUBLE ${tail} ORDER BY rowid LIMIT 1 OFFSET ${rowCount - 1}`,
  );
  if (last === undefined) return undefined;
  const lastRun =
    (await readNumber(connection, `SELECT max(run)::DOUBLE FROM lw_runs WHERE source = '${source.table}'`)) ?? 0;
  const merged = await findMergedRun(connection, source, lastRun, rowCount, maxRows);
  const replaced = merged === undefined ? [] : [merged.run];
  return {
    source,
    run: lastRun + 1,
    rowCount: rowCount + (merged?.rowCount ?? 0),
    parts: [`lw_run IS NULL AND rowid < ${last + 1}`, ...replaced.map((run) => `lw_run = ${run}`)],
    replaced,
  };
}

/** A tenant's rows come together, by time; those of a source without tenants by time. */
function sortColumns(source: StoredSource): string {
  const tenant = tenantColumnOf(source);
  return tenant === undefined ? "timestamp" : `"${tenant}", timestamp`;
}

/**
 * Begins the transaction. Must be called on the writer's queue, so that no checkpoint moves row ids between the plan
 * and the first write, which keeps later checkpoints away.
 */
export async function beginCompaction(
  connection: Connection,
  { source, run, rowCount, replaced }: Compaction,
): Promise<void> {
  await connection.all("BEGIN");
  for (const earlier of replaced) {
    await connection.all("DELETE FROM lw_runs WHERE source = $1 AND run = $2", [
      { value: source.table },
      { value: earlier },
    ]);
  }
  await connection.all("INSERT INTO lw_runs VALUES ($1, $2, $3)", [
    { value: source.table },
    { value: run },
    { value: rowCount },
  ]);
}

/** Writes the sorted run; takes seconds, beside everything else. */
export async function writeRun(connection: Pick<Connection, "runAside">, compaction: Compaction): Promise<void> {
  const { source, run } = compaction;
  const parts = compaction.parts.map((condition) => `SELECT * FROM "${source.table}" WHERE ${condition}`);
  await connection.runAside(
    `INSERT INTO "${source.table}" SELECT * REPLACE (${run} AS lw_run) FROM (${parts.join(" UNION ALL ")})
     ORDER BY ${sortColumns(source)}`,
  );
}

/**
 * Takes the rows from where they were and commits. Must be called on the writer's queue, a checkpoint right after it.
 */
export async function finishCompaction(connection: Connection, compaction: Compaction): Promise<void> {
  for (const condition of compaction.parts) {
    await connection.all(`DELETE FROM "${compaction.source.table}" WHERE ${condition}`);
  }
  await connection.all("COMMIT");
}
