/** Maintains the store between commits: checkpoints, and compaction of appended rows. */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { EngineError } from "../../../contract/query-engine.ts";
import type { Connection, Database } from "../../driver/connection.ts";
import { describeCause } from "../../driver/driver-error.ts";
import type { HostSnapshot } from "../protocol.ts";
import type { AppendWork } from "../store/group-commit.ts";
import type { LogPosition } from "../store/log-position.ts";
import { sizeOf, storePaths } from "../store/store-paths.ts";
import type { StoredSource } from "../store/stored-source.ts";
import type { Writer } from "../store/writer.ts";
import { hasRoomForCheckpoint, makeCheckpoint } from "./checkpoints.ts";
import {
  beginCompaction,
  type Compaction,
  type CompactionSize,
  finishCompaction,
  planCompaction,
  writeRun,
} from "./compaction.ts";
import { FreeCores } from "./free-cores.ts";
import { Patience } from "./patience.ts";
import { Shrinking } from "./shrinking.ts";

export interface MaintenanceOptions {
  readonly directory: string;
  /** Threads of the database. */
  readonly threads: number;
  readonly checkpointBytes: number;
  readonly compaction: CompactionSize;
  /** Where it is noted how far the log goes. */
  readonly position: LogPosition;
  /** By default those of the machine. */
  readonly freeCores?: Pick<FreeCores, "take">;
  /** Whether queries run. */
  readonly isQueried: () => boolean;
  /**
   * Does work while no statement runs, for which it waits so long at most; tells it, and answers, false where one went
   * on beside it.
   */
  readonly pauseQueries: (work: (isAlone: boolean) => Promise<void>, maxWaitMs?: number) => Promise<boolean>;
  /** Something failed in the background, and will be tried again. */
  readonly onProblem: (message: string) => void;
}

/**
 * Where more rows a second come in than these, and less of a core is free than this, compaction waits for a quieter
 * time, up to a tail that queries feel.
 */
const BUSY_ROWS_PER_SECOND = 3000;
const FREE_CORES = 0.5;
const LONG_TAIL_FACTOR = 8;
/**
 * The database's threads on a machine of two cores, of which one is left while events keep both busy: the second has no
 * core of its own then, and takes work from the calling thread, which asks for more all the time.
 */
const SHARED_THREADS = 2;
/** So much is free before the second comes back: what it took is free when it has gone. */
const FREE_CORES_AGAIN = 1;
/** How long its end waits for statements, and when it is tried again where they went on. */
const THREAD_PATIENCE_MS = 100;
const THREAD_PAUSE_MS = 30_000;
/** Without events for so long, what was stored is put in order though it is little. */
const QUIET_MS = 10_000;
const QUIET_SHARE = 4;
/** A log that is shorter is not worth a checkpoint, however quiet it is. */
const MIN_QUIET_LOG_BYTES = 1024 ** 2;
/** Each checkpoint ends a row group: so many short ones are compacted however few events they hold. */
const MANY_ROW_GROUPS = 64;
/**
 * How often deleted events let a checkpoint write row groups anew: each takes some tenths of a second, and commits
 * wait.
 */
const FOLDS_AFTER_DELETE = 4;

function logBytesOf(directory: string): number {
  return sizeOf(storePaths(directory).writeAheadLog);
}

export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #database: Database;
  readonly #sources: () => readonly StoredSource[];
  /**
   * Rows that may be in the log alone, by table, and how many row groups checkpoints ended in each since its last
   * compaction.
   */
  readonly #rowsInLog = new Map<string, number>();
  readonly #rowGroups = new Map<string, number>();
  #connection: Connection | undefined;
  #compacting: Promise<boolean> | undefined;
  readonly #shrinking: Shrinking;
  /** True while deleted rows may be in the file, which the next checkpoint frees. */
  #hasDeleted: boolean;
  /** How many of them were not only moved, at least. */
  #deletedRows: number;
  #freeing: Promise<void> | undefined;
  readonly #patience = new Patience();
  /** Checkpoints and compactions so far: each may have given rows other numbers. */
  #moveCount = 0;
  /** Deletions that no compaction may run beside. */
  #deletions = 0;
  /** True while the file is being copied. */
  #isHeld = false;
  /** True while checkpoints wait for room on the disk. */
  #lacksRoom = false;
  #rowsSinceLook = 0;
  readonly #freeCores: Pick<FreeCores, "take">;
  /** True while one of the database's threads is left. */
  #isSingle = false;
  /** When it may be tried again after statements went on. */
  #singleAgainMs = 0;
  #storedAtMs = performance.now();
  #lookedAtMs = performance.now();

  constructor(options: MaintenanceOptions, database: Database, sources: () => readonly StoredSource[]) {
    this.#options = options;
    this.#freeCores = options.freeCores ?? new FreeCores();
    this.#shrinking = new Shrinking(options.directory, options.compaction.spareBytes);
    this.#database = database;
    this.#sources = sources;
    // The log of an earlier run may hold deletions.
    this.#hasDeleted = logBytesOf(options.directory) > 0;
    this.#deletedRows = this.#hasDeleted ? 1 : 0;
  }

  /** Makes a checkpoint when one is due. Called on the writer's queue after each commit. */
  async afterCommit(connection: Connection, works: readonly AppendWork[]): Promise<void> {
    for (const { source, batch } of works) {
      const { rowCount } = batch.header;
      this.#rowsInLog.set(source.table, (this.#rowsInLog.get(source.table) ?? 0) + rowCount);
      this.#rowsSinceLook += rowCount;
    }
    this.#storedAtMs = performance.now();
    this.#options.position.record();
    // DuckDB makes no checkpoint beside a transaction that writes; the end of the compaction makes one.
    const { directory, checkpointBytes } = this.#options;
    if (this.#compacting === undefined && !this.#isHeld && logBytesOf(directory) >= checkpointBytes) {
      await this.#checkpoint(connection);
    }
  }

  /** Whether nothing of what was deleted keeps its space any more, once that was tried as `free` does. */
  async isFreed(writer: Writer): Promise<boolean> {
    await this.free(writer);
    return !this.#isHeld && this.#deletedRows === 0;
  }

  /**
   * Makes the blocks of deleted rows free for rows to come, where they are so many at least. A later call does it while
   * the file is copied, or a statement outlasts the patience. Commits go on. Never awaited on the writer's queue.
   */
  async free(writer: Writer, minRows = 0): Promise<void> {
    if (this.#isHeld || !this.#hasDeleted || this.#deletedRows < minRows) return;
    this.#freeing ??= this.withoutCompaction(() => this.#free(writer)).finally(() => {
      this.#freeing = undefined;
    });
    await this.#freeing;
  }

  /** Resolves when no compaction runs, which takes space for its rows twice. */
  async compacted(): Promise<void> {
    await this.#compacting?.catch(() => false);
  }

  get moveCount(): number {
    return this.#moveCount;
  }

  /** Lets a compaction that runs end, and none begin before the work has ended: they would conflict. */
  async withoutCompaction<T>(work: () => Promise<T>): Promise<T> {
    this.#deletions++;
    try {
      await this.compacted();
      return await work();
    } finally {
      this.#deletions--;
    }
  }

  /** Called on the writer's queue after so many rows were deleted. */
  noteDeleted(rowCount: number): void {
    this.#hasDeleted = true;
    this.#deletedRows += rowCount;
    this.#shrinking.noteDeleted();
    this.#options.position.record();
  }

  /**
   * Writes everything that is committed into the file, and makes no further checkpoint and no compaction until
   * `endSnapshot`. Commits go on, into the log. Whoever copies the file must be another process: closing any handle
   * to it would give up this one's lock.
   */
  async beginSnapshot(writer: Writer): Promise<HostSnapshot> {
    if (this.#isHeld) throw new EngineError("overloaded", "A backup is being made already", { retryAfterSeconds: 10 });
    this.#isHeld = true;
    try {
      await this.#compacting?.catch(() => false);
      return await writer.task((connection) => this.#takeSnapshot(connection));
    } catch (error) {
      this.#isHeld = false;
      throw error;
    }
  }

  endSnapshot(): void {
    this.#isHeld = false;
  }

  /**
   * Compacts a source whose tail is long, if there is one, and answers whether it did; at most one compaction runs at a
   * time. A patient one leaves the processors to the events that come in where they need them, unless the tail is very
   * long, and while none come it takes shorter tails too. Where no tail is long, and few events come in, it takes runs
   * whose rewriting shortens the file.
   */
  async compact(writer: Writer, isPatient: boolean): Promise<boolean> {
    if (this.#isHeld || this.#deletions > 0) return false;
    this.#compacting ??= this.#compactOnce(writer, isPatient).finally(() => {
      this.#compacting = undefined;
    });
    return this.#compacting;
  }

  async #compactOnce(writer: Writer, isPatient: boolean): Promise<boolean> {
    const { minRows, maxRows, minQuietRows, quietMs = QUIET_MS } = this.#options.compaction;
    if (!isPatient) return this.#compact(writer, { minRows, maxRows });
    const isQuiet = performance.now() - this.#storedAtMs >= quietMs;
    const [isFast, freeCores] = [this.#takeRate() > BUSY_ROWS_PER_SECOND, this.#freeCores.take()];
    await this.#shareThreads(writer, isFast && freeCores < (this.#isSingle ? FREE_CORES_AGAIN : FREE_CORES));
    if (!isQuiet) {
      const isBusy = isFast && freeCores < FREE_CORES;
      return this.#compact(writer, { minRows: isBusy ? minRows * LONG_TAIL_FACTOR : minRows, maxRows }, !isBusy);
    }
    const { directory, checkpointBytes } = this.#options;
    if (logBytesOf(directory) >= Math.min(MIN_QUIET_LOG_BYTES, checkpointBytes)) {
      await writer.task((connection) => this.#checkpoint(connection));
    }
    return this.#compact(writer, { minRows: minQuietRows ?? Math.ceil(minRows / QUIET_SHARE), maxRows });
  }

  /** Stops a running compaction, which loses nothing. Must not be awaited on the writer's queue. */
  async interrupt(): Promise<void> {
    if (this.#compacting === undefined) return;
    this.#connection?.interrupt();
    await this.#compacting.catch(() => false);
  }

  /** Stops a compaction and makes a last checkpoint. */
  async close(writer: Writer): Promise<void> {
    await this.interrupt();
    // The file must not change while it is being copied; the log has everything.
    if (this.#isHeld) return;
    await writer
      .task((connection) => this.#checkpoint(connection))
      .catch((error: unknown) => this.#options.onProblem(`the last checkpoint failed: ${describeCause(error)}`));
  }

  async #takeSnapshot(connection: Connection): Promise<HostSnapshot> {
    const { directory } = this.#options;
    if (!hasRoomForCheckpoint(directory, logBytesOf(directory))) {
      throw new EngineError("disk_full", "No backup was made: the disk that holds the store has too little room");
    }
    if (!(await this.#write(connection))) {
      const text = "No backup was made: a statement runs that began before a field was added, and keeps the log";
      throw new EngineError("overloaded", text, { retryAfterSeconds: 10 });
    }
    const sources: { name: string; rowCount: number }[] = [];
    for (const { name, table } of this.#sources()) {
      const [row] = await connection.all(`SELECT count(*)::DOUBLE FROM "${table}"`);
      sources.push({ name, rowCount: Number(row?.[0]) });
    }
    const { file } = storePaths(directory);
    return { name: basename(file), path: file, byteCount: statSync(file).size, sources };
  }

  async #checkpoint(connection: Connection, maxFolds = 0): Promise<void> {
    const { directory, onProblem } = this.#options;
    const logBytes = logBytesOf(directory);
    const hasRoom = hasRoomForCheckpoint(directory, logBytes);
    // Asked for after each commit: said once until there is room again.
    if (!hasRoom && !this.#lacksRoom) {
      onProblem(`the disk has no room for a checkpoint; the log has ${logBytes} bytes and grows until there is`);
    }
    this.#lacksRoom = !hasRoom;
    if (hasRoom) await this.#write(connection, maxFolds);
  }

  /** Answers whether it was made: not while a statement keeps the log, which goes on to grow. */
  async #write(connection: Connection, maxFolds = 0): Promise<boolean> {
    const { position, isQueried, pauseQueries } = this.#options;
    position.invalidate();
    this.#moveCount++;
    let isMade = false;
    const write = async () => {
      isMade = await makeCheckpoint(connection, maxFolds, !isQueried());
    };
    if (this.#hasDeleted) {
      const isAlone = await pauseQueries(write);
      this.#hasDeleted = !(isAlone && isMade);
      if (!this.#hasDeleted) this.#deletedRows = 0;
    } else await write();
    position.record();
    if (!isMade) return false;
    for (const table of this.#rowsInLog.keys()) this.#rowGroups.set(table, (this.#rowGroups.get(table) ?? 0) + 1);
    this.#rowsInLog.clear();
    return true;
  }

  async #compact(writer: Writer, size: CompactionSize, mayShrink = true): Promise<boolean> {
    this.#connection ??= await this.#database.connect();
    const connection = this.#connection;
    try {
      const compaction = await writer.task(() => this.#begin(connection, size, mayShrink));
      if (compaction === undefined) return false;
      await writeRun(connection, compaction);
      await writer.task(async (writerConnection) => {
        await finishCompaction(connection, compaction);
        this.#hasDeleted = true;
        // The next rows must not join the run's last row group.
        await this.#checkpoint(writerConnection);
      });
      this.#shrinking.noteWritten(compaction);
      return true;
    } catch (error) {
      // A table altered in the meantime, an interrupt, a full disk: the tail is unchanged. Left open, the transaction
      // would keep all checkpoints away.
      await connection.rollBack();
      throw error;
    }
  }

  async #begin(connection: Connection, size: CompactionSize, mayShrink: boolean): Promise<Compaction | undefined> {
    for (const source of this.#sources()) {
      const hasManyGroups = (this.#rowGroups.get(source.table) ?? 0) >= MANY_ROW_GROUPS;
      const rowsInLog = this.#rowsInLog.get(source.table) ?? 0;
      const chosen = hasManyGroups ? { ...size, minRows: 1 } : size;
      const compaction = await planCompaction(connection, source, chosen, rowsInLog);
      if (compaction === undefined) continue;
      await beginCompaction(connection, compaction);
      this.#rowGroups.delete(source.table);
      return compaction;
    }
    if (!mayShrink) return undefined;
    const rewriting = await this.#shrinking.plan(connection, this.#sources(), {
      maxRows: size.maxRows,
      rowsInLog: (table) => this.#rowsInLog.get(table) ?? 0,
      free: async () => {
        if (this.#hasDeleted && !this.#options.isQueried()) await this.#checkpoint(connection);
        return !this.#hasDeleted;
      },
      noteMoved: () => {
        this.#hasDeleted = true;
      },
    });
    if (rewriting !== undefined) await beginCompaction(connection, rewriting);
    return rewriting;
  }

  async #free(writer: Writer): Promise<void> {
    const { isQueried, pauseQueries } = this.#options;
    if (isQueried() && !this.#patience.isBack()) return;
    const maxFolds = this.#deletedRows > 0 ? FOLDS_AFTER_DELETE : 0;
    const write = async (connection: Connection) => {
      if (!this.#isHeld) await this.#checkpoint(connection, maxFolds);
    };
    await pauseQueries(async (isAlone) => (isAlone ? writer.task(write) : undefined), this.#patience.waitMs);
    this.#patience.note(!this.#hasDeleted);
  }

  /**
   * Leaves one thread of two, or brings the second back; on the queue and before a compaction begins, since neither a
   * checkpoint nor a run may lose the thread that it has.
   */
  async #shareThreads(writer: Writer, isSingle: boolean): Promise<void> {
    const { threads, pauseQueries } = this.#options;
    if (threads !== SHARED_THREADS || isSingle === this.#isSingle) return;
    if (isSingle && performance.now() < this.#singleAgainMs) return;
    const change = async (isAlone: boolean) => {
      if (!isAlone) return;
      await this.#database.setThreads(isSingle ? 1 : threads);
      this.#isSingle = isSingle;
    };
    await writer.task(async () => {
      if (!isSingle) await change(true);
      else if (!(await pauseQueries(change, THREAD_PATIENCE_MS))) {
        this.#singleAgainMs = performance.now() + THREAD_PAUSE_MS;
      }
    });
  }

  /** Rows a second since this was asked last. */
  #takeRate(): number {
    const now = performance.now();
    const rowsPerSecond = (this.#rowsSinceLook * 1000) / Math.max(1, now - this.#lookedAtMs);
    this.#rowsSinceLook = 0;
    this.#lookedAtMs = now;
    return rowsPerSecond;
  }
}
