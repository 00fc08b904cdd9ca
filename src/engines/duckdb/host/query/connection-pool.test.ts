import { describe, expect, it } from "vitest";
import type { Connection } from "../../driver/connection.ts";
import { ConnectionPool } from "./connection-pool.ts";

const never = new AbortController().signal;

/** A database whose connections are numbered; `failures` of them cannot be opened. */
function createDatabase(failures = 0) {
  let left = failures;
  const opened: Connection[] = [];
  return {
    opened,
    async connect(): Promise<Connection> {
      if (left-- > 0) throw new Error("no connection");
      const connection = {} as Connection;
      opened.push(connection);
      return connection;
    },
  };
}

describe("the connection pool", () => {
  it("opens connections up to its size and hands them to waiting queries in order", async () => {
    const database = createDatabase();
    const pool = new ConnectionPool(database, 2);
    const [first, second] = [await pool.acquire(never), await pool.acquire(never)];
    const order: number[] = [];
    const waiting = [0, 1].map((index) =>
      pool.acquire(never).then((connection) => {
        order.push(index);
        return connection;
      }),
    );
    pool.release(second);
    pool.release(first);
    expect(await Promise.all(waiting)).toEqual([second, first]);
    expect(order).toEqual([0, 1]);
    expect(database.opened.length).toBe(2);
  });

  it("stops waiting when the query is aborted", async () => {
    const pool = new ConnectionPool(createDatabase(), 1);
    const held = await pool.acquire(never);
    const stop = new AbortController();
    const stopped = pool.acquire(stop.signal);
    const next = pool.acquire(never);
    const reason = new Error("stopped");
    stop.abort(reason);
    await expect(stopped).rejects.toBe(reason);
    pool.release(held);
    expect(await next).toBe(held);
  });

  it("passes a connection on when the query is aborted just as it becomes free", async () => {
    const pool = new ConnectionPool(createDatabase(), 1);
    const held = await pool.acquire(never);
    const stop = new AbortController();
    const stopped = pool.acquire(stop.signal);
    const next = pool.acquire(never);
    pool.release(held);
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    expect(await next).toBe(held);
  });

  it("frees the slot of a connection that cannot be opened, and serves the next waiting query", async () => {
    const database = createDatabase(3);
    const pool = new ConnectionPool(database, 1);
    const asked = await Promise.allSettled([1, 2, 3, 4].map(() => pool.acquire(never)));
    expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "fulfilled"]);
  });

  it("keeps a connection that was opened for a query which left meanwhile, and opens none for one that is gone", async () => {
    const database = createDatabase();
    const pool = new ConnectionPool(database, 1);
    const stop = new AbortController();
    const leaving = pool.acquire(stop.signal);
    stop.abort(new Error("stopped"));
    await expect(leaving).rejects.toThrow("stopped");
    const [kept] = database.opened;
    expect(await pool.acquire(never)).toBe(kept);
    await expect(new ConnectionPool(database, 1).acquire(stop.signal)).rejects.toThrow("stopped");
    expect(database.opened).toHaveLength(1);
  });
});
