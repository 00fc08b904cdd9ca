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
import { type DuckDbEngine, openDuckDbEngine } from "../../index.ts";
import { LogPosition } from "./log-position.ts";
import { storePaths } from "./store-file.ts";

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

  /** What a restart finds after these steps. */
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
      position.unsettle();
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
});

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

  /** What a store opened on the copy reports. */
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
});
