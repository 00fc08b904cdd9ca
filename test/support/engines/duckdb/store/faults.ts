/** Calls into the database's driver that fail when a test says so, in this process. */
import { vi } from "vitest";
import { type DuckDBConnection, DuckDBInstance } from "../../../../../src/engines/duckdb/driver/driver.ts";

type Method = (this: unknown, ...values: unknown[]) => unknown;

export interface Faults {
  /** Lets the calls fail that are so many calls away, counted from 0; those of before are forgotten. */
  arm(distances: readonly number[]): void;
  disarm(): void;
  /** Before each call from now on, which waits for it. */
  watch(before: (() => Promise<void>) | undefined): void;
  /** Calls that failed since `arm`. */
  readonly failed: readonly string[];
  restore(): void;
}

/** The message of a failed call: nothing of it was done. */
const INJECTED = "IO Error: injected";

export async function injectFaults(): Promise<Faults> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const prepared = await connection.prepare("SELECT 1");
  const places = [
    [Object.getPrototypeOf(connection) as DuckDBConnection, ["prepare", "run", "createAppender"]],
    [Object.getPrototypeOf(prepared) as object, ["run", "stream"]],
  ] as const;
  prepared.destroySync();
  connection.closeSync();
  let [calls, armed]: [number, ReadonlySet<number>] = [0, new Set()];
  const failed: string[] = [];
  let watcher: (() => Promise<void>) | undefined;
  const spies = places.flatMap(([prototype, names]) =>
    names.map((name) => {
      const original = (prototype as Readonly<Record<string, Method>>)[name];
      const call: Method = function (...values) {
        if (armed.has(calls++)) {
          failed.push(name === "prepare" ? String(values[0]) : name);
          return Promise.reject(new Error(INJECTED));
        }
        if (watcher !== undefined) return watcher().then(() => original?.apply(this, values));
        return original?.apply(this, values);
      };
      return vi.spyOn(prototype as Record<string, Method>, name).mockImplementation(call);
    }),
  );
  return {
    arm(distances) {
      [calls, armed] = [0, new Set(distances)];
      failed.length = 0;
    },
    disarm() {
      armed = new Set();
    },
    watch(before) {
      watcher = before;
    },
    failed,
    restore() {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
