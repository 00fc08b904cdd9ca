/**
 * Giving the disk back after a deletion. DuckDB cuts its file only where free blocks are at the end, and writes into
 * the first free ones: so runs are written again, the newest first, until the file is little longer than what it
 * holds. Before them come runs that lost many rows, several as one, since a row group is free only once all of its
 * rows are deleted. The store's own small tables move too: one block at the end keeps the file as long as it is.
 */
import type { Connection } from "../../driver/connection.ts";
import type { StoredSource } from "../store/stored-source.ts";
import { type Compaction, planCompaction } from "./compaction.ts";

/** Free space that a file may keep: a share of what it holds, and some blocks that come and go with each checkpoint. */
const SPARE_SHARE = 0.1;
const SPARE_BYTES = 8 * 1024 ** 2;
/** A run that lost a larger share of its rows is written again. */
const LOST_SHARE = 0.1;

interface Run {
  readonly run: number;
  readonly rowCount: number;
  /** Rows that it had when it was written. */
  readonly writtenRows: number;
}

/** The runs of a table that have rows, the newest first. */
async function readRuns(connection: Connection, table: string): Promise<readonly Run[]> {
  const rows = await connection.all(
    `SELECT lw_run, count(*)::DOUBLE, (SELECT max(row_count)::DOUBLE FROM lw_runs WHERE source = $1 AND run = lw_run)
     FROM "${table}" WHERE lw_run IS NOT NULL GROUP BY lw_run ORDER BY lw_run DESC`,
    [{ value: table }],
  );
  return rows.map(([run, rowCount, written]) => ({
    run: Number(run),
    rowCount: Number(rowCount),
    writtenRows: Number(written ?? 0),
  }));
}

/** As many of the runs as are sorted at once; one in any case. */
function takeRuns(runs: readonly Run[], maxRows: number): readonly Run[] {
  let sum = 0;
  return runs.filter(({ rowCount }, index) => {
    sum += rowCount;
    return index === 0 || sum <= maxRows;
  });
}

/**
 * Plans to write the runs again as one. It keeps the number of the newest: ids of earlier runs are in files, and those
 * of a new number would be read from the table after a crash. By their row ids the rows before and after differ.
 */
async function planRewriting(connection: Connection, source: StoredSource, runs: readonly Run[]): Promise<Compaction> {
  const [row] = await connection.all(`SELECT max(rowid)::DOUBLE FROM "${source.table}"`);
  const bound = Number(row?.[0] ?? 0) + 1;
  const replaced = runs.map(({ run }) => run);
  return {
    source,
    run: Math.max(...replaced),
    rowCount: runs.reduce((sum, { rowCount }) => sum + rowCount, 0),
    parts: replaced.map((run) => `lw_run = ${run} AND rowid < ${bound}`),
    replaced,
  };
}

const SMALL_TABLES = ["lw_store", "lw_sources", "lw_fields", "lw_tenants", "lw_runs"];

/** Writes the small tables again, in the order of their rows. Must be called on the writer's queue. */
async function moveSmallTables(connection: Connection): Promise<void> {
  await connection.transaction(async () => {
    for (const table of SMALL_TABLES) {
      const [row] = await connection.all(`SELECT max(rowid)::DOUBLE FROM ${table}`);
      const last = row?.[0];
      if (last === null || last === undefined) continue;
      await connection.all(`INSERT INTO ${table} SELECT * FROM ${table} ORDER BY rowid`);
      await connection.all(`DELETE FROM ${table} WHERE rowid <= ${Number(last)}`);
    }
  });
}

/** Bytes of the file that hold something, and that do not. */
async function readSpace(connection: Connection): Promise<{ readonly used: number; readonly free: number }> {
  const [row] = await connection.all(
    `SELECT (used_blocks * block_size)::DOUBLE, (free_blocks * block_size)::DOUBLE
     FROM pragma_database_size() WHERE database_name = 'store'`,
  );
  return { used: Number(row?.[0] ?? 0), free: Number(row?.[1] ?? 0) };
}

export class Shrinking {
  /** True until the file is as short as it gets. An earlier process may have ended before it was. */
  #isDue = true;
  /** Runs of a table from this number on were written again since the last deletion. */
  readonly #writtenFrom = new Map<string, number>();
  /** Free bytes that remained though every run had been written again: no reason to do it once more. */
  #remaining = 0;

  /** Called after rows were deleted. */
  noteDeleted(): void {
    this.#isDue = true;
    this.#writtenFrom.clear();
  }

  /**
   * Plans the next rewriting; undefined if none is due. Must be called on the writer's queue, where no tail waits for a
   * compaction. `checkpoint` makes one.
   */
  async plan(
    connection: Connection,
    sources: readonly StoredSource[],
    given: {
      readonly maxRows: number;
      readonly rowsInLog: (table: string) => number;
      readonly checkpoint: () => Promise<void>;
    },
  ): Promise<Compaction | undefined> {
    if (!this.#isDue) return undefined;
    const isLong = await this.#isLong(connection);
    if (isLong && this.#writtenFrom.size === 0) await moveSmallTables(connection);
    for (const source of sources) {
      const { maxRows } = given;
      const rowsInLog = given.rowsInLog(source.table);
      const planned = await this.#planFor(connection, source, { isLong, maxRows, rowsInLog });
      if (planned !== undefined) return planned;
    }
    if (isLong) {
      await moveSmallTables(connection);
      await given.checkpoint();
    }
    this.#isDue = false;
    this.#writtenFrom.clear();
    this.#remaining = (await this.#isLong(connection)) ? (await readSpace(connection)).free : 0;
    return undefined;
  }

  /** Whether so much of the file is free that some of it is to be given back. */
  async #isLong(connection: Connection): Promise<boolean> {
    const { used, free } = await readSpace(connection);
    return free > used * SPARE_SHARE + SPARE_BYTES + this.#remaining;
  }

  async #planFor(
    connection: Connection,
    source: StoredSource,
    given: { readonly isLong: boolean; readonly maxRows: number; readonly rowsInLog: number },
  ): Promise<Compaction | undefined> {
    const { isLong, maxRows, rowsInLog } = given;
    const { table } = source;
    const runs = await readRuns(connection, table);
    const sparse = runs.filter(({ rowCount, writtenRows }) => rowCount < writtenRows * (1 - LOST_SHARE));
    if (sparse.length > 0) return planRewriting(connection, source, takeRuns(sparse, maxRows));
    if (!isLong) return undefined;
    const from = this.#writtenFrom.get(table);
    if (from === undefined) {
      // The last rows that were appended are most likely at the file's end.
      this.#writtenFrom.set(table, Number.POSITIVE_INFINITY);
      const tail = await planCompaction(connection, source, { minRows: 1, maxRows }, rowsInLog);
      if (tail !== undefined) return tail;
    }
    const chosen = takeRuns(
      runs.filter(({ run }) => run < (from ?? Number.POSITIVE_INFINITY)),
      maxRows,
    );
    const oldest = chosen.at(-1);
    if (oldest === undefined) return undefined;
    this.#writtenFrom.set(table, oldest.run);
    return planRewriting(connection, source, chosen);
  }
}
