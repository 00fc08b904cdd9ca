import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { compileQuery } from "../../../../engines/duckdb/compile/compile.ts";
import type { TableDefinition } from "../../../../googlesql/relation.ts";
import { STRING, TIMESTAMP } from "../../../../googlesql/types.ts";
import { ServiceError } from "../../../../shared/errors.ts";
import { createTarget } from "../../../definition/query-target.ts";
import { noEndpoints } from "../endpoint-tables.ts";
import type { ConsumerQuery } from "../plan.ts";
import { createPlanner } from "../planner.ts";
import { PlanningThread, type PlanningThreadOptions } from "./planning-thread.ts";

const columns = [
  { name: "id", type: STRING },
  { name: "timestamp", type: TIMESTAMP },
  { name: "project", type: STRING },
];
const leaves = new Map(columns.map(({ name, type }) => [name, { type, variants: [{ column: name, type }] }]));
let edge: TableDefinition = { name: "edge", isLenient: true, tenantField: "project", columns };
const tables = {
  findTable: (name: string) => (name === "edge" ? edge : undefined),
  tableNames: () => ["edge"],
};
const layoutOf = (definition: TableDefinition) => ({
  ...{ definition, table: "t1", leaves, recordColumns: new Map(), presence: new Map() },
});
const engine = {
  compile: (query: Parameters<typeof compileQuery>[0], options?: object) => compileQuery(query, layoutOf, options),
};
const target = createTarget({
  id: "e",
  query: "WITH logs AS (SELECT * FROM edge WHERE project = @project) SELECT id FROM logs",
  maxRows: 100,
  isSandboxed: true,
  parameters: [
    { name: "project", type: "string", isRequired: true, allowed: undefined, default: null, description: undefined },
  ],
});
const tenants = { readValue: (name: string) => (name === "project" ? "p" : undefined) };
const turnOf = (caller: string, timeoutMs = 60_000, given = new AbortController().signal) => ({
  caller,
  timeoutMs,
  openSignal: () => given,
});
const sql = (text: string): ConsumerQuery => ({ language: "sql", text });
/** Longer than what is planned at once, and soon planned. */
const long = (index: number, more = "") =>
  sql(`SELECT id FROM logs WHERE id <> '${"x".repeat(8_192)}' AND id = 'id ${index}'${more}`);
/** Planned for longer than anyone waits here. */
const endless = sql(
  `SELECT id FROM logs WHERE ${Array.from({ length: 20_000 }, (_, i) => `id = '${i}'`).join(" OR ")}`,
);

const opened: PlanningThread[] = [];
function open() {
  const log: string[] = [];
  const options: { -readonly [K in keyof PlanningThreadOptions]: PlanningThreadOptions[K] } = {
    ...{ engine: "duckdb", tables, endpoints: noEndpoints, layoutOf, log: (_, message) => void log.push(message) },
  };
  const thread = new PlanningThread(options);
  opened.push(thread);
  const apart = createPlanner({ engine, tables, nowMs: () => 0, thread });
  const here = createPlanner({ engine, tables, nowMs: () => 0 });
  return { thread, apart, here, log, options };
}

afterEach(async () => {
  for (const thread of opened.splice(0)) await thread.close();
});

const withoutCheck = ({ isCurrent: _, ...query }: object & { isCurrent?: unknown }) => query;

describe("a long query", () => {
  it("is planned in the thread as it would be here, once for all calls until its table changes", async () => {
    const { apart, here } = open();
    for (const consumer of [long(0), { ...long(0), redactsPii: true }, long(0, " ORDER BY timestamp DESC")]) {
      const planned = apart.planFairly?.(target, consumer, undefined, undefined, tenants, turnOf("a"));
      expect(planned).toBeInstanceOf(Promise);
      const query = await planned;
      expect(withoutCheck(query ?? {})).toEqual(
        withoutCheck(here.plan(target, consumer, undefined, undefined, tenants)),
      );
      expect(query?.isCurrent?.()).toBe(true);
      const again = apart.planFairly?.(target, consumer, undefined, undefined, tenants, turnOf("a"));
      expect(again).toMatchObject({ sql: query?.sql });
      expect(again).not.toBeInstanceOf(Promise);
      edge = { ...edge };
      expect(query?.isCurrent?.()).toBe(false);
      const renewed = apart.planFairly?.(target, consumer, undefined, undefined, tenants, turnOf("a"));
      expect(renewed).toBeInstanceOf(Promise);
      expect((await renewed)?.isCurrent?.()).toBe(true);
    }
  });

  it("fails as it would here, with code, place and hint", async () => {
    const { apart, here } = open();
    for (const text of [
      long(0, " AND nope("),
      long(0, " AND SQRT('a') = 1"),
      sql(`${long(0).text} UNION ALL SELECT id FROM edge`),
    ]) {
      const expected = catchError(() => here.plan(target, text, undefined, undefined, tenants));
      const failed = await Promise.resolve(
        apart.planFairly?.(target, text, undefined, undefined, tenants, turnOf("a")),
      ).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(ServiceError);
      expect(failed).toMatchObject({ code: expected.code, message: expected.message });
      const { cause: _, ...details } = expected.details;
      expect((failed as ServiceError).details).toMatchObject(details);
    }
  });

  it("leaves the loop free while it is planned, and ends at its deadline with its thread", async () => {
    const { apart, log } = open();
    const planned = apart.planFairly?.(target, endless, undefined, undefined, tenants, turnOf("a", 1));
    await expect(planned).rejects.toMatchObject({ code: "timeout", status: 504 });
    expect(log.every((line) => line.includes("before its deadline"))).toBe(true);
    const after = await apart.planFairly?.(target, long(0), undefined, undefined, tenants, turnOf("a"));
    expect(after?.columns).toHaveLength(1);
  });

  it("is given up with its caller, whose next one is planned", async () => {
    const { apart } = open();
    const controller = new AbortController();
    const gone = new Error("gone");
    const planned = apart.planFairly?.(
      target,
      endless,
      undefined,
      undefined,
      tenants,
      turnOf("a", 60_000, controller.signal),
    );
    controller.abort(gone);
    await expect(planned).rejects.toBe(gone);
    expect((await apart.planFairly?.(target, long(1), undefined, undefined, tenants, turnOf("a")))?.sql).toContain(
      "t1",
    );
  });

  it("waits for its caller's earlier ones, and for one of each other's only", async () => {
    const { apart } = open();
    const order: string[] = [];
    const plan = (caller: string, count: number) =>
      Promise.resolve(apart.planFairly?.(target, long(count), undefined, undefined, tenants, turnOf(caller))).then(
        () => void order.push(caller),
      );
    const all = [1, 2, 3, 4].map((count) => plan("a", count));
    all.push(plan("b", 10), plan("c", 11), plan("b", 12));
    await Promise.all(all);
    expect(order.join("")).toBe("aabcaba");
  });

  it("is refused where its caller has 32 waiting, which others' are not", async () => {
    const { apart } = open();
    const plan = (caller: string, count: number) =>
      Promise.resolve(apart.planFairly?.(target, long(count), undefined, undefined, tenants, turnOf(caller)));
    const all = Array.from({ length: 33 }, (_, index) => plan("a", index));
    await expect(plan("a", 40)).rejects.toMatchObject({
      code: "too_many_queries",
      message: "32 long queries of this token are waiting to be compiled",
    });
    all.push(plan("b", 41));
    await Promise.all(all);
  });
});

describe("the thread", () => {
  const plan = (apart: ReturnType<typeof open>["apart"], count: number) =>
    Promise.resolve(apart.planFairly?.(target, long(count), undefined, undefined, tenants, turnOf("a")));

  it("takes no answer for the next question's, when the service wakes it late", async () => {
    const { apart } = open();
    const notify = Atomics.notify as (flag: unknown, index: number) => number;
    let late = 0;
    // Until the thread that read the answer waits for its next one, and is woken once more.
    const spy = vi.spyOn(Atomics, "notify").mockImplementation((flag, index) => {
      let woken = 0;
      for (let tries = 0; woken < 2 && tries < 200_000; tries++) woken += notify(flag, index);
      if (woken === 2) late++;
      return woken;
    });
    try {
      for (let count = 0; late === 0 && count < 100; count++) await plan(apart, count);
    } finally {
      spy.mockRestore();
    }
    expect(late).toBeGreaterThan(0);
    expect((await plan(apart, 101))?.columns).toHaveLength(1);
  });

  /** Defects of what the thread is made of, until the options are as before. */
  const defects: Readonly<Record<string, (options: ReturnType<typeof open>["options"], text: string) => void>> = {
    "a layout that cannot be found": (options) => {
      options.layoutOf = () => {
        throw new Error("no layout");
      };
    },
    "a layout that cannot be sent": (options) => {
      options.layoutOf = () => ({ find: () => undefined });
    },
    "a table that cannot be looked up": (options) => {
      options.tables = {
        ...tables,
        findTable() {
          throw new Error("no table");
        },
      };
    },
    "another shape of layout": (options) => {
      options.layoutOf = () => ({});
    },
    "a script that is not there": (options) => {
      options.path = "/nowhere/planning-thread.js";
    },
    "a script that ends": (options, path) => {
      writeFileSync(path, "process.exit(3)");
      options.path = path;
    },
    "a script that throws": (options, path) => {
      writeFileSync(path, "throw new Error('early')");
      options.path = path;
    },
    "a script that ends when it is asked": (options, path) => {
      writeFileSync(path, "require('node:worker_threads').parentPort.on('message', () => process.exit(3))");
      options.path = path;
    },
    "a script that answers nonsense": (options, path) => {
      writeFileSync(
        path,
        "const { parentPort: p } = require('node:worker_threads'); p.on('message', () => p.postMessage({}))",
      );
      options.path = path;
    },
  };

  it("plans as before once each of these is over, and the log has a line of it", async () => {
    const { apart, here, log, options, thread } = open();
    const folder = mkdtempSync(join(tmpdir(), "logweir-planning-"));
    const before = { ...options };
    for (const [index, [name, makeDefect]] of Object.entries(defects).entries()) {
      const good = long(index);
      const planned = await apart.planFairly?.(target, good, undefined, undefined, tenants, turnOf("a"));
      expect(planned?.sql, `before ${name}`).toBe(here.plan(target, good, undefined, undefined, tenants).sql);
      log.length = 0;
      makeDefect(options, join(folder, "script.cjs"));
      // A thread that runs has the table, and its script.
      if (options.path === undefined) edge = { ...edge };
      else await thread.close();
      const failed = await Promise.resolve(plan(apart, 100 + index)).catch((error: unknown) => error);
      expect(failed, name).toBeInstanceOf(Error);
      expect(log, name).not.toEqual([]);
      Object.assign(options, before);
      if (before.path === undefined) delete options.path;
    }
    rmSync(folder, { recursive: true });
    expect((await plan(apart, 200))?.columns).toHaveLength(1);
  });

  it("is begun anew after a defect", async () => {
    const { apart } = open();
    await plan(apart, 0);
    const unsendable = { ...target, parameters: [{ name: () => "no data" }] } as unknown as typeof target;
    const planUnsendable = async (count: number) => {
      await apart.planFairly?.(unsendable, long(count), undefined, undefined, tenants, turnOf("a"));
    };
    await expect(planUnsendable(1)).rejects.toThrow("could not be cloned");
    expect((await plan(apart, 3))?.columns).toHaveLength(1);
    await expect(planUnsendable(2)).rejects.toThrow("could not be cloned");
  });
});

it("short queries are planned at once, until their caller's have taken much time", async () => {
  const { apart } = open();
  const short = (index: number) =>
    apart.planFairly?.(
      target,
      sql(`SELECT id FROM logs WHERE id = '${index}'`),
      undefined,
      undefined,
      tenants,
      turnOf("a"),
    );
  expect(short(0)).not.toBeInstanceOf(Promise);
  let count = 1;
  let planned = short(count);
  while (!(planned instanceof Promise)) planned = short(++count);
  const other = apart.planFairly?.(target, sql("SELECT id FROM logs"), undefined, undefined, tenants, turnOf("b"));
  expect(other).not.toBeInstanceOf(Promise);
  expect((await planned)?.columns).toHaveLength(1);
});

function catchError(work: () => unknown): ServiceError {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error("It did not fail");
}
