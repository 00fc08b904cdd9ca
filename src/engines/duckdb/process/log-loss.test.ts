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
import { storePaths } from "../host/store/store-file.ts";
import { type DuckDbEngine, openDuckDbEngine } from "../index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logweir-log-loss-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a store whose log was truncated", () => {
  const signal = new AbortController().signal;
  let engine: DuckDbEngine;

  async function append(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const event = {
        id: `${index}`,
        hasGeneratedId: false,
        timestampUs: 1n,
        eventMessage: "x".repeat(500),
        fields: {},
      };
      await engine.store.append("edge", [event], signal);
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

  it("reports the loss in its log and its state at every start, and reports nothing if none is missing", async () => {
    engine = await openDuckDbEngine({ directory: join(folder, "store"), threads: 1 });
    try {
      await engine.store.ensureSource({ name: "edge", knownFields: [] });
      await append(20);
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
    } finally {
      await engine.close();
    }
    expect(JSON.parse(readFileSync(storePaths(join(folder, "store")).logPosition, "utf8"))).toEqual({ log_bytes: 0 });
  });

  it("is refused and left as it is where any byte of it has changed, or read in full", {
    timeout: 60_000,
  }, async () => {
    engine = await openDuckDbEngine({ directory: join(folder, "store"), threads: 1 });
    try {
      await engine.store.ensureSource({ name: "edge", knownFields: [] });
      await append(20);
      const copy = copyAsKilled();
      const { writeAheadLog } = storePaths(copy);
      const log = readFileSync(writeAheadLog);
      // Its own entry, which has no checksum; the length of the next one; and what a checksum covers.
      const offsets = [0, 16, 34, log.indexOf("events") - 32, log.length >> 1, log.length - 1];
      for (const offset of offsets) {
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
    } finally {
      await engine.close();
    }
  });
});
