import { describe, expect, it } from "vitest";
import { type Connection, openDatabase } from "../../driver/connection.ts";
import { createStoredSource } from "./stored-source.ts";
import { Writer } from "./writer.ts";

describe("the writer", () => {
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
    const append = () => writer.append({ source, batches: [], context: { tenants: [] } });
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
    let held: string[] = [];
    const connection = {
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
      onFatal: () => undefined,
      onProblem: () => expect.unreachable(),
    });
    const source = createStoredSource({ name: "", table: "events_1", entries: [], tenants: [] });
    const append = (name: string) => writer.append({ source, batches: [], context: { tenants: [[name, "1"]] } });
    return { writer, commits, append };
  }

  it("retries the members of a failed group one by one, and fails only the bad one", async () => {
    const { commits, append } = openStub((held) => (held.includes("bad") ? new Error("IO Error: no") : undefined));
    const results = await Promise.allSettled(["good", "bad", "fine"].map(append));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(commits).toEqual(['"good","bad","fine"', '"good"', '"bad"', '"fine"']);
  });

  it("does not retry a group if the database is gone or the disk is full", async () => {
    for (const reason of ["FATAL Error: gone", "IO Error: Could not write: No space left on device"]) {
      const { commits, append } = openStub(() => new Error(reason));
      const results = await Promise.allSettled(["good", "fine"].map(append));
      expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      expect(commits).toHaveLength(1);
    }
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
