import { afterEach, describe, expect, it, vi } from "vitest";
import { INT64, STRING } from "../../../../googlesql/types.ts";
import type { QuerySummary, RowBatch } from "../../../contract/query-engine.ts";
import type { BoundValue, Connection, Database } from "../../driver/connection.ts";
import { DuckDBTimestampValue, type DuckDBValue } from "../../driver/driver.ts";
import { chunkOf } from "../../driver/rows.ts";
import type { HostQuery } from "../protocol.ts";
import type { FindIdRange } from "./id-bounds.ts";
import { QueryRunner } from "./query-runner.ts";

const never = new AbortController().signal;
const limits = { timeoutMs: 60_000, maxRows: 10, maxResultBytes: 1000 };
const query: HostQuery = {
  sql: "SELECT 1",
  parameters: [],
  columns: [{ name: "n", type: INT64 }],
  encoding: "cells",
  limits,
};

/** Lets everything run that does not have to wait. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A runner of one query at a time, over a database whose statements do what the test says. */
function open(findIdRange: FindIdRange = () => undefined) {
  const noted: string[] = [];
  const told = {
    /** Called for each chunk, of which the second is the end. */
    work: async (): Promise<void> => undefined,
    /** Lets the statement that is under way fail. */
    fail: (_: Error): void => undefined,
    values: [] as readonly BoundValue[],
    checked: [] as string[],
    rows: [[1n], [2n]] as DuckDBValue[][],
    /** The answers of statements that are run as a whole. */
    keys: async (): Promise<DuckDBValue[][]> => [],
  };
  let isReading = false;
  const connection: Partial<Connection> = {
    async stream(sql, values = []) {
      noted.push(sql);
      told.values = values;
      await told.work();
      let isRead = false;
      return {
        columnCount: told.rows[0]?.length ?? 0,
        async next() {
          await told.work();
          if (isRead) return undefined;
          isRead = true;
          return chunkOf(told.rows) as never;
        },
      };
    },
    all: async () => told.keys(),
    async discardReader() {
      noted.push("discard");
      throw new Error("The statement has ended");
    },
    async beginReading() {
      if (!isReading) noted.push("begin");
      isReading = true;
    },
    async endReading() {
      if (isReading) noted.push("end");
      isReading = false;
    },
    interrupt() {
      noted.push("interrupt");
      told.fail(new Error("INTERRUPT Error: Interrupted!"));
    },
    forgetStatements: () => void noted.push("forget"),
  };
  const database = {
    async connect() {
      noted.push("connect");
      return connection;
    },
  } as unknown as Database;
  const check = async (sql: string) => void told.checked.push(sql);
  const runner = new QueryRunner(database, check, findIdRange, { maxQueries: 1 });
  const run = (some: Partial<HostQuery> = {}, signal = never) => runner.run({ ...query, ...some }, signal);
  /** The statements wait until they are told to fail. */
  const hang = () => {
    told.work = () =>
      new Promise((_, reject) => {
        told.fail = reject;
      });
  };
  return { runner, run, noted, told, hang };
}

async function readAll(rows: AsyncGenerator<RowBatch, QuerySummary, void>): Promise<QuerySummary> {
  let step = await rows.next();
  while (step.done !== true) step = await rows.next();
  return step.value;
}

describe("the query runner", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("keeps the connection for the next query, and drops what of a reader is left unread", async () => {
    const { run, noted, told } = open();
    await readAll(run());
    expect(noted.splice(0)).toEqual(["connect", "begin", "SELECT 1", "end"]);
    const cut = await readAll(run({ limits: { ...limits, maxRows: 1 } }));
    expect(cut).toMatchObject({ rowCount: 1, isTruncated: true });
    expect(noted.splice(0)).toEqual(["begin", "SELECT 1", "discard", "end"]);
    const left = run();
    expect((await left.next()).value).toMatchObject({ json: "[1],[2]", rowCount: 2 });
    await left.return({ rowCount: 0, isTruncated: true, engineMs: 0 });
    expect(noted.splice(0)).toEqual(["begin", "SELECT 1", "discard", "end"]);
    told.work = async () => {
      throw new Error("Conversion Error: no number");
    };
    await expect(readAll(run())).rejects.toMatchObject({ code: "query_failed", message: "no number" });
    expect(noted).toEqual(["begin", "SELECT 1", "discard", "end"]);
  });

  it("counts the time in the engine, and not that of a reader who takes the rows", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { run, told } = open();
    told.work = async () => void vi.advanceTimersByTime(2);
    const rows = run();
    await rows.next();
    vi.advanceTimersByTime(1000);
    expect(await readAll(rows)).toEqual({ rowCount: 2, isTruncated: false, engineMs: 6 });
  });

  it("interrupts a query whose caller leaves, and begins none whose caller has left", async () => {
    const { run, noted, hang } = open();
    hang();
    const caller = new AbortController();
    const reading = readAll(run({}, caller.signal));
    await nextTurn();
    caller.abort();
    const stopped = { code: "aborted", message: "The query was stopped" };
    await expect(reading).rejects.toMatchObject(stopped);
    expect(noted.splice(0)).toEqual(["connect", "begin", "SELECT 1", "interrupt", "discard", "end"]);
    await expect(readAll(run({}, caller.signal))).rejects.toMatchObject(stopped);
    expect(noted).toEqual([]);
  });

  it("stops what runs when it is closed, and begins nothing more", async () => {
    const { runner, run, noted, hang } = open();
    hang();
    const reading = readAll(run());
    await nextTurn();
    await runner.close();
    const stopping = { code: "unavailable", message: "The engine is stopping" };
    await expect(reading).rejects.toMatchObject(stopping);
    expect(noted.splice(0)).toEqual(["connect", "begin", "SELECT 1", "interrupt", "discard", "end"]);
    await expect(readAll(run())).rejects.toMatchObject(stopping);
    expect(noted).toEqual([]);
  });

  it("lets work that moves rows wait for the queries that run, however they end", async () => {
    const { runner, run, told } = open();
    const rows = run();
    await rows.next();
    let isDone = false;
    const work = async () => {
      isDone = true;
    };
    const pausing = runner.pauseFor(work);
    await nextTurn();
    expect(isDone).toBe(false);
    await rows.return({ rowCount: 0, isTruncated: true, engineMs: 0 });
    expect(await pausing).toBe(true);
    told.work = async () => {
      throw new Error("no");
    };
    await expect(readAll(run())).rejects.toMatchObject({ code: "internal" });
    expect(await runner.pauseFor(work)).toBe(true);
  });

  it("forgets the prepared statements of connections that are free, and of those that are not", async () => {
    const { runner, run, noted } = open();
    const rows = run();
    await rows.next();
    runner.forgetStatements();
    await readAll(rows);
    runner.forgetStatements();
    expect(noted.filter((each) => each === "forget")).toHaveLength(2);
  });

  it("gives the bounds of ids in place of the values of its last parameters", async () => {
    const { run, told } = open((table, id) => (`${table} ${id}` === "events_1 x" ? { fromUs: 3n, toUs: 9n } : null));
    const parameters = ["x", "", ""].map((value) => ({ type: STRING, value }));
    await readAll(run({ parameters, plan: { idConditions: [{ table: "events_1", id: 0 }] } }));
    expect(told.values.map(({ value }) => (value instanceof DuckDBTimestampValue ? value.micros : value))).toEqual([
      "x",
      3n,
      9n,
    ]);
  });

  it("reads the newest rows of a large table in one transaction, by statements that were checked", async () => {
    const { run, told, noted } = open();
    const time = new DuckDBTimestampValue(7n);
    told.keys = async () => [[5_000_000n, time, time]];
    const bounded = (sql: string) => ({ sql, values: [] });
    const newest = { table: "events_1", count: 1, times: bounded("TIMES"), rows: bounded("ROWS"), from: [], until: [] };
    const reading = run({ plan: { idConditions: [], newest } });
    told.keys = async () => (noted.includes("begin") ? [[time]] : [[5_000_000n, time, time]]);
    await readAll(reading);
    expect(noted.splice(0)).toEqual(["connect", "begin", "ROWS", "end"]);
    expect(told.values.map(({ value }) => value)).toEqual([time]);
    expect(told.checked).toEqual(["TIMES", "ROWS"]);
    const caller = new AbortController();
    told.keys = async () => {
      caller.abort();
      return [[time]];
    };
    await expect(readAll(run({ plan: { idConditions: [], newest } }, caller.signal))).rejects.toMatchObject({
      code: "aborted",
    });
    expect(noted).toEqual(["begin", "interrupt", "discard", "end"]);
  });

  describe("where it may have kept the rows' texts", () => {
    const text = { type: STRING } as const;
    const cached: Partial<HostQuery> = {
      sql: "SELECT the whole",
      columns: ["id", "message"].map((name) => ({ ...text, name })),
      plan: {
        idConditions: [],
        rows: {
          ...{ table: "events_1", alias: "t1", where: "", order: "a1", isNewestFirst: false, limit: 5 },
          columns: [
            { column: "id", alias: "a1", isText: false },
            { column: "event_message", alias: "a2", isText: true },
          ],
        },
      },
    };
    const rest = 'FROM "events_1" AS t1 ORDER BY a1 LIMIT 5::BIGINT';
    const whole = `SELECT t1."id" AS a1, t1."event_message" AS a2 ${rest}`;
    const keys = `SELECT t1."id" AS a1 ${rest}`;

    async function textOf(rows: AsyncGenerator<RowBatch, QuerySummary, void>): Promise<string> {
      const parts: string[] = [];
      for await (const { json } of rows) parts.push(json);
      return parts.join();
    }

    async function openFilled() {
      const opened = open();
      opened.told.rows = [
        ["a", "A"],
        ["b", null],
      ];
      expect(await textOf(opened.run(cached))).toBe('["a","A"],["b",null]');
      expect(opened.told.checked.splice(0)).toEqual([cached.sql, whole]);
      opened.noted.length = 0;
      return opened;
    }

    it("reads the others alone, and all of them where it has not, by statements that were checked", async () => {
      const { run, told, noted } = await openFilled();
      told.keys = async () => [["b"], ["a"]];
      expect(await textOf(run(cached))).toBe('["b",null],["a","A"]');
      expect([noted.splice(0), told.checked.splice(0)]).toEqual([
        ["begin", "end"],
        [cached.sql, keys],
      ]);
      told.keys = async () => [["b"], ["c"]];
      told.rows = [["c", "C"]];
      expect(await textOf(run(cached))).toBe('["c","C"]');
      expect([noted, told.checked]).toEqual([
        ["begin", whole, "end"],
        [cached.sql, keys, whole],
      ]);
    });

    it("stops where the caller left while it asked for the others", async () => {
      const { run, told, noted } = await openFilled();
      const caller = new AbortController();
      told.keys = async () => {
        caller.abort();
        return [["a"]];
      };
      await expect(textOf(run(cached, caller.signal))).rejects.toMatchObject({ code: "aborted" });
      expect(noted).toEqual(["begin", "interrupt", "discard", "end"]);
    });
  });
});
