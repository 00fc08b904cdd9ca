/** The engine host's work in whichever process it runs: the store's file, its writer, and queries. */
import { type Deletion, describeFullDisk, EngineError } from "../../contract/query-engine.ts";
import type { NewSource, SourceRules, SourceSchema } from "../../schema/source/source-schema.ts";
import { tenantColumnOf } from "../../schema/source/source-schema.ts";
import type { Connection, Database } from "../driver/connection.ts";
import { describeCause, toEngineError } from "../driver/driver-error.ts";
import { IdMaintenance, readLastRuns } from "./maintenance/id-maintenance.ts";
import { Maintenance } from "./maintenance/maintenance.ts";
import type {
  CoreOptions,
  EngineHost,
  HostReport,
  HostSizes,
  HostSnapshot,
  JointResult,
  OpenedStore,
  RowFilter,
  TableStatistics,
} from "./protocol.ts";
import { QueryRunner } from "./query/query-runner.ts";
import { createStatementCheck, statementRules } from "./query/statement-check.ts";
import { readReport, readSizes, readStatistics } from "./report.ts";
import { countRows, deletePiece, findPieces, selectRows } from "./store/deletion.ts";
import type { LogPosition } from "./store/log-position.ts";
import { applyRules } from "./store/source-rules.ts";
import { addSourceEntries, createSourceTables, dropSourceTable } from "./store/source-tables.ts";
import { openStoreFile, readSources, type StoreFile } from "./store/store-file.ts";
import { createStoredSource, findIdRange, type StoredSource } from "./store/stored-source.ts";
import { readTenants } from "./store/tenant-entries.ts";
import { Writer } from "./store/writer.ts";

export interface CoreHooks {
  /** The database refuses everything from now on: the caller has to reopen it or end the process. */
  readonly onFatal: (error: unknown) => void;
  /** Something failed in the background, and the core recovers from it. */
  readonly onProblem: (message: string) => void;
}

/** Queries that run at once; more wait. */
const DEFAULT_MAX_QUERIES = 16;

/** How often the core looks whether there is something to compact. */
const MAINTENANCE_INTERVAL_MS = 5000;

/** Deleted rows whose space is worth a checkpoint of its own. */
const MIN_FREED_ROWS = 1000;

class Core implements EngineHost {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #directory: string | undefined;
  readonly #sources = new Map<string, StoredSource>();
  /** Tables of dropped sources: queries that were planned before may still read them, and find nothing. */
  readonly #droppedTables: string[] = [];
  readonly #ids: IdMaintenance;
  #isClosing = false;
  readonly #runner: QueryRunner;
  /** Absent for a store in memory. */
  readonly #maintenance: Maintenance | undefined;
  readonly #position: LogPosition | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onProblem: CoreHooks["onProblem"];
  readonly run: EngineHost["run"];

  constructor(
    options: CoreOptions,
    { database, position }: StoreFile,
    connections: { readonly writer: Connection; readonly check: Connection },
    sources: readonly SourceSchema[],
    lastRuns: ReadonlyMap<string, number>,
    hooks: CoreHooks,
  ) {
    this.#database = database;
    this.#onProblem = hooks.onProblem;
    const all = () => [...this.#sources.values()];
    this.#ids = new IdMaintenance(options, database, all, hooks.onProblem);
    for (const schema of sources) {
      const ids = this.#ids.open(schema.table, lastRuns.get(schema.table));
      this.#sources.set(schema.name, createStoredSource(schema, ids));
    }
    const tables = () => [...[...this.#sources.values()].map(({ table }) => table), ...this.#droppedTables];
    const check = createStatementCheck(
      connections.check,
      statementRules((name) => tables().includes(name)),
    );
    this.#runner = new QueryRunner(
      database,
      check,
      (table, id) => findIdRange(this.#sources.values(), table, id),
      { ...options, maxQueries: options.maxQueries ?? DEFAULT_MAX_QUERIES },
      (table) => {
        const source = [...this.#sources.values()].find((each) => each.table === table);
        return source === undefined ? undefined : tenantColumnOf(source);
      },
    );
    this.run = (query, signal) => this.#runner.run(query, signal);
    this.#writer = new Writer(connections.writer, {
      afterCommit: async (works) => {
        this.#ids.afterCommit(this.#writer);
        await this.#maintenance?.afterCommit(connections.writer, works);
      },
      onFatal: hooks.onFatal,
      onProblem: hooks.onProblem,
    });
    const { directory, threads, checkpointBytes, compaction } = options;
    this.#directory = directory;
    this.#position = position;
    if (directory !== undefined && position !== undefined) {
      const maintenance = new Maintenance(
        {
          ...{ directory, threads, checkpointBytes, compaction, position, onProblem: hooks.onProblem },
          isQueried: () => this.#runner.isRunning,
          pauseQueries: (...pause) => this.#runner.pauseFor(...pause),
        },
        database,
        all,
      );
      this.#maintenance = maintenance;
      const maintain = this.#createPatientMaintenance(maintenance, hooks);
      this.#timer = setInterval(() => void maintain(), compaction.everyMs ?? MAINTENANCE_INTERVAL_MS);
      this.#timer.unref();
    }
    this.#ids.load(this.#writer);
  }

  /** Compacts until there is nothing left to compact; does nothing if it is already running. */
  #createPatientMaintenance(maintenance: Maintenance, { onProblem }: CoreHooks): () => Promise<void> {
    let isMaintaining = false;
    return async () => {
      if (isMaintaining) return;
      isMaintaining = true;
      try {
        while (!this.#isClosing && (await maintenance.compact(this.#writer, true)));
        await maintenance.free(this.#writer, MIN_FREED_ROWS);
      } catch (error) {
        if (!this.#isClosing) onProblem(`maintenance failed and will be tried again: ${describeCause(error)}`);
      } finally {
        isMaintaining = false;
      }
    };
  }

  async append(...[source, batch, context]: Parameters<EngineHost["append"]>): Promise<JointResult> {
    return this.#writer.append({ source: this.#source(source), batch, context });
  }

  async createSources(sources: readonly NewSource[]): Promise<readonly SourceSchema[]> {
    return this.#writer.task(async (connection) => {
      const missing = sources.filter(({ name }) => !this.#sources.has(name));
      const openIds = (table: string) => this.#ids.open(table);
      for (const source of missing.length === 0 ? [] : await createSourceTables(connection, missing, openIds)) {
        source.ids.complete(source.ids.uncovered);
        this.#sources.set(source.name, source);
      }
      return sources.map(({ name }) => {
        const { table, entries, rules } = this.#source(name);
        return { name, table, entries, tenants: [], rules };
      });
    });
  }

  async defineSource(name: string, rules: SourceRules): Promise<SourceSchema> {
    const source = this.#source(name);
    return this.#writer.task(async (connection) => {
      await applyRules(connection, source, rules);
      this.#runner.forgetRows();
      const tenants = (await readTenants(connection)).get(name) ?? [];
      return { name, table: source.table, entries: source.entries, tenants, rules };
    });
  }

  async addEntries(name: string, entries: Parameters<EngineHost["addEntries"]>[1]): Promise<void> {
    const source = this.#source(name);
    await this.#writer.task((connection) => addSourceEntries(connection, source, entries));
    this.#runner.forgetStatements();
  }

  statistics(): Promise<readonly TableStatistics[]> {
    return this.#read((connection) => readStatistics(connection, [...this.#sources.values()]));
  }

  async sizes(): Promise<HostSizes | null> {
    const maintenance = this.#maintenance;
    await maintenance?.compacted();
    // Whoever deletes what is beyond a bound would delete more for space that is free already.
    if ((await maintenance?.isFreed(this.#writer)) === false) return null;
    return this.#read((connection) => readSizes(connection, this.#directory));
  }

  report(): Promise<HostReport> {
    return this.#read((connection) => readReport(connection, [...this.#sources.values()], this.#directory));
  }

  async beginSnapshot(): Promise<HostSnapshot> {
    if (this.#maintenance === undefined) throw new EngineError("unavailable", "A store in memory has no file");
    return this.#maintenance.beginSnapshot(this.#writer);
  }

  async endSnapshot(): Promise<void> {
    this.#maintenance?.endSnapshot();
  }

  async ping(): Promise<void> {
    await this.#read((connection) => connection.all("SELECT 1"));
  }

  async maintain(): Promise<boolean> {
    return (await this.#maintenance?.compact(this.#writer, false)) ?? false;
  }

  async countEvents(name: string, filter: RowFilter): Promise<number> {
    const selection = selectRows(this.#source(name), filter);
    return countRows(await this.#read((connection) => findPieces(connection, selection)));
  }

  /**
   * Piece by piece between commits. A checkpoint moves rows, so that pieces are looked for again until none was made
   * while they were deleted.
   */
  async deleteEvents(name: string, filter: RowFilter): Promise<Deletion> {
    const remove = () => this.#deleteEvents(this.#source(name), filter);
    return this.#maintenance === undefined ? remove() : this.#maintenance.withoutCompaction(remove);
  }

  async #deleteEvents(source: StoredSource, filter: RowFilter): Promise<Deletion> {
    const selection = selectRows(source, filter);
    const { toUs, ...others } = filter;
    let [matched, deleted] = [-1, 0];
    for (let isDone = false; !isDone; ) {
      const moves = this.#maintenance?.moveCount;
      const pieces = await this.#read((connection) => findPieces(connection, selection));
      if (matched < 0) matched = countRows(pieces);
      for (const piece of pieces) {
        const deleting = this.#writer.task(async (connection) => {
          const count = await deletePiece(connection, selection, piece).finally(() => this.#runner.forgetRows());
          this.#maintenance?.noteDeleted(count);
          return count;
        });
        deleted += await deleting.catch((error: unknown) => {
          throw describeFullDisk(error, `${deleted} of ${matched} events were deleted`);
        });
      }
      isDone = pieces.length === 0 || moves === this.#maintenance?.moveCount;
    }
    // The space of a few rows is freed by the next checkpoint.
    if (deleted < MIN_FREED_ROWS) return { matched, deleted };
    await this.#writer.task(async (connection) => {
      // Events as old may have come in meanwhile.
      const isEmpty = async () => (await findPieces(connection, selection)).length === 0;
      if (toUs !== undefined && Object.keys(others).length === 0 && (await isEmpty())) {
        await source.ids.forgetBefore(BigInt(toUs));
      }
    });
    // The events are deleted all the same; maintenance makes up for it.
    await this.#maintenance?.free(this.#writer).catch((error: unknown) => {
      this.#onProblem(`the space of deleted events is not free yet: ${describeCause(error)}`);
    });
    return { matched, deleted };
  }

  async dropSource(name: string): Promise<void> {
    const source = this.#sources.get(name);
    if (source === undefined) return;
    // From here on appends find no source, and no compaction begins: what is queued already goes first.
    this.#sources.delete(name);
    this.#droppedTables.push(source.table);
    try {
      await this.#maintenance?.interrupt();
      await this.#writer.task(async (connection) => {
        await dropSourceTable(connection, source).finally(() => this.#runner.forgetRows());
        this.#maintenance?.noteDeleted(MIN_FREED_ROWS);
      });
      await source.ids.drop().catch(() => undefined);
    } catch (error) {
      this.#droppedTables.splice(this.#droppedTables.indexOf(source.table), 1);
      this.#sources.set(name, source);
      throw describeFullDisk(error, `The source ${name} was not dropped`);
    }
    // Beside a query that still reads the rows it fails; maintenance makes up for it.
    await this.#maintenance?.free(this.#writer).catch(() => undefined);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosing = true;
    await this.#runner.close();
    await this.#maintenance?.close(this.#writer);
    await this.#ids.close();
    await this.#writer.close();
    // DuckDB makes a checkpoint of its own where there is something left in the log.
    this.#position?.invalidate();
    this.#database.close();
    this.#position?.record();
    this.#position?.close();
  }

  /** Runs a task on a connection of its own. */
  async #read<T>(task: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#database.connect();
    try {
      return await task(connection);
    } catch (error) {
      throw toEngineError(error);
    } finally {
      connection.close();
    }
  }

  #source(name: string): StoredSource {
    const source = this.#sources.get(name);
    if (source === undefined) throw new EngineError("unknown_source", `The store has no source ${name}`);
    return source;
  }
}

/** Opens the store and everything over it. Throws `EngineError` (see `openStoreFile`). */
export async function openCore(
  options: CoreOptions,
  hooks: CoreHooks,
): Promise<{ readonly host: EngineHost } & OpenedStore> {
  const file = await openStoreFile(options, hooks.onProblem);
  const { database, position } = file;
  try {
    const connections = { writer: await database.connect(), check: await database.connect() };
    const sources = await readSources(connections.writer);
    const lastRuns = await readLastRuns(connections.writer);
    return { host: new Core(options, file, connections, sources, lastRuns, hooks), sources, logLoss: position?.loss };
  } catch (error) {
    database.close();
    throw toEngineError(error);
  }
}
