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

describe("the connections of queries", () => {
  it("are opened up to the bound and handed on to those who wait, in their order", async () => {
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

  it("are not waited for any more once the query is stopped", async () => {
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

  it("are not given to a query that was stopped in the moment in which one became free", async () => {
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

  it("leave no place taken when one cannot be opened, nor anybody waiting for it", async () => {
    const database = createDatabase(3);
    const pool = new ConnectionPool(database, 1);
    const asked = await Promise.allSettled([1, 2, 3, 4].map(() => pool.acquire(never)));
    expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "fulfilled"]);
  });
});
