import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findLogDamage, LogPosition } from "./log-position.ts";

const DAY_MS = 24 * 3600 * 1000;
const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logweir-position-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the recorded log position", () => {
  const open = () => new LogPosition(join(folder, "position"), join(folder, "log"));
  const writeLog = (bytes: number) => writeFileSync(join(folder, "log"), Buffer.alloc(bytes));

  /** Returns the state that a restart finds after these steps. */
  function findAfter(steps: (position: LogPosition) => void, nowMs = NOW_MS) {
    const before = open();
    steps(before);
    before.close();
    const after = open();
    const loss = after.check(nowMs);
    after.close();
    return loss;
  }

  it("reveals a log that is shorter than when its events were acknowledged", () => {
    const loss = findAfter((position) => {
      writeLog(5000);
      position.record();
      writeLog(4999);
    });
    expect(loss).toEqual({ foundAt: "2026-01-01T00:00:00.000Z", acknowledgedBytes: 5000, foundBytes: 4999 });
  });

  it("reveals a missing log", () => {
    const loss = findAfter((position) => {
      writeLog(5000);
      position.record();
      rmSync(join(folder, "log"));
    });
    expect(loss).toMatchObject({ acknowledgedBytes: 5000, foundBytes: 0 });
  });

  it("accepts a log that is longer because of an unacknowledged commit", () => {
    const loss = findAfter((position) => {
      writeLog(5000);
      position.record();
      writeLog(5600);
    });
    expect(loss).toBeUndefined();
  });

  it("is unset while a checkpoint may replace the log, and set again after it", () => {
    const checkpoint = (position: LogPosition) => {
      writeLog(5000);
      position.record();
      position.invalidate();
      rmSync(join(folder, "log"));
    };
    expect(findAfter(checkpoint)).toBeUndefined();
    const loss = findAfter((position) => {
      checkpoint(position);
      writeLog(700);
      position.record();
      writeLog(100);
    });
    expect(loss).toMatchObject({ acknowledgedBytes: 700, foundBytes: 100 });
  });

  it("is unset for a store without a position file or with a malformed one", () => {
    expect(findAfter(() => undefined)).toBeUndefined();
    for (const text of [
      "",
      "{",
      "null",
      "[]",
      '{"log_bytes":-1}',
      '{"log_bytes":"5"}',
      '{"log_bytes":1.5}',
      '{"log_bytes":null,"loss":{}}',
    ]) {
      writeFileSync(join(folder, "position"), text);
      expect([text, findAfter(() => undefined)]).toEqual([text, undefined]);
    }
  });

  it("reports a loss for a week, whatever is stored meanwhile, and detects the next one", () => {
    const loss = findAfter((position) => {
      writeLog(5000);
      position.record();
      writeLog(10);
    });
    expect(findAfter((position) => position.record(), NOW_MS + 6 * DAY_MS)).toEqual(loss);
    expect(findAfter(() => undefined, NOW_MS + 8 * DAY_MS)).toBeUndefined();
    expect(findAfter(() => writeLog(9), NOW_MS + 9 * DAY_MS)).toMatchObject({ acknowledgedBytes: 10, foundBytes: 9 });
  });

  /** A log like DuckDB's: an entry without a length, and others of so many bytes. */
  function makeLog(...sizes: number[]): Buffer {
    const entries = sizes.map((size, index) => {
      const entry = Buffer.alloc(16 + size, index + 1);
      entry.writeBigUInt64LE(BigInt(size));
      return entry;
    });
    return Buffer.concat([Buffer.alloc(37, 0xee), ...entries]);
  }

  it("reveals each damaged byte that the database takes for the end of the log, and nothing else", () => {
    const log = makeLog(40, 3_000, 1, 70_000);
    const [path, file] = [join(folder, "position"), join(folder, "log")];
    // It was longer than its head from the first record, and is not read again.
    for (const lengths of [[log.length], [10, 37, 40, log.length]]) {
      const position = open();
      for (const length of lengths) {
        writeFileSync(file, log.subarray(0, length));
        position.record();
      }
      position.close();
      writeFileSync(file, Buffer.concat([log, Buffer.alloc(500, 9)]));
      expect(findLogDamage(path, file)).toBeUndefined();
      const lengthsOf = [93, 3_109, 3_126].flatMap((begin) => Array.from({ length: 8 }, (_, index) => begin + index));
      for (const offset of [...Array(45).keys(), ...lengthsOf]) {
        const damaged = Buffer.from(log);
        damaged[offset] = (log[offset] ?? 0) ^ 0x41;
        writeFileSync(file, damaged);
        expect([offset, findLogDamage(path, file)]).toEqual([offset, expect.any(String)]);
      }
      rmSync(path);
    }
  });

  it("is compared with no log that may have been replaced, that an earlier release wrote, or that is gone", () => {
    const [path, file] = [join(folder, "position"), join(folder, "log")];
    const log = makeLog(100);
    writeFileSync(file, log);
    const position = open();
    position.record();
    rmSync(file);
    expect(findLogDamage(path, file)).toBeUndefined();
    writeFileSync(file, log.subarray(0, 90));
    expect(findLogDamage(path, file)).toBeUndefined();
    writeFileSync(file, Buffer.alloc(log.length));
    expect(findLogDamage(path, file)).toEqual(expect.any(String));
    position.invalidate();
    position.close();
    expect(findLogDamage(path, file)).toBeUndefined();
    writeFileSync(path, JSON.stringify({ log_bytes: log.length }));
    expect(findLogDamage(path, file)).toBeUndefined();
    expect(findLogDamage(join(folder, "none"), file)).toBeUndefined();
  });
});
