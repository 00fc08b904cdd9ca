/** Reads what is known of the store: sizes, counts and times. */
import { freeBytesOf } from "../../../shared/system/free-bytes.ts";
import { tenantColumnOf } from "../../schema/source/source-schema.ts";
import type { Connection } from "../driver/connection.ts";
import { DuckDBTimestampValue, type DuckDBValue, TIMESTAMP } from "../driver/driver.ts";
import { toEngineError } from "../driver/driver-error.ts";
import { countTail } from "./maintenance/compaction.ts";
import type { HostReport, HostSizes, TableStatistics } from "./protocol.ts";
import { sizeOf, storePaths } from "./store/store-paths.ts";
import type { StoredSource } from "./store/stored-source.ts";

function microsText(value: DuckDBValue | undefined): string | null {
  return value instanceof DuckDBTimestampValue ? value.micros.toString() : null;
}

/**
 * The greatest or least time beyond one that is near it. Row groups know theirs, so only those that reach beyond are
 * read; without a bound, every row's time is.
 */
async function readExtreme(connection: Connection, table: string, of: "min" | "max", near: DuckDBValue | undefined) {
  if (!(near instanceof DuckDBTimestampValue)) return null;
  const beyond = `SELECT ${of}(timestamp) FROM "${table}" WHERE timestamp ${of === "min" ? "<" : ">"} $1`;
  const [row] = await connection.all(beyond, [{ value: near, type: TIMESTAMP }]);
  return microsText(row?.[0]) ?? microsText(near);
}

/** The newest time among the rows that came last: those of the tail or of the last run. */
async function readLateTime(connection: Connection, table: string): Promise<DuckDBValue | undefined> {
  const last = `(SELECT max(run) FROM lw_runs WHERE source = '${table}')`;
  for (const condition of ["lw_run IS NULL", `lw_run = ${last}`, "true"]) {
    const [row] = await connection.all(`SELECT max(timestamp) FROM "${table}" WHERE ${condition}`);
    if (row?.[0] !== null) return row?.[0];
  }
  return undefined;
}

async function readTable(connection: Connection, { name, table }: StoredSource): Promise<TableStatistics> {
  const [counted] = await connection.all(`SELECT count(*)::DOUBLE FROM "${table}"`);
  const rowCount = Number(counted?.[0]);
  if (rowCount === 0) return { name, rowCount, oldestUs: null, newestUs: null, tailRowCount: 0 };
  const readOldest = async () => {
    const [early] = await connection.all(`SELECT timestamp FROM "${table}" LIMIT 1`);
    return readExtreme(connection, table, "min", early?.[0]);
  };
  const readNewest = async () => readExtreme(connection, table, "max", await readLateTime(connection, table));
  return {
    name,
    rowCount,
    oldestUs: (await unlessDamaged(readOldest)) ?? null,
    newestUs: (await unlessDamaged(readNewest)) ?? null,
    tailRowCount: (await unlessDamaged(() => countTail(connection, table))) ?? 0,
  };
}

/** Undefined where a block is damaged: what is read here must cost the start, and other sources, nothing. */
async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (toEngineError(error).code === "damaged") return undefined;
    throw error;
  }
}

/** Counts and times of every source. */
export async function readStatistics(
  connection: Connection,
  sources: readonly StoredSource[],
): Promise<TableStatistics[]> {
  const statistics: TableStatistics[] = [];
  for (const source of sources) statistics.push(await readTable(connection, source));
  return statistics;
}

/** The state of the store; sizes are 0 for a store in memory. */
export async function readReport(
  connection: Connection,
  sources: readonly StoredSource[],
  directory: string | undefined,
): Promise<HostReport> {
  const reports: HostReport["sources"][number][] = [];
  for (const source of sources) {
    const readCount = async (sql: string) =>
      Number((await unlessDamaged(() => connection.all(`SELECT ${sql}`)))?.[0]?.[0] ?? 0);
    const runCount = await readCount(`count(DISTINCT lw_run)::DOUBLE FROM "${source.table}" WHERE lw_run IS NOT NULL`);
    const fieldCount = new Set(source.entries.flatMap(({ path }) => (path === "" ? [] : [path]))).size;
    const tenant = tenantColumnOf(source);
    const tenantlessCount =
      tenant === undefined
        ? null
        : await readCount(`count(*)::DOUBLE FROM "${source.table}" WHERE "${tenant}" IS NULL`);
    reports.push({ ...(await readTable(connection, source)), fieldCount, runCount, tenantlessCount });
  }
  return { ...(await readSizes(connection, directory)), sources: reports };
}

/** Sizes of the store's files. */
export async function readSizes(connection: Connection, directory: string | undefined): Promise<HostSizes> {
  if (directory === undefined) return { fileBytes: 0, reusableBytes: 0, logBytes: 0, diskFreeBytes: 0 };
  const paths = storePaths(directory);
  const [row] = await connection.all(
    "SELECT (block_size * free_blocks)::DOUBLE FROM pragma_database_size() WHERE database_name = 'store'",
  );
  return {
    fileBytes: sizeOf(paths.file),
    reusableBytes: Number(row?.[0] ?? 0),
    logBytes: sizeOf(paths.writeAheadLog),
    diskFreeBytes: freeBytesOf(directory),
  };
}
