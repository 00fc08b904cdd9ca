import { describe, expect, it } from "vitest";
import { openDatabase } from "../../driver/connection.ts";
import { createStoredSource } from "./stored-source.ts";
import { Writer } from "./writer.ts";

describe("the writer", () => {
  it("tells of a checkpoint that failed, once for as long as it goes on, and the events count as stored", async () => {
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
});
