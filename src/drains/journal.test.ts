import { appendFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../test/support/code-point.ts";
import type { EventKey } from "../engines/contract/query-engine.ts";
import { createFileLog } from "./drain-log.ts";
import { openJournal, parseKey, type WaitingKey } from "./journal.ts";

const makeTemporaryFolder = (name: string) => mkdtemp(join(tmpdir(), `${name}-`));

/** The tests need no durability. */
const flush = async () => undefined;
const warn = () => undefined;
const key = (number: number, id = `event ${number}`): EventKey => ({
  id,
  timestampUs: BigInt(number),
  tenant: number % 3 === 0 ? null : `tenant ${number}`,
  ...(number % 5 === 0 ? { hops: ["0123456789abcdef", `${number}`] } : {}),
});
const keys = (from: number, count: number) => Array.from({ length: count }, (_, index) => key(from + index));

describe("a drain journal", () => {
  it("returns keys in order and by number, across files and restarts", async () => {
    const operation = fc.oneof(
      fc.record({
        kind: fc.constant("note" as const),
        ids: fc.array(fc.string({ unit: codePoint }), { maxLength: 20 }),
      }),
      fc.record({ kind: fc.constant("reopen" as const) }),
      fc.record({ kind: fc.constant("release" as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 8 }), async (operations) => {
        const folder = await makeTemporaryFolder("journal");
        let journal = await openJournal({ flush, folder, segmentBytes: 100 });
        const all: EventKey[] = [];
        for (const each of operations) {
          if (each.kind === "note") {
            const noted = each.ids.map((id, index) => key(all.length + index, id));
            await journal.note(noted);
            all.push(...noted);
          } else if (each.kind === "reopen") {
            await journal.close();
            journal = await openJournal({ flush, folder, segmentBytes: 100 });
          } else await journal.releaseBefore(Math.floor(each.share * all.length));
        }
        const read: WaitingKey[] = [];
        for (let at = journal.first; at < journal.end; ) {
          const some = await journal.read(at, 7);
          read.push(...some);
          at += some.length;
        }
        expect(read).toEqual(all.slice(journal.first));
        expect(journal.end).toBe(all.length);
        await journal.close();
      }),
      { numRuns: 20 },
    );
  });

  it("reads keys of an earlier release, which know no tenant", () => {
    expect(parseKey('-7 "a \\"b"')).toEqual({ id: 'a "b', timestampUs: -7n, tenant: undefined });
  });

  it("drops a line truncated by a crash, and continues after the last complete line", async () => {
    const folder = await makeTemporaryFolder("journal");
    const before = await openJournal({ flush, folder });
    await before.note(keys(0, 3));
    await before.close();
    const [file = "", next = ""] = await readdir(folder);
    // A crash begins no next file.
    await rm(join(folder, next));
    await appendFile(join(folder, file), '3 "cu');
    const after = await openJournal({ flush, folder });
    expect(after.end).toBe(3);
    await after.note([key(3)]);
    expect(await after.read(0, 10)).toEqual(keys(0, 4));
    await after.close();
  });

  it("stores keys of concurrent requests once each", async () => {
    const journal = await openJournal({ flush, folder: await makeTemporaryFolder("journal") });
    await Promise.all(Array.from({ length: 50 }, (_, index) => journal.note([key(index)])));
    expect(new Set((await journal.read(0, 100)).map(({ id }) => id)).size).toBe(50);
    await journal.close();
  });

  it("wakes a reader when keys arrive or when its signal is aborted", async () => {
    const journal = await openJournal({ flush, folder: await makeTemporaryFolder("journal") });
    const waiting = journal.waitForKeys(0, new AbortController().signal);
    await journal.note([key(0)]);
    await waiting;
    const ending = new AbortController();
    const ended = journal.waitForKeys(1, ending.signal);
    ending.abort();
    await ended;
    await journal.close();
  });
});

describe("the journals together", () => {
  it("drop the oldest keys of the longest journal beyond their size limit", async () => {
    const log = createFileLog({
      ...{ folder: await makeTemporaryFolder("journals"), maxBytes: 1_000_000 },
      flush,
      warn,
    });
    const { journals } = log;
    const long = await journals.open("long");
    const short = await journals.open("short");
    await short.note(keys(0, 10));
    for (let at = 0; at < 150_000; at += 5_000) {
      await long.note(keys(at, 5_000));
      await log.keepWithinBound();
    }
    expect(journals.byteCount).toBeLessThanOrEqual(1_000_000);
    expect(long.first).toBeGreaterThan(0);
    expect((await long.read(long.first, 1))[0]).toEqual(key(long.first));
    expect(short.first).toBe(0);
    await journals.close();
  });

  it("are within their size limit however many sources have one file each, and keep their numbers", async () => {
    const folder = await makeTemporaryFolder("journals");
    const log = createFileLog({ folder, maxBytes: 2_000, flush, warn });
    const opened = await Promise.all(["a", "b", "c", "d"].map((source) => log.journals.open(source)));
    for (let round = 0; round < 30; round++) {
      for (const journal of opened) {
        await journal.note(keys(round, 1));
        await log.keepWithinBound();
        expect(log.journals.byteCount).toBeLessThanOrEqual(2_000);
      }
    }
    for (const journal of opened) {
      expect(journal.end).toBe(30);
      expect(await journal.read(journal.first, 30)).toEqual(keys(journal.first, 30 - journal.first));
    }
    const [first] = opened;
    while ((await first?.dropOldest()) !== 0);
    await Promise.all([first?.note(keys(30, 1)), first?.dropOldest(), first?.note(keys(31, 1))]);
    await log.close();
    const again = await createFileLog({ folder, maxBytes: 2_000, flush, warn }).journals.open("a");
    expect(again.end).toBe(32);
    await again.close();
  });

  it("delete the files of a removed source", async () => {
    const folder = await makeTemporaryFolder("journals");
    const { journals } = createFileLog({ folder, maxBytes: 1_000_000, flush, warn });
    await (await journals.open("a")).note(keys(0, 3));
    await journals.remove("a");
    expect(await readdir(folder)).toEqual([]);
    expect((await journals.open("a")).end).toBe(0);
    await journals.close();
  });
});
