import { mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Connection, Database } from "../../driver/connection.ts";
import type { AppendWork } from "../store/group-commit.ts";
import type { LogPosition } from "../store/log-position.ts";
import type { StoredSource } from "../store/stored-source.ts";
import type { Writer } from "../store/writer.ts";
import type { CompactionSize } from "./compaction.ts";
import { Maintenance } from "./maintenance.ts";

const MEBIBYTE = 1024 ** 2;

/** A store that says how long its tail is, and notes what is done to it. */
describe("what maintenance decides", () => {
  let directory: string;
  let tailRows: number;
  /** False while statements go on beside work that moves rows. */
  let isPaused: boolean;
  /** For how long they are waited for. */
  let idle: Promise<void>;
  let isQueried: boolean;
  let freeCores: number;
  let statements: string[];
  /** Those of them that run on the database's own threads alone. */
  let aside: string[];
  let positions: string[];
  const problems: string[] = [];

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
    directory = mkdtempSync(join(tmpdir(), "logweir-decisions-"));
    [tailRows, isPaused, isQueried, freeCores] = [0, true, false, 0];
    statements = [];
    idle = Promise.resolve();
    aside = [];
    positions = [];
    problems.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(directory, { recursive: true });
  });

  /** Its log has so many bytes. */
  function setLog(bytes: number): void {
    const file = join(directory, "events.duckdb.wal");
    writeFileSync(file, "");
    truncateSync(file, bytes);
  }

  function create(compaction: Partial<CompactionSize> = {}, fails?: string, threads = 1) {
    const source = { name: "edge", table: "events_1", rules: undefined, entries: [] } as unknown as StoredSource;
    const connection: Connection = {
      async all(sql: string) {
        statements.push(sql);
        if (fails !== undefined && sql.startsWith(fails)) throw new Error("no");
        if (sql.includes("count(*)") && sql.includes("lw_run IS NULL")) return [[tailRows]];
        return sql.includes("OFFSET") ? [[tailRows - 1]] : [];
      },
      async runAside(sql: string) {
        aside.push(sql);
        await connection.all(sql);
      },
      async rollBack() {
        statements.push("ROLLBACK");
      },
      interrupt: () => statements.push("interrupt"),
    } as unknown as Connection;
    const database = {
      connect: async () => connection,
      setThreads: async (count: number) => void statements.push(`threads = ${count}`),
    } as unknown as Database;
    const position = {
      record: () => positions.push("record"),
      invalidate: () => positions.push("invalidate"),
    } as unknown as LogPosition;
    const maintenance = new Maintenance(
      {
        ...{ directory, threads, position, checkpointBytes: 5 * MEBIBYTE },
        compaction: { minRows: 100, maxRows: 1_000_000, ...compaction },
        isQueried: () => isQueried,
        freeCores: { take: () => freeCores },
        pauseQueries: async (work, maxWaitMs) => {
          statements.push(maxWaitMs === undefined ? "pause" : `pause up to ${maxWaitMs} ms`);
          await idle;
          await work(isPaused);
          return isPaused;
        },
        onProblem: (message) => problems.push(message),
      },
      database,
      () => [source],
    );
    const writer = { task: (task: (connection: Connection) => unknown) => task(connection) } as unknown as Writer;
    const commit = (rowCount: number) => {
      const works = [rowCount, 0].map((count) => ({ source, batch: { header: { rowCount: count } } }));
      return maintenance.afterCommit(connection, works as unknown as readonly AppendWork[]);
    };
    return { maintenance, writer, commit, connection };
  }

  it.each([
    ["takes a tail of its least rows", 3000, 0, 100, true],
    ["leaves a shorter one", 3000, 0, 99, false],
    ["takes it while more than 3,000 rows a second come in too, where half a core is free", 3001, 0.5, 100, true],
    ["waits for one that is eight times as long where less is free", 3001, 0.4, 799, false],
    ["takes that one then", 3001, 0, 800, true],
  ])("%s", async (_, rowsASecond, free, rows, isCompacted) => {
    const { maintenance, writer, commit } = create();
    freeCores = free;
    vi.advanceTimersByTime(2000);
    await commit(2 * rowsASecond);
    // What came in last may be in the log alone, and waits.
    tailRows = rows + 2 * rowsASecond;
    expect(await maintenance.compact(writer, true)).toBe(isCompacted);
    expect(statements.includes("COMMIT")).toBe(isCompacted);
  });

  describe("of the database's threads", () => {
    const busy = 3001;

    /** Looks after a second in which so many rows came in and so many cores were free. */
    async function look({ maintenance, writer, commit }: ReturnType<typeof create>, rows: number, free: number) {
      statements = [];
      freeCores = free;
      vi.advanceTimersByTime(1000);
      await commit(rows);
      await maintenance.compact(writer, true);
      return statements.filter((each) => /thread|pause/.test(each));
    }

    it("leaves one of two while both cores are busy with events, and brings the second back", async () => {
      const store = create({}, undefined, 2);
      expect(await look(store, 3000, 0)).toEqual([]);
      expect(await look(store, busy, 0.5)).toEqual([]);
      expect(await look(store, busy, 0.4)).toEqual(["pause up to 100 ms", "threads = 1"]);
      // One thread takes less: nearly a core has to be free.
      expect(await look(store, busy, 0.9)).toEqual([]);
      expect(await look(store, busy, 1)).toEqual(["threads = 2"]);
      expect(await look(store, busy, 0)).toEqual(["pause up to 100 ms", "threads = 1"]);
      expect(await look(store, 3000, 0)).toEqual(["threads = 2"]);
    });

    it("leaves both while statements go on, and asks them to make way twice a minute at most", async () => {
      const store = create({}, undefined, 2);
      isPaused = false;
      expect(await look(store, busy, 0)).toEqual(["pause up to 100 ms"]);
      isPaused = true;
      expect(await look(store, busy, 0)).toEqual([]);
      vi.advanceTimersByTime(29_000);
      expect(await look(store, 30 * busy, 0)).toEqual(["pause up to 100 ms", "threads = 1"]);
    });

    it.each([1, 3])("leaves %i as they are", async (threads) => {
      expect(await look(create({}, undefined, threads), busy, 0)).toEqual([]);
    });
  });

  it("counts the rows that came in since it looked last", async () => {
    const { maintenance, writer, commit } = create();
    vi.advanceTimersByTime(1000);
    await commit(50_000);
    tailRows = 50_500;
    expect(await maintenance.compact(writer, true)).toBe(false);
    vi.advanceTimersByTime(1000);
    expect(await maintenance.compact(writer, true)).toBe(true);
  });

  it.each([
    ["a quarter of its least rows", {}, 9999, 25, false],
    ["a quarter of its least rows, once none came in for ten seconds,", {}, 10_000, 25, true],
    ["not fewer", {}, 10_000, 24, false],
    ["as few as it is told to", { minQuietRows: 3, quietMs: 5 }, 5, 3, true],
    ["not fewer than it is told to", { minQuietRows: 3, quietMs: 5 }, 5, 2, false],
  ])("takes %s while no events come in", async (_, size, idleMs, rows, isCompacted) => {
    const { maintenance, writer, commit } = create(size);
    await commit(1);
    vi.advanceTimersByTime(idleMs);
    tailRows = rows + 1;
    expect(await maintenance.compact(writer, true)).toBe(isCompacted);
  });

  it("takes no shorter tail when it is told to be impatient, whatever comes in", async () => {
    const { maintenance, writer, commit } = create();
    await commit(1_000_000);
    tailRows = 1_000_099;
    expect(await maintenance.compact(writer, false)).toBe(false);
    tailRows++;
    expect(await maintenance.compact(writer, false)).toBe(true);
  });

  it("makes a checkpoint after the commit that makes the log long, and notes where the log is before and after", async () => {
    const { commit } = create();
    setLog(5 * MEBIBYTE - 1);
    await commit(1);
    expect([statements, positions]).toEqual([[], ["record"]]);
    setLog(5 * MEBIBYTE);
    await commit(1);
    expect(statements).toEqual(["SET GLOBAL max_vacuum_tasks = 0", "CHECKPOINT store"]);
    expect(positions.slice(1)).toEqual(["record", "invalidate", "record"]);
  });

  it("makes it on the database's own threads, unless a query may have them", async () => {
    const { commit } = create();
    setLog(5 * MEBIBYTE);
    await commit(1);
    expect(aside).toEqual(["CHECKPOINT store"]);
    isQueried = true;
    await commit(1);
    expect(aside).toEqual(["CHECKPOINT store"]);
    expect(statements.filter((sql) => sql === "CHECKPOINT store")).toHaveLength(2);
  });

  it("stops statements for the first one too where a log was there before, which may hold deletions", async () => {
    setLog(6 * MEBIBYTE);
    const { commit } = create();
    await commit(1);
    await commit(1);
    const checkpoint = ["SET GLOBAL max_vacuum_tasks = 0", "CHECKPOINT store"];
    expect(statements).toEqual(["pause", ...checkpoint, ...checkpoint]);
  });

  it("says that deleted rows keep their space beside a statement, and not that moved ones do", async () => {
    const { maintenance, writer } = create();
    isPaused = false;
    maintenance.noteDeleted(1);
    expect(await maintenance.isFreed(writer)).toBe(false);
    isPaused = true;
    expect(await maintenance.isFreed(writer)).toBe(true);
    isPaused = false;
    tailRows = 100;
    expect(await maintenance.compact(writer, false)).toBe(true);
    statements = [];
    expect(await maintenance.isFreed(writer)).toBe(true);
    expect(statements).toEqual(["pause up to 2000 ms"]);
  });

  it("waits twice as long, and four times as rarely, for statements after each time that one went on, up to 32 s", async () => {
    const { maintenance, writer } = create();
    [isPaused, isQueried] = [false, true];
    maintenance.noteDeleted(1);
    for (const seconds of [2, 4, 8, 16, 32, 32]) {
      statements = [];
      for (let asked = 0; asked < 5; asked++) expect(await maintenance.isFreed(writer)).toBe(false);
      vi.advanceTimersByTime(seconds ** 2 * 2500 - 1);
      expect(await maintenance.isFreed(writer)).toBe(false);
      expect(statements).toEqual([`pause up to ${seconds * 1000} ms`]);
      vi.advanceTimersByTime(1);
    }
    isPaused = true;
    expect(await maintenance.isFreed(writer)).toBe(true);
    isPaused = false;
    vi.advanceTimersByTime(2_560_000);
    maintenance.noteDeleted(1);
    statements = [];
    expect(await maintenance.isFreed(writer)).toBe(false);
    expect(statements).toEqual(["pause up to 16000 ms"]);
  });

  it("makes one as soon as no statement runs, though it was left for later beside some", async () => {
    const { maintenance, writer } = create();
    [isPaused, isQueried] = [false, true];
    maintenance.noteDeleted(1);
    expect(await maintenance.isFreed(writer)).toBe(false);
    [isPaused, isQueried] = [true, false];
    expect(await maintenance.isFreed(writer)).toBe(true);
  });

  it("makes one of a log of a megabyte where no events come in", async () => {
    const { maintenance, writer, commit } = create();
    await commit(1);
    setLog(MEBIBYTE);
    await maintenance.compact(writer, true);
    expect(statements).not.toContain("CHECKPOINT store");
    vi.advanceTimersByTime(10_000);
    setLog(MEBIBYTE - 1);
    await maintenance.compact(writer, true);
    expect(statements).not.toContain("CHECKPOINT store");
    setLog(MEBIBYTE);
    await maintenance.compact(writer, true);
    expect(statements).toContain("CHECKPOINT store");
  });

  it("takes any tail that 64 checkpoints have cut into row groups, once", async () => {
    const { maintenance, writer, commit } = create();
    setLog(5 * MEBIBYTE);
    for (let count = 0; count < 63; count++) await commit(1);
    tailRows = 63;
    expect(await maintenance.compact(writer, false)).toBe(false);
    await commit(1);
    expect(await maintenance.compact(writer, false)).toBe(true);
    expect(await maintenance.compact(writer, false)).toBe(false);
  });

  it("frees the space of as many deleted rows as are worth it, apart from statements, and folds row groups then", async () => {
    const { maintenance, writer } = create();
    maintenance.noteDeleted(500);
    await maintenance.free(writer, 1000);
    expect(statements).toEqual([]);
    maintenance.noteDeleted(500);
    await maintenance.free(writer, 1000);
    const checkpoint = ["SET GLOBAL max_vacuum_tasks = 4", "CHECKPOINT store"];
    expect(statements).toEqual(["pause up to 2000 ms", "pause", ...checkpoint]);
    await maintenance.free(writer);
    expect(statements).toHaveLength(4);
  });

  it("lets commits go on while statements are waited for, whoever asks meanwhile", async () => {
    const { maintenance, writer, commit } = create();
    const task = vi.spyOn(writer, "task");
    maintenance.noteDeleted(1);
    let end = (): void => undefined;
    idle = new Promise((resolve) => {
      end = resolve;
    });
    const answers = [maintenance.isFreed(writer), maintenance.isFreed(writer)];
    await expect.poll(() => statements).toEqual(["pause up to 2000 ms"]);
    await commit(1);
    expect(task).not.toHaveBeenCalled();
    expect(await maintenance.compact(writer, false)).toBe(false);
    end();
    expect(await Promise.all(answers)).toEqual([true, true]);
    expect(statements.filter((sql) => sql === "CHECKPOINT store")).toHaveLength(1);
  });

  it("moves the rows of a compaction apart from statements, at the next checkpoint where some went on beside it", async () => {
    const { maintenance, writer, commit } = create();
    setLog(5 * MEBIBYTE);
    tailRows = 100;
    isPaused = false;
    expect(await maintenance.compact(writer, false)).toBe(true);
    isPaused = true;
    for (const pauses of [["pause"], ["pause"], []]) {
      expect(statements.slice(-2 - pauses.length)).toEqual([
        ...pauses,
        "SET GLOBAL max_vacuum_tasks = 0",
        "CHECKPOINT store",
      ]);
      expect(statements.filter((sql) => sql === "pause")).toEqual(pauses);
      statements = [];
      await commit(1);
    }
  });

  it("lets the log grow while the disk has no room for a checkpoint, and says so once", async () => {
    const { maintenance, writer, commit } = create();
    writeFileSync(join(directory, "events.duckdb"), "");
    const { blocks, bsize } = statfsSync(directory);
    const bytes = blocks * bsize;
    const problem = `the disk has no room for a checkpoint; the log has ${bytes} bytes and grows until there is`;
    for (let time = 1; time <= 2; time++) {
      setLog(bytes);
      for (let count = 0; count < 2; count++) await commit(1);
      await expect(maintenance.beginSnapshot(writer)).rejects.toMatchObject({
        code: "disk_full",
        message: "No backup was made: the disk that holds the store has too little room",
      });
      expect(statements).toEqual([]);
      expect(problems).toEqual(Array.from({ length: time }, () => problem));
      setLog(5 * MEBIBYTE);
      await commit(1);
      expect(statements.splice(0)).toContain("CHECKPOINT store");
    }
  });

  it("begins a copy behind a compaction that is under way", async () => {
    const { maintenance, writer } = create();
    writeFileSync(join(directory, "events.duckdb"), "");
    tailRows = 100;
    const compacting = maintenance.compact(writer, false);
    await maintenance.beginSnapshot(writer);
    expect(await compacting).toBe(true);
    expect(statements.indexOf("CHECKPOINT store")).toBeGreaterThan(statements.indexOf("COMMIT"));
    expect(statements.filter((sql) => sql === "CHECKPOINT store")).toHaveLength(2);
  });

  it("lets nothing change the file while it is copied, and closes it with a checkpoint otherwise", async () => {
    const { maintenance, writer, commit } = create();
    writeFileSync(join(directory, "events.duckdb"), "12345");
    const snapshot = await maintenance.beginSnapshot(writer);
    expect(snapshot).toMatchObject({ name: "events.duckdb", byteCount: 5 });
    statements = [];
    await expect(maintenance.beginSnapshot(writer)).rejects.toMatchObject({
      code: "overloaded",
      message: "A backup is being made already",
      retryAfterSeconds: 10,
    });
    setLog(5 * MEBIBYTE);
    tailRows = 1000;
    await commit(1);
    maintenance.noteDeleted(1);
    expect(await maintenance.isFreed(writer)).toBe(false);
    expect(await maintenance.compact(writer, false)).toBe(false);
    await maintenance.close(writer);
    expect(statements).toEqual([]);
    maintenance.endSnapshot();
    await maintenance.close(writer);
    expect(statements).toContain("CHECKPOINT store");
  });

  it("can begin a copy again after one that failed, and tells of a last checkpoint that fails", async () => {
    const { maintenance, writer } = create({}, "CHECKPOINT");
    await expect(maintenance.beginSnapshot(writer)).rejects.toThrow("no");
    await expect(maintenance.beginSnapshot(writer)).rejects.toThrow("no");
    await maintenance.close(writer);
    expect(problems).toEqual(["the last checkpoint failed: no"]);
  });

  it.each(["INSERT", "DELETE"])(
    "rolls a compaction back whose %s fails, and tries again when asked to",
    async (failing) => {
      const { maintenance, writer } = create({}, failing);
      tailRows = 100;
      for (let time = 0; time < 2; time++) {
        statements = [];
        await expect(maintenance.compact(writer, false)).rejects.toThrow("no");
        expect([statements.includes("BEGIN"), statements.at(-1)]).toEqual([true, "ROLLBACK"]);
      }
    },
  );

  it("compacts once however many ask, and stops when it is interrupted", async () => {
    const { maintenance, writer } = create();
    tailRows = 100;
    await maintenance.interrupt();
    expect(statements).toEqual([]);
    const all = [maintenance.compact(writer, false), maintenance.compact(writer, true)];
    while (!statements.includes("BEGIN")) await Promise.resolve();
    const interrupted = maintenance.interrupt();
    expect(await Promise.all(all)).toEqual([true, true]);
    await interrupted;
    expect(statements).toContain("interrupt");
    expect(statements.filter((sql) => sql === "BEGIN")).toHaveLength(1);
  });
});
