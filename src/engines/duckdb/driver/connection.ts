/** Opening DuckDB the one way this engine uses it, and running single statements on it. */
import { existsSync, renameSync, rmSync } from "node:fs";
import { scalarFunctions } from "../../../semantics/index.ts";
import { quoteString } from "../sql-text.ts";
import { LATE_ROWS } from "../statement-plan.ts";
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBPendingResult,
  type DuckDBPreparedStatement,
  type DuckDBType,
  type DuckDBValue,
  type PendingResult,
  PendingState,
  pending_execute_check_state,
} from "./driver.ts";
import { registerFunctions } from "./udf-registration.ts";

export interface DatabaseOptions {
  /** Path of the database file; absent for a database in memory. */
  readonly path?: string;
  /**
   * Makes a file that is missing under another name first, with these statements: one that bears the right name is
   * always whole.
   */
  readonly newFile?: { readonly path: string; readonly statements: readonly string[] };
  /** Where sorts and aggregates spill; emptied when the database is opened. Absent: they do not spill. */
  readonly temporaryDirectory?: string;
  /** Opens the file without changing it; no other process may have it open. */
  readonly isReadOnly?: boolean;
  readonly threads: number;
  readonly memoryLimitBytes: number;
}

/**
 * A value to bind, with its type where the driver cannot determine it from the value (NULLs, lists, timestamps made of
 * bigints).
 */
export interface BoundValue {
  readonly value: DuckDBValue;
  readonly type?: DuckDBType;
}

/** An open instance. Connections are independent: each runs one statement at a time. */
export interface Database {
  /**
   * `keptStatements`: how many statements that `stream` prepared the connection keeps for their next run; none by
   * default.
   */
  connect(keptStatements?: number): Promise<Connection>;
  /**
   * Changes how many threads statements share. Those that end finish what they work on first, and every other statement
   * waits with them; a statement that runs aside waits for ever if its threads end.
   */
  setThreads(count: number): Promise<void>;
  close(): void;
}

/** Chunks of at most 2,048 rows, read as the query makes them. */
export interface ChunkReader {
  readonly columnCount: number;
  /** Undefined at the end. */
  next(): Promise<DuckDBDataChunk | undefined>;
}

export interface Connection {
  /**
   * Prepares one statement (several are an error) and runs it; rows stream. A reader that was not read to its end is
   * dropped by the next call.
   */
  stream(sql: string, values?: readonly BoundValue[]): Promise<ChunkReader>;
  /** Runs one statement to its end and answers its rows. */
  all(sql: string, values?: readonly BoundValue[]): Promise<DuckDBValue[][]>;
  /**
   * Runs a statement on the database's own threads alone, where it has any, and looks from time to time whether it has
   * ended: a thread that waits for them in the driver asks for work all the time, at the cost of a whole core. After
   * `patienceMs` it waits so all the same, and works where they have not begun.
   */
  runAside(sql: string, patienceMs?: number): Promise<void>;
  /** Drops a reader that was not read to its end now, rather than at the next call: a statement ends the one before. */
  discardReader(): Promise<void>;
  /** Commits when `work` succeeds; when it fails, rolls back and throws its error. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Ends a transaction without its changes, if there is one; at the latest before the next statement. */
  rollBack(): Promise<void>;
  /** Lets all statements until `endReading` see the same rows; does nothing where they do already. */
  beginReading(): Promise<void>;
  /** Does nothing where no reading was begun. */
  endReading(): Promise<void>;
  /** Appends chunks to a table, within a transaction. Their columns are the table's, in its order. */
  append(table: string, chunks: readonly DuckDBDataChunk[]): Promise<void>;
  /** Makes the statement that was begun last fail soon, also while it is being prepared or between two reads. */
  interrupt(): void;
  /** Drops the cached statements: they refer to earlier states of tables. */
  forgetStatements(): void;
  close(): void;
}

/** Rows of a row group, the same at every opening: the next checkpoint would rewrite the whole file otherwise. */
const ROW_GROUP_ROWS = 30_720;

/** How DuckDB words it, and so how we do. */
const INTERRUPTED_MESSAGE = "INTERRUPT Error: Interrupted!";

/** How often an interrupt is repeated: one that arrives while a statement is being prepared or started is lost. */
const INTERRUPT_REPEAT_MS = 10;

/** A statement that runs aside is looked at after a quarter of the time that it has taken, and at least so often. */
const LOOKS = 4;
const LOOK_MS = 5;

/** How long a commit is left to the database's threads, which queries may have. */
const COMMIT_PATIENCE_MS = 20;

function isWorkedOn(pending: DuckDBPendingResult): boolean {
  // The driver has no name for it.
  const { pending_result: result } = pending as unknown as { readonly pending_result: PendingResult };
  const state = pending_execute_check_state(result);
  return state === PendingState.NO_TASKS_AVAILABLE || state === PendingState.RESULT_NOT_READY;
}

/** The statement that a connection works on. */
interface Statement {
  isInterrupted: boolean;
  /** True while a call into the driver is running. */
  isBusy: boolean;
}

class DriverConnection implements Connection {
  readonly #connection: DuckDBConnection;
  readonly #keptStatements: number;
  /** Whether the database has threads beside those that call into it. */
  readonly #hasThreads: () => boolean;
  #current: Statement = { isInterrupted: false, isBusy: false };
  /** The one that was not used for the longest time first. */
  readonly #kept = new Map<string, DuckDBPreparedStatement>();
  #forgottenCount = 0;
  /** True while a transaction may be open that a ROLLBACK did not end: nothing else runs before it has. */
  #isLeftOpen = false;
  #isReading = false;

  constructor(connection: DuckDBConnection, hasThreads: () => boolean, keptStatements = 0) {
    this.#connection = connection;
    this.#hasThreads = hasThreads;
    this.#keptStatements = keptStatements;
  }

  async stream(sql: string, values: readonly BoundValue[] = []): Promise<ChunkReader> {
    const statement: Statement = { isInterrupted: false, isBusy: false };
    const result = await this.#run(statement, sql, values, (prepared) => prepared.stream());
    return {
      columnCount: result.columnCount,
      async next() {
        const chunk = await guard(statement, () => result.fetchChunk());
        return chunk === null || chunk.rowCount === 0 ? undefined : chunk;
      },
    };
  }

  async all(sql: string, values: readonly BoundValue[] = []): Promise<DuckDBValue[][]> {
    const statement: Statement = { isInterrupted: false, isBusy: false };
    // Whole at once: each chunk that streams is another turn of the driver's threads.
    const result = await this.#run(statement, sql, values, (prepared) => prepared.run());
    const rows: DuckDBValue[][] = [];
    for (let index = 0; index < result.chunkCount; index++) result.getChunk(index).appendToRows(rows);
    return rows;
  }

  async runAside(sql: string, patienceMs = Number.POSITIVE_INFINITY): Promise<void> {
    const statement: Statement = { isInterrupted: false, isBusy: false };
    await this.#run(statement, sql, [], async (prepared) => {
      if (!this.#hasThreads()) return prepared.run();
      const pending = prepared.start();
      const begunMs = performance.now();
      for (let takenMs = 0; takenMs < patienceMs && isWorkedOn(pending); takenMs = performance.now() - begunMs) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_MS, takenMs / LOOKS)));
      }
      return pending.getResult();
    });
  }

  async discardReader(): Promise<void> {
    await this.all("SELECT 1");
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (this.#isLeftOpen) await this.#end();
      // Without preparing it: that would be another turn of the driver's threads.
      await this.#connection.run("BEGIN");
      const result = await work();
      await this.runAside("COMMIT", COMMIT_PATIENCE_MS);
      return result;
    } catch (error) {
      await this.rollBack();
      throw error;
    }
  }

  async rollBack(): Promise<void> {
    await this.#end().catch(() => undefined);
  }

  /** Ends a transaction without its changes. Throws where it is still open, as where there is no memory to answer. */
  async #end(): Promise<void> {
    this.#isLeftOpen = false;
    try {
      await this.all("ROLLBACK");
    } catch (error) {
      // A failed commit has rolled back already.
      this.#isLeftOpen = !String(error).includes("no transaction is active");
      if (this.#isLeftOpen) throw error;
    }
  }

  async beginReading(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    await this.all("BEGIN TRANSACTION READ ONLY");
  }

  async endReading(): Promise<void> {
    if (!this.#isReading) return;
    this.#isReading = false;
    await this.rollBack();
  }

  async append(table: string, chunks: readonly DuckDBDataChunk[]): Promise<void> {
    const appender = await this.#connection.createAppender(table);
    try {
      for (const chunk of chunks) appender.appendDataChunk(chunk);
      appender.flushSync();
    } catch (error) {
      // The rows that it still holds would be stored when it is collected, in whatever transaction is open by then.
      appender.clear();
      throw error;
    } finally {
      appender.closeSync();
    }
  }

  interrupt(): void {
    const statement = this.#current;
    if (statement.isInterrupted) return;
    statement.isInterrupted = true;
    const repeat = () => {
      if (!statement.isBusy) return;
      this.#connection.interrupt();
      setTimeout(repeat, INTERRUPT_REPEAT_MS);
    };
    repeat();
  }

  forgetStatements(): void {
    this.#forgottenCount++;
    for (const prepared of this.#kept.values()) prepared.destroySync();
    this.#kept.clear();
  }

  close(): void {
    this.forgetStatements();
    this.#connection.closeSync();
  }

  /** Prepares the statement, or takes it from the cache, and runs it with the values. */
  async #run<T>(
    statement: Statement,
    sql: string,
    values: readonly BoundValue[],
    execute: (prepared: DuckDBPreparedStatement) => Promise<T>,
  ): Promise<T> {
    if (this.#isLeftOpen) await this.#end();
    this.#current = statement;
    const begunAt = this.#forgottenCount;
    const prepared = await this.#prepare(statement, sql);
    let isUsable = false;
    try {
      values.forEach(({ value, type }, index) => {
        prepared.bindValue(index + 1, value, type);
      });
      const result = await guard(statement, () => execute(prepared));
      // DuckDB plans a statement with values at each run. One without would run as it was planned: on the least and the
      // greatest values of the table at that time, blind to rows beyond them that were stored since.
      isUsable = begunAt === this.#forgottenCount && values.length > 0;
      return result;
    } finally {
      if (isUsable) this.#keep(sql, prepared);
      else prepared.destroySync();
    }
  }

  async #prepare(statement: Statement, sql: string): Promise<DuckDBPreparedStatement> {
    const known = this.#kept.get(sql);
    this.#kept.delete(sql);
    return known ?? guard(statement, () => this.#connection.prepare(sql));
  }

  #keep(sql: string, prepared: DuckDBPreparedStatement): void {
    this.#kept.set(sql, prepared);
    for (const [oldest, statement] of this.#kept) {
      if (this.#kept.size <= this.#keptStatements) return;
      this.#kept.delete(oldest);
      statement.destroySync();
    }
  }
}

/** Calls into the driver for a statement, unless that was interrupted. */
async function guard<T>(statement: Statement, call: () => Promise<T>): Promise<T> {
  if (statement.isInterrupted) throw new Error(INTERRUPTED_MESSAGE);
  statement.isBusy = true;
  try {
    return await call();
  } finally {
    statement.isBusy = false;
  }
}

/** A row group's size can only be set where a database is attached, so the file is never the main database. */
async function attach(connection: DuckDBConnection, path: string, isReadOnly = false): Promise<void> {
  const how = isReadOnly ? "READ_ONLY" : `STORAGE_VERSION 'latest', ROW_GROUP_SIZE ${ROW_GROUP_ROWS}`;
  await connection.run(`ATTACH ${quoteString(path)} AS store (${how})`);
}

async function makeFile(
  connection: DuckDBConnection,
  path: string,
  { path: newPath, statements }: NonNullable<DatabaseOptions["newFile"]>,
): Promise<void> {
  for (const leftover of [newPath, `${newPath}.wal`]) rmSync(leftover, { force: true });
  await attach(connection, newPath);
  const all = ["USE store", "BEGIN", ...statements, "COMMIT", "CHECKPOINT store", "USE memory", "DETACH store"];
  for (const statement of all) await connection.run(statement);
  renameSync(newPath, path);
}

/**
 * Opens the database, creating the file when it is missing. Afterwards nothing can be configured, no file can be read
 * or written by a query, and no extension can be loaded. Time zone is UTC.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.temporaryDirectory !== undefined) rmSync(options.temporaryDirectory, { recursive: true, force: true });
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(options.threads),
    memory_limit: `${Math.round(options.memoryLimitBytes / 1024)}KiB`,
    // From the beginning: replaying a long log uses it, and it cannot be changed afterwards.
    temp_directory: options.temporaryDirectory ?? "",
  });
  try {
    const setup = await instance.connect();
    if (options.path !== undefined) {
      const { path, newFile } = options;
      if (newFile !== undefined && !existsSync(path)) await makeFile(setup, path, newFile);
      await attach(setup, path, options.isReadOnly);
    }
    registerFunctions(setup, scalarFunctions);
    const settings = [
      "SET GLOBAL TimeZone = 'UTC'",
      // Checkpoints are the store's decision: DuckDB's own would stall a commit.
      "SET GLOBAL wal_autocheckpoint = '1TB'",
      `SET GLOBAL late_materialization_max_rows = ${LATE_ROWS}`,
      `SET GLOBAL dynamic_or_filter_threshold = ${LATE_ROWS}`,
      // For ORDER BY and LIMIT, row_group_pruner leaves row groups out by what it knew of them when it planned: beside
      // a compaction, rows that are there were missing (see test/acceptance/reads-beside-writes.long.ts). filter_pullup
      // lifts the conditions of a join's side above what the side computes, which fails for rows that they leave out.
      "SET GLOBAL disabled_optimizers = 'row_group_pruner,filter_pullup'",
      // See `host/maintenance/`, which alone may change them.
      "SET GLOBAL allowed_configs = ['max_vacuum_tasks', 'threads']",
      "SET GLOBAL allow_community_extensions = false",
      "SET GLOBAL autoinstall_known_extensions = false",
      "SET GLOBAL autoload_known_extensions = false",
      "SET GLOBAL enable_external_access = false",
      "SET GLOBAL lock_configuration = true",
    ];
    for (const setting of settings) await setup.run(setting);
    setup.closeSync();
  } catch (error) {
    instance.closeSync();
    throw error;
  }
  let { threads } = options;
  return {
    async connect(keptStatements) {
      const connection = await instance.connect();
      if (options.path !== undefined) await connection.run("USE store");
      return new DriverConnection(connection, () => threads > 1, keptStatements);
    },
    async setThreads(count) {
      const connection = await instance.connect();
      try {
        await connection.run(`SET GLOBAL threads = ${count}`);
        threads = count;
      } finally {
        connection.closeSync();
      }
    },
    close: () => instance.closeSync(),
  };
}
