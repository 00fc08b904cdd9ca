/** Reads the ids of rows that no index has yet, and moves ids from memory into files when there are many. */
import { DEFAULT_REPEAT_WINDOW_MS } from "../../../contract/query-engine.ts";
import type { Connection, Database } from "../../driver/connection.ts";
import { describeCause, toEngineError } from "../../driver/driver-error.ts";
import { IdFolder } from "../ids/id-folder.ts";
import { IdIndex } from "../ids/id-index.ts";
import type { CoreOptions } from "../protocol.ts";
import { storePaths } from "../store/store-paths.ts";
import { loadIds, type StoredSource } from "../store/stored-source.ts";
import type { Writer } from "../store/writer.ts";

/** Ids of all sources in memory: as many as a table of 32 MB takes. */
const DEFAULT_MAX_HELD = 2_900_000;

/** The last sorted run of each table that has any. */
export async function readLastRuns(connection: Connection): Promise<ReadonlyMap<string, number>> {
  const rows = await connection.all("SELECT source, max(run)::DOUBLE FROM lw_runs GROUP BY source");
  return new Map(rows.map(([table, run]) => [String(table), Number(run)]));
}

export class IdMaintenance {
  readonly #windowMs: number;
  readonly #maxHeld: number;
  readonly #onProblem: (message: string) => void;
  readonly #folder: IdFolder | undefined;
  readonly #database: Database;
  readonly #sources: () => readonly StoredSource[];
  #writer: Writer | undefined;
  #loading: Promise<void> = Promise.resolve();
  #storing: Promise<void> | undefined;
  #connection: Connection | undefined;
  #isClosing = false;

  /** `onProblem`: something failed in the background, and will be tried again. */
  constructor(
    { directory, repeatWindowMs = DEFAULT_REPEAT_WINDOW_MS, maxHeldIds = DEFAULT_MAX_HELD }: CoreOptions,
    database: Database,
    sources: () => readonly StoredSource[],
    onProblem: (message: string) => void,
  ) {
    this.#windowMs = repeatWindowMs;
    this.#maxHeld = maxHeldIds;
    this.#onProblem = onProblem;
    // A store in memory has all of its ids there.
    this.#folder = directory === undefined ? undefined : new IdFolder(storePaths(directory).ids);
    this.#database = database;
    this.#sources = sources;
  }

  /** The index of a table, with the files that there are of it. */
  open(table: string, lastRun = 0): IdIndex {
    const onDamage = (error: unknown) => {
      this.#onProblem(`the ids of ${table} are read from the table again: ${describeCause(error)}`);
      // Not before the commit that met it has ended.
      setImmediate(() => this.#writer !== undefined && this.load(this.#writer));
    };
    return new IdIndex({ table, folder: this.#folder, windowMs: this.#windowMs, nowMs: Date.now, onDamage }, lastRun);
  }

  /**
   * Begins to read the ids that indexes lack, table by table. Until then the rows themselves are asked. While ids are
   * being read, what was found damaged since is read after them.
   */
  load(writer: Writer): void {
    this.#writer = writer;
    this.#loading = this.#loading.then(() => this.#load(writer));
  }

  /** Begins to store ids once there are too many in memory. Called on the writer's queue after each commit. */
  afterCommit(writer: Writer): void {
    if (this.#storing !== undefined) return;
    this.#makeRoom(writer).catch((error: unknown) => {
      if (!this.#isClosing) this.#onProblem(`cannot store ids, which stay in memory: ${describeCause(error)}`);
    });
  }

  /** Waits for what is being stored; what is being read is given up. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#connection?.interrupt();
    await Promise.all([this.#loading, this.#storing?.catch(() => undefined)]);
    await this.#folder?.changesDone();
    for (const { ids } of this.#sources()) ids.close();
  }

  #isOverfull(): boolean {
    const held = this.#sources().reduce((sum, { ids }) => sum + ids.heldCount, 0);
    return held > this.#maxHeld;
  }

  /**
   * Stores ids of the source that has most of them, where there are too many in memory: those of a smaller one would
   * become many short files.
   */
  async #makeRoom(writer: Writer): Promise<void> {
    if (this.#folder === undefined || this.#isClosing || !this.#isOverfull()) return;
    const [source] = [...this.#sources()].sort((a, b) => b.ids.heldCount - a.ids.heldCount);
    if (source === undefined) return;
    await (this.#storing ?? this.#beginToStore(writer, source));
  }

  /** Begins to store the ids of a source that are in memory. The caller makes sure that nothing else is being stored. */
  #beginToStore(writer: Writer, source: StoredSource): Promise<void> {
    this.#storing = this.#store(writer, source).finally(() => {
      this.#storing = undefined;
    });
    return this.#storing;
  }

  async #store(writer: Writer, source: StoredSource): Promise<void> {
    // Between commits, so that every row of a run that there is by then is in the index.
    await writer.task(async (connection) => {
      const run = (await readLastRuns(connection)).get(source.table) ?? 0;
      source.ids.seal(source.ids.uncovered === undefined ? run : null);
    });
    await source.ids.store();
  }

  async #load(writer: Writer): Promise<void> {
    for (const source of this.#sources()) {
      if (source.ids.uncovered === undefined || this.#isClosing) continue;
      try {
        this.#connection = await this.#database.connect();
        if (this.#isClosing) continue;
        await loadIds(this.#connection, source, () => this.#makeRoom(writer));
        // Else the files of a damaged index might still be named that are being removed.
        await this.#folder?.changesDone();
        // From now on a start reads what comes after, and no longer the whole table.
        if (this.#folder?.filesOf(source.table).coveredRun === null && source.ids.fileCount > 0) {
          while (this.#storing !== undefined) await this.#storing;
          await this.#beginToStore(writer, source);
        }
      } catch (error) {
        // An interrupt at closing; else the source goes on without all of its ids.
        if (!this.#isClosing) {
          const { message } = toEngineError(error);
          this.#onProblem(`cannot read the ids of ${source.name}: ${message} (${describeCause(error)})`);
        }
      } finally {
        this.#connection?.close();
        this.#connection = undefined;
      }
    }
  }
}
