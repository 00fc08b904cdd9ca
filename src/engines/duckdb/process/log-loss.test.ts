import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampleOf } from "../../../../test/support/sample-size.ts";
import { storePaths } from "../host/store/store-paths.ts";
import { type DuckDbEngine, openDuckDbEngine } from "../index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logweir-log-loss-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const EVENT = { hasGeneratedId: false, timestampUs: 1n, eventMessage: "x".repeat(500), fields: {} };

describe("a store whose log was truncated", () => {
  const signal = new AbortController().signal;
  let engine: DuckDbEngine;

  async function append(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      await engine.store.append("edge", [{ ...EVENT, id: `${index}` }], signal);
    }
  }

  /** A copy of the store in another folder, as a process killed now would leave it. */
  function copyAsKilled(): string {
    const from = storePaths(join(folder, "store"));
    const copy = join(folder, "copy");
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(copy);
    const to = storePaths(copy);
    for (const name of ["file", "writeAheadLog", "logPosition"] as const) copyFileSync(from[name], to[name]);
    return copy;
  }

  /** Returns the report of a store opened on the copy. */
  async function openCopy(directory: string) {
    const lines: string[] = [];
    const opened = await openDuckDbEngine({ directory, threads: 1, log: (_, line) => void lines.push(line) });
    try {
      const { logLoss } = opened.store;
      const { problems = [], sources = [] } = (await opened.store.inspect?.(signal)) ?? {};
      return { logLoss, problems: problems.map(({ code }) => code), rows: sources[0]?.rowCount, lines };
    } finally {
      await opened.close();
    }
  }

  /** Does work beside a store of 20 events, and closes it. */
  async function withEvents(work: () => Promise<void>): Promise<void> {
    engine = await openDuckDbEngine({ directory: join(folder, "store"), threads: 1 });
    try {
      await engine.store.ensureSource({ name: "edge", knownFields: [] });
      await append(20);
      await work();
    } finally {
      await engine.close();
    }
  }

  it("reports the loss in its log and its state at every start, and reports nothing if none is missing", async () => {
    await withEvents(async () => {
      expect(await openCopy(copyAsKilled())).toEqual({ logLoss: undefined, problems: [], rows: 20, lines: [] });
      const copy = copyAsKilled();
      const log = storePaths(copy).writeAheadLog;
      const { size } = statSync(log);
      truncateSync(log, Math.floor(size / 2));
      const first = await openCopy(copy);
      expect(first.logLoss).toMatchObject({ acknowledgedBytes: size, foundBytes: Math.floor(size / 2) });
      expect(first.problems).toEqual(["log_shortened"]);
      expect(first.rows).toBeLessThan(20);
      expect(first.lines).toEqual([expect.stringContaining("Acknowledged events are lost")]);
      const second = await openCopy(copy);
      expect(second.logLoss).toEqual(first.logLoss);
    });
    expect(JSON.parse(readFileSync(storePaths(join(folder, "store")).logPosition, "utf8"))).toEqual({ log_bytes: 0 });
  });

  it("is refused and left as it is where any byte of it has changed, or read in full", {
    timeout: 60_000,
  }, async () => {
    await withEvents(async () => {
      const copy = copyAsKilled();
      const { writeAheadLog } = storePaths(copy);
      const log = readFileSync(writeAheadLog);
      // Its own entry, which has no checksum; the length of the next one; and what a checksum covers.
      const offsets = [0, 16, 34, log.indexOf("events") - 32, log.length >> 1, log.length - 1];
      for (const offset of sampleOf(offsets, 0.25)) {
        const damaged = Buffer.from(log);
        damaged[offset] = (log[offset] ?? 0) ^ 0x41;
        copyAsKilled();
        writeFileSync(writeAheadLog, damaged);
        const opened = await openCopy(copy).catch((error: Error) => error);
        if (opened instanceof Error) {
          expect([offset, opened.message]).toEqual([offset, expect.stringContaining(`${writeAheadLog}, the log`)]);
          expect(readFileSync(writeAheadLog).equals(damaged)).toBe(true);
        } else expect([offset, opened.rows]).toEqual([offset, 20]);
      }
    });
  });

  it("is opened without its last commit where a power failure left blocks of that unwritten, and only then", {
    timeout: 60_000,
  }, async () => {
    await withEvents(async () => {
      const copy = copyAsKilled();
      const { writeAheadLog, logPosition } = storePaths(copy);
      const acknowledged = readFileSync(writeAheadLog);
      const position = readFileSync(logPosition);
      await engine.store.append("edge", [{ ...EVENT, id: "last" }], signal);
      copyAsKilled();
      const last = readFileSync(writeAheadLog).subarray(acknowledged.length);
      const fill = (from: number, to: number, byte = 0) => Buffer.from(last).fill(byte, from, to);
      const tails = [fill(0, last.length), fill(20, last.length), fill(100, 200), fill(0, 8, 255), Buffer.alloc(5_000)];
      const unknown = Buffer.from(JSON.stringify({ log_bytes: null }));
      const logs: [Buffer, Buffer, number?][] = [
        ...tails.map((each, index): [Buffer, Buffer] => [each, index % 2 === 0 ? position : unknown]),
        [last, position, 300],
        [fill(20, last.length), position, 300],
        [fill(20, last.length), unknown, 300],
      ];
      for (const [tail, known, damagedAt] of sampleOf(logs, 0.25)) {
        copyAsKilled();
        const log = Buffer.concat([acknowledged, tail]);
        if (damagedAt !== undefined) log[damagedAt] = (log[damagedAt] ?? 0) ^ 0x41;
        writeFileSync(writeAheadLog, log);
        writeFileSync(logPosition, known);
        const opened = await openCopy(copy).catch((error: Error) => error);
        if (damagedAt === undefined) {
          expect(opened).toMatchObject({ logLoss: undefined, problems: [], rows: 20 });
          expect(opened).toMatchObject({ lines: [expect.stringContaining("a commit that was not finished")] });
        } else {
          expect(opened).toMatchObject({ message: expect.stringContaining("nothing was changed") });
          expect(readFileSync(writeAheadLog).equals(log)).toBe(true);
        }
      }
    });
  });
});
