import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type MemoryDatabase,
  openMemoryDatabase,
} from "../../../../test/support/engines/duckdb/driver/memory-database.ts";
import {
  arrayOf,
  BIGNUMERIC,
  BOOL,
  BYTES,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  INTERVAL,
  NUMERIC,
  type SqlType,
  STRING,
  structOf,
  TIME,
  TIMESTAMP,
} from "../../../googlesql/types.ts";
import type { ParameterValue } from "../../contract/query-engine.ts";
import { type Connection, type Database, openDatabase } from "./connection.ts";
import { type DuckDBConnection, DuckDBDataChunk, DuckDBInstance, INTEGER } from "./driver.ts";

describe("an opened database", () => {
  let database: MemoryDatabase;
  beforeAll(async () => {
    database = await openMemoryDatabase();
  });
  afterAll(() => database.close());

  const refused: readonly (readonly [string, string])[] = [
    ["reading a file", "SELECT * FROM read_csv('/etc/hostname')"],
    ["reading a file by its name", "SELECT * FROM '/etc/hostname.csv'"],
    ["attaching a file", "ATTACH '/tmp/other.db'"],
    ["writing a file", "COPY (SELECT 1) TO '/tmp/out.csv'"],
    ["changing a setting", "SET GLOBAL enable_external_access = true"],
    ["loading an extension", "INSTALL httpfs"],
    ["two statements", "SELECT 1; SELECT 2"],
  ];
  it.each(refused)("refuses %s", async (_name, sql) => {
    await expect(database.query(sql)).rejects.toThrow();
  });

  it("runs in UTC", async () => {
    const { rows } = await database.query("SELECT current_setting('TimeZone')");
    expect(rows).toEqual([["UTC"]]);
  });

  const bound: readonly (readonly [SqlType, ParameterValue, unknown])[] = [
    [INT64, "9223372036854775807", "9223372036854775807"],
    [INT64, null, null],
    [FLOAT64, "-Infinity", "-Infinity"],
    [FLOAT64, "1e-3", 0.001],
    [NUMERIC, "-1.5", "-1.5"],
    [BIGNUMERIC, "1.00000000000000000000000000000000000001", "1.00000000000000000000000000000000000001"],
    [BOOL, false, false],
    [STRING, "'; DROP", "'; DROP"],
    [BYTES, "AP8=", "AP8="],
    [DATE, "2024-02-29", "2024-02-29"],
    [TIME, "10:00:00.5", "10:00:00.500000"],
    [DATETIME, "2024-02-29 10:00:00", "2024-02-29T10:00:00"],
    [TIMESTAMP, "-1", -1],
    [TIMESTAMP, null, null],
    [INTERVAL, "1-2 -3 4:5:6", "1-2 -3 4:5:6"],
    [arrayOf(INT64), ["1", null], [1, null]],
    [arrayOf(STRING), [], []],
    [structOf([{ name: "a", type: INT64 }, { type: STRING }]), ["1", null], [1, null]],
  ];
  it.each(bound)("binds %j as %j", async (type, value, expected) => {
    const rows = await database.encode("SELECT $1", [{ name: "v", type }], "cells", [{ type, value }]);
    expect(rows).toEqual([[expected]]);
  });

  it.each([
    [INT64, "1.5"],
    [INT64, "9223372036854775808"],
    [DATE, "2024-02-30"],
    [arrayOf(INT64), "1"],
    [NUMERIC, "1.0000000001"],
  ])("rejects binding %j as %j", async (type, value) => {
    await expect(database.query("SELECT $1", [{ type, value }])).rejects.toThrow("is not a valid");
  });
});

describe("a connection's interruption", () => {
  let database: Database;
  let connection: Connection;
  beforeAll(async () => {
    database = await openDatabase({ threads: 2, memoryLimitBytes: 512 * 1024 ** 2 });
    connection = await database.connect();
  });
  afterAll(() => {
    connection.close();
    database.close();
  });

  it("ends a query that would take hours, after which the connection works again", async () => {
    const running = connection.all("SELECT count(*) FROM range(100000000000) t(i) WHERE hash(i) = 1");
    setImmediate(() => connection.interrupt());
    await expect(running).rejects.toThrow("Interrupted");
    expect(await connection.all("SELECT 1::INTEGER")).toEqual([[1]]);
  });

  it("discards a reader that was not read to its end", async () => {
    const reader = await connection.stream("SELECT * FROM range(10000000)");
    expect((await reader.next())?.rowCount).toBe(2048);
    expect(await connection.all("SELECT 2::INTEGER")).toEqual([[2]]);
  });
});

describe.each([1, 2])("a statement that runs aside, with %d threads", (threads) => {
  let database: Database;
  let connection: Connection;
  beforeAll(async () => {
    database = await openDatabase({ threads, memoryLimitBytes: 512 * 1024 ** 2 });
    connection = await database.connect();
    await connection.all("CREATE TABLE numbers (n BIGINT)");
  });
  afterAll(() => database.close());

  it("changes what others see afterwards", async () => {
    await connection.runAside("INSERT INTO numbers SELECT range FROM range(1000)");
    expect(await connection.all("SELECT count(*)::DOUBLE FROM numbers")).toEqual([[1000]]);
  });

  it("is part of a transaction", async () => {
    await connection.all("BEGIN");
    await connection.runAside("DELETE FROM numbers");
    await connection.rollBack();
    expect(await connection.all("SELECT count(*)::DOUBLE FROM numbers")).toEqual([[1000]]);
  });

  it("rejects with its error, also one that shows while it runs", async () => {
    await expect(connection.runAside("INSERT INTO nothing VALUES (1)")).rejects.toThrow("nothing");
    await expect(connection.runAside("INSERT INTO numbers SELECT error('late') FROM numbers")).rejects.toThrow("late");
  });

  it("ends soon after it is interrupted", async () => {
    const running = connection.runAside("INSERT INTO numbers SELECT count(*) FROM range(1000000) a, range(1000000) b");
    connection.interrupt();
    await expect(running).rejects.toThrow("Interrupt");
    const later = connection.runAside("INSERT INTO numbers SELECT count(*) FROM range(1000000) a, range(1000000) b");
    setImmediate(() => connection.interrupt());
    await expect(later).rejects.toThrow("Interrupt");
  });

  it("is waited for in the driver once the caller's patience is over", async () => {
    await connection.runAside("INSERT INTO numbers SELECT range FROM range(1000)", 0);
    expect(await connection.all("SELECT count(*)::DOUBLE FROM numbers")).toEqual([[2000]]);
  });
});

describe("a database whose threads change", () => {
  it("waits for what they work on, and answers statements as before", async () => {
    const database = await openDatabase({ threads: 2, memoryLimitBytes: 512 * 1024 ** 2 });
    const [connection, other] = [await database.connect(), await database.connect()];
    const threads = async () => (await connection.all("SELECT current_setting('threads')::DOUBLE"))[0]?.[0];
    await connection.all("CREATE TABLE numbers AS SELECT range AS n FROM range(1000000)");
    const sum = [[499_999_500_000]];
    for (const count of [1, 2, 1, 2]) {
      const beside = other.all("SELECT sum(n)::DOUBLE FROM numbers");
      await database.setThreads(count);
      expect(await threads()).toBe(count);
      expect(await beside).toEqual(sum);
      expect(await connection.all("SELECT sum(n)::DOUBLE FROM numbers")).toEqual(sum);
      await connection.runAside("INSERT INTO numbers SELECT 0 FROM range(1000)");
    }
    expect(await connection.all("SELECT count(*)::DOUBLE FROM numbers")).toEqual([[1_004_000]]);
    database.close();
  });
});

describe("a connection that caches prepared statements", () => {
  let database: Database;
  let connection: Connection;
  beforeAll(async () => {
    database = await openDatabase({ threads: 2, memoryLimitBytes: 512 * 1024 ** 2 });
    connection = await database.connect(2);
    await connection.all("CREATE TABLE t (n INTEGER)");
    await connection.all("INSERT INTO t SELECT range FROM range(5000)");
  });
  afterAll(() => {
    connection.close();
    database.close();
  });

  const sql = "SELECT count(*)::INTEGER FROM t WHERE n < $1";

  /** How many statements `work` had to prepare. */
  async function preparedBy(work: () => Promise<unknown>): Promise<number> {
    const some = await (await DuckDBInstance.create(":memory:")).connect();
    const prepare = vi.spyOn(Object.getPrototypeOf(some) as DuckDBConnection, "prepare");
    try {
      await work();
      return prepare.mock.calls.length;
    } finally {
      prepare.mockRestore();
      some.closeSync();
    }
  }

  it("prepares a statement once, and again after it was forgotten or displaced from the cache", async () => {
    connection.forgetStatements();
    const run =
      (text = sql) =>
      () =>
        connection.all(text, [{ value: 3 }]);
    expect(await preparedBy(run())).toBe(1);
    expect(await preparedBy(run())).toBe(0);
    expect(await preparedBy(run(`${sql} `))).toBe(1);
    expect([await preparedBy(run()), await preparedBy(run(`${sql} `))]).toEqual([0, 0]);
    await connection.all(`${sql}  `, [{ value: 3 }]);
    expect(await preparedBy(run())).toBe(1);
    connection.forgetStatements();
    expect(await preparedBy(run())).toBe(1);
  });

  it("does not cache a statement that was forgotten while it ran, that failed or that has no values", async () => {
    connection.forgetStatements();
    const running = connection.all(sql, [{ value: 3 }]);
    connection.forgetStatements();
    await running;
    expect(await preparedBy(() => connection.all(sql, [{ value: 3 }]))).toBe(1);
    const failing = "SELECT error('no') FROM t WHERE n < $1";
    for (let i = 0; i < 2; i++) {
      const run = () => connection.all(failing, [{ value: 3 }]).catch(() => undefined);
      expect(await preparedBy(run)).toBe(1);
    }
    for (let i = 0; i < 2; i++) expect(await preparedBy(() => connection.all("SELECT 7::INTEGER"))).toBe(1);
  });

  it("runs a cached statement with other values and after more statements than it can cache", async () => {
    for (const bound of [1, 10, 100]) {
      expect(await connection.all(sql, [{ value: bound }])).toEqual([[bound]]);
      for (let i = 0; i < 3; i++) expect(await connection.all(`SELECT ${i}::INTEGER`)).toEqual([[i]]);
    }
  });

  it("returns rows inserted after the statement was prepared, even beyond the table's earlier values", async () => {
    const literal = "SELECT n FROM t WHERE n > 1000000";
    const bound = "SELECT n FROM t WHERE n > 1000000 AND n <> $1";
    const values = [{ value: 5 }];
    expect([await connection.all(literal), await connection.all(bound, values)]).toEqual([[], []]);
    const writer = await database.connect();
    await writer.all("INSERT INTO t VALUES (2000000)");
    expect([await connection.all(literal), await connection.all(bound, values)]).toEqual([[[2000000]], [[2000000]]]);
    await writer.all("DELETE FROM t WHERE n = 2000000");
    writer.close();
  });

  it("runs a cached statement again after it failed and after its reader was abandoned", async () => {
    const divide = "SELECT (1 // $1::INTEGER)::INTEGER + error('x')::INTEGER FROM t WHERE n < $1::INTEGER";
    await expect(connection.all(divide, [{ value: 1 }])).rejects.toThrow();
    expect(await connection.all(divide, [{ value: 0 }])).toEqual([]);
    const all = "SELECT n FROM t WHERE n >= $1";
    await (await connection.stream(all, [{ value: 0 }])).next();
    expect(await connection.all(all, [{ value: 4999 }])).toEqual([[4999]]);
  });

  it("sees an altered table, even while the same statement is running", async () => {
    const all = "SELECT * FROM t WHERE n < $1";
    expect(await connection.all(all, [{ value: 1 }])).toEqual([[0]]);
    await connection.all("ALTER TABLE t ADD COLUMN m INTEGER DEFAULT 7");
    expect(await connection.all(all, [{ value: 1 }])).toEqual([[0, 7]]);
    const running = connection.stream(all, [{ value: 1 }]);
    connection.forgetStatements();
    expect((await (await running).next())?.rowCount).toBe(1);
    expect(await connection.all(all, [{ value: 2 }])).toEqual([
      [0, 7],
      [1, 7],
    ]);
  });
});

it("an append that fails stores none of its rows, neither then nor with a later one", async () => {
  const database = await openDatabase({ threads: 2, memoryLimitBytes: 512 * 1024 ** 2 });
  const connection = await database.connect();
  const plain = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    await connection.all("CREATE TABLE t (n INTEGER)");
    await plain.run("CREATE TABLE t (n INTEGER)");
    const appender = await plain.createAppender("t");
    const rows = (...values: readonly number[]) => {
      const chunk = DuckDBDataChunk.create([INTEGER]);
      chunk.setRows(values.map((value) => [value]));
      return [chunk];
    };
    // What it could not write at first, it could when it is closed.
    const flush = vi.spyOn(Object.getPrototypeOf(appender) as typeof appender, "flushSync");
    flush.mockImplementationOnce(() => {
      throw new Error("TransactionContext Error: Current transaction is aborted");
    });
    await expect(connection.append("t", rows(1, 2, 3))).rejects.toThrow("is aborted");
    await connection.append("t", rows(4));
    expect(await connection.all("SELECT n FROM t")).toEqual([[4]]);
    flush.mockRestore();
    appender.closeSync();
  } finally {
    plain.closeSync();
    connection.close();
    database.close();
  }
});

it("a transaction is committed by the database's threads where it has any, and not asked for work meanwhile", async () => {
  for (const threads of [1, 2]) {
    const database = await openDatabase({ threads, memoryLimitBytes: 512 * 1024 ** 2 });
    const connection = await database.connect();
    const plain = await (await DuckDBInstance.create(":memory:")).connect();
    const prepared = await plain.prepare("SELECT 1");
    const start = vi.spyOn(Object.getPrototypeOf(prepared) as typeof prepared, "start");
    try {
      await connection.all("CREATE TABLE t (n INTEGER)");
      await connection.transaction(() => connection.all("INSERT INTO t VALUES (1)"));
      expect(start).toHaveBeenCalledTimes(threads - 1);
      expect(await connection.all("SELECT n FROM t")).toEqual([[1]]);
    } finally {
      start.mockRestore();
      prepared.destroySync();
      plain.closeSync();
      connection.close();
      database.close();
    }
  }
});

it("a connection runs nothing in a transaction that could not be ended", async () => {
  const database = await openDatabase({ threads: 2, memoryLimitBytes: 512 * 1024 ** 2 });
  const connection = await database.connect();
  const plain = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    await connection.all("CREATE TABLE t (n INTEGER)");
    const prepared = await plain.prepare("SELECT 1");
    const run = vi.spyOn(Object.getPrototypeOf(prepared) as typeof prepared, "run");
    const failing = connection.transaction(async () => {
      await connection.all("INSERT INTO t VALUES (1)");
      run.mockRejectedValueOnce(new Error("Out of Memory Error: to roll back"));
      throw new Error("no more");
    });
    await expect(failing).rejects.toThrow("no more");
    for (const next of [() => connection.all("SELECT 2"), () => connection.transaction(async () => undefined)]) {
      run.mockRejectedValueOnce(new Error("Out of Memory Error: to roll back"));
      await expect(next()).rejects.toThrow("to roll back");
    }
    expect(await connection.all("SELECT n FROM t")).toEqual([]);
    prepared.destroySync();
    run.mockRestore();
  } finally {
    plain.closeSync();
    connection.close();
    database.close();
  }
});
