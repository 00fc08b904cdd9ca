import { afterEach, describe, expect, it, vi } from "vitest";
import { BatchBuilder, type EncodedBatch } from "../../batch/batch.ts";
import { type Connection, openDatabase } from "../../driver/connection.ts";
import { createSourceTables } from "./source-tables.ts";
import { openStoreFile } from "./store-file.ts";
import { createStoredSource } from "./stored-source.ts";
import { Writer } from "./writer.ts";

function rowsOf(count: number): EncodedBatch {
  const builder = new BatchBuilder();
  const event = { id: "x", hasGeneratedId: true, timestampUs: 0n, eventMessage: null, fields: {} };
  for (let row = 0; row < count; row++) builder.addRow(event);
  return builder.encode();
}

/** A batch without rows. */
function bytesOf(byteCount: number): EncodedBatch {
  const columns = rowsOf(1).header.columns.map((column) => ({ ...column, count: 0 }));
  return { header: { rowCount: 0, columns, ownIdRows: [] }, payload: Buffer.alloc(byteCount) };
}

const EMPTY = bytesOf(4);
const MEGABYTE = 1024 ** 2;

describe("the writer", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("reports a failing checkpoint once until it succeeds, and still acknowledges the events", async () => {
    const database = await openDatabase({ threads: 1, memoryLimitBytes: 64 * 1024 ** 2 });
    const problems: string[] = [];
    let failure: Error | undefined = new Error("IO Error: the file is read-only");
    const writer = new Writer(await database.connect(), {
      afterCommit: async () => {
        if (failure !== undefined) throw failure;
      },
      onFatal: () => expect.unreachable(),
      onProblem: (message) => problems.push(message),
    });
    const source = createStoredSource({ name: "edge", table: "events_1", entries: [], tenants: [] });
    const append = () => writer.append({ source, batch: EMPTY, context: { tenants: [] } });
    expect(await append()).toEqual({ stored: 0, repeated: 0 });
    await append();
    const said = "a checkpoint failed and will be tried again: IO Error: the file is read-only";
    expect(problems).toEqual([said]);
    failure = undefined;
    await append();
    failure = new Error("IO Error: the file is read-only");
    await append();
    await writer.close();
    expect(problems).toEqual([said, said]);
    database.close();
  });

  /** A writer whose commits fail if `fails` returns an error; each entry of `commits` lists what one contained. */
  function openStub(fails: (held: string) => Error | undefined) {
    const commits: string[] = [];
    const fatal: unknown[] = [];
    let held: string[] = [];
    const connection = {
      append: async () => undefined,
      async all(_sql: string, values: readonly { readonly value: unknown }[] = []) {
        held.push(...values.map(({ value }) => JSON.stringify(value)));
        return [];
      },
      async transaction(work: () => Promise<unknown>) {
        held = [];
        const result = await work();
        commits.push(held.filter((text) => /^"[a-z]+"$/.test(text)).join());
        const failure = fails(commits.at(-1) ?? "");
        if (failure !== undefined) throw failure;
        return result;
      },
    };
    const writer = new Writer(connection as unknown as Connection, {
      afterCommit: async () => undefined,
      onFatal: (error) => fatal.push(error),
      onProblem: () => expect.unreachable(),
    });
    const source = createStoredSource({ name: "", table: "events_1", entries: [], tenants: [] });
    const append = (name: string, batch = EMPTY) =>
      writer.append({ source, batch, context: { tenants: [[name, "1"]] } });
    return { writer, commits, fatal, append };
  }

  it("retries the members of a failed group one by one, and fails only the bad one", async () => {
    const { commits, append } = openStub((held) => (held.includes("bad") ? new Error("IO Error: no") : undefined));
    const results = await Promise.allSettled(["good", "bad", "fine"].map((name) => append(name)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(commits).toEqual(['"good","bad","fine"', '"good"', '"bad"', '"fine"']);
  });

  it("does not retry a group if the database is gone or the disk is full", async () => {
    for (const [reason, isFatal] of [
      ["FATAL Error: gone", true],
      ["IO Error: Could not write: No space left on device", false],
    ] as const) {
      const error = new Error(reason);
      const { writer, commits, fatal, append } = openStub(() => error);
      const results = await Promise.allSettled(["good", "fine"].map((name) => append(name)));
      expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      expect(commits).toHaveLength(1);
      expect(fatal).toEqual(isFatal ? [error] : []);
      await expect(writer.task(() => Promise.reject(error))).rejects.toMatchObject({ cause: error });
      expect(fatal).toEqual(isFatal ? [error, error] : []);
    }
  });

  it("commits appends together up to 2,000 rows or 16 MB, and a larger one by itself", async () => {
    const { append, commits } = openStub(() => undefined);
    const [half, one] = [rowsOf(1000), rowsOf(1)];
    await Promise.all([
      append("a", half),
      append("b", half),
      append("c", one),
      append("d", rowsOf(2000)),
      append("e", one),
    ]);
    expect(commits.splice(0)).toEqual(['"a","b"', '"c"', '"d"', '"e"']);
    await Promise.all([
      append("a", bytesOf(8 * MEGABYTE)),
      append("b", bytesOf(8 * MEGABYTE)),
      append("c", bytesOf(MEGABYTE)),
    ]);
    expect(commits).toEqual(['"a","b"', '"c"']);
  });

  it("tries again while memory is short, after longer and longer pauses, and gives up then", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    let isShort = true;
    const error = new Error("Out of Memory Error: no");
    const { append, commits } = openStub(() => (isShort ? error : undefined));
    const answers = Promise.allSettled(["a", "b"].map((name) => append(name)));
    for (const [index, pauseMs] of [50, 100, 200, 400, 800, 1_600].entries()) {
      await vi.advanceTimersByTimeAsync(pauseMs - 1);
      expect(commits).toHaveLength(index + 1);
      await vi.advanceTimersByTimeAsync(1);
    }
    const reason = {
      code: "overloaded",
      message: "The engine is short of memory for new events",
      retryAfterSeconds: 1,
    };
    expect(await answers).toMatchObject([{ reason }, { reason }]);
    expect(commits).toHaveLength(7);
    const later = append("c");
    await vi.advanceTimersByTimeAsync(1);
    isShort = false;
    await vi.advanceTimersByTimeAsync(100);
    expect(await later).toEqual({ stored: 0, repeated: 0 });
  });

  it("stores events once where a commit fails after it is done, whoever made their ids", async () => {
    const compaction = { minRows: 10, maxRows: 100 };
    const options = { threads: 1, memoryLimitBytes: 64 * 1024 ** 2, checkpointBytes: 1024 ** 2, compaction };
    const { database } = await openStoreFile(options);
    const connection = await database.connect();
    const [source] = await createSourceTables(connection, [
      { name: "edge", entries: [{ role: "json", path: "", column: "j0" }], rules: { tenantField: null, fields: [] } },
    ]);
    if (source === undefined) throw new Error("There is no source");
    source.ids.complete(source.ids.uncovered);
    let failures = 2;
    const failing = new Proxy(connection, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== "transaction") return typeof value === "function" ? value.bind(target) : value;
        return async (work: () => Promise<unknown>) => {
          const result = await target.transaction(work);
          if (failures-- > 0) throw new Error("Cannot create a data chunk with these column types: BIGINT");
          return result;
        };
      },
    });
    const unexpected = () => expect.unreachable();
    const writer = new Writer(failing, { afterCommit: async () => {}, onFatal: unexpected, onProblem: unexpected });
    const append = (...ids: readonly (readonly [id: string, hasGeneratedId: boolean])[]) => {
      const builder = new BatchBuilder();
      for (const [id, hasGeneratedId] of ids) {
        builder.addRow({ id, hasGeneratedId, timestampUs: 5n, eventMessage: null, fields: {} });
      }
      return writer.append({ source, batch: builder.encode(), context: { tenants: [] } });
    };
    const appends = [append(["own", false], ["made", true]), append(["other", true])];
    await Promise.all(appends);
    await append(["own", false]);
    expect(await connection.all(`SELECT id FROM "${source.table}" ORDER BY id`)).toEqual([
      ["made"],
      ["other"],
      ["own"],
    ]);
    await writer.close();
    connection.close();
    database.close();
  });

  it("answers every append made before it was closed, and rejects later ones", async () => {
    const { writer, append, commits } = openStub((held) =>
      held.includes("bad") ? new Error("IO Error: no") : undefined,
    );
    const answers: string[] = [];
    const note = (name: string, work: Promise<unknown>) =>
      work.then(
        () => void answers.push(name),
        (error: { readonly code: string }) => void answers.push(`${name}: ${error.code}`),
      );
    const noted = [
      note("good", append("good")),
      note("bad", append("bad")),
      note(
        "task",
        writer.task(async () => 1),
      ),
    ];
    noted.push(note("behind", append("behind")));
    const closing = writer.close().then(() => answers.push("closed"));
    noted.push(
      note("late", append("late")),
      note(
        "later",
        writer.task(async () => 1),
      ),
    );
    await closing;
    await Promise.all(noted);
    expect(answers.slice(0, 2)).toEqual(["late: unavailable", "later: unavailable"]);
    expect(answers.slice(2)).toEqual(["good", "bad: internal", "task", "behind", "closed"]);
    expect(commits.at(-1)).toBe('"behind"');
  });
});
