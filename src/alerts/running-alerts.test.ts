import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { flushPromises, StoppedClock } from "../../test/support/drains/rules.ts";
import type { DrainAnswer, DrainRequest } from "../drains/destinations/send-request.ts";
import { ServiceError } from "../shared/errors.ts";
import { planOf } from "./alert-document.ts";
import type { AlertForm } from "./alert-form.ts";
import type { Redactions } from "./redactions.ts";
import type { AlertQueries, AlertRows } from "./run-query.ts";
import { RunningAlerts } from "./running-alerts.ts";

const minuteMs = 60_000;
const url = "http://hook.example/";
const base: AlertForm = { name: "n", sql: "select 1", every: "1m", notify: [{ type: "webhook", url }] };
const planned = (form: Partial<AlertForm> = {}, id = "a") => planOf({ id, form: { ...base, ...form } });

interface Disk {
  readonly states: Map<string, string>;
  isWritable: boolean;
}

function open({
  disk = { states: new Map(), isWritable: true },
  clock = new StoppedClock(),
}: {
  disk?: Disk;
  clock?: StoppedClock;
} = {}) {
  const fixture = {
    disk,
    clock,
    requests: [] as DrainRequest[],
    warnings: [] as string[],
    writes: [] as number[],
    isLeader: true,
    runCount: 0,
    ran: [] as string[],
    rows: async (): Promise<AlertRows> => ({ rows: [{ n: 1 }], isCut: false, sources: ["s"] }),
    answer: (_: DrainRequest): DrainAnswer => ({ kind: "taken" }),
    redactions: {} as Redactions,
  };
  const queries: AlertQueries = {
    findProblems: () => ({}),
    redactionsOf: () => fixture.redactions,
    isRedactedSo: (redactions) => isDeepStrictEqual(redactions, fixture.redactions),
    run: ({ query }) => {
      fixture.runCount++;
      fixture.ran.push(query.text);
      return fixture.rows();
    },
  };
  const running = new RunningAlerts({
    documents: {
      states: async () => new Map(disk.states),
      readState: async (id) => disk.states.get(id),
      putStates: async (states) => {
        if (!disk.isWritable) throw new ServiceError("disk_full", "The disk of the data folder is full");
        fixture.writes.push(states.size);
        for (const [id, state] of states) disk.states.set(id, state);
        return new Set(states.keys());
      },
    },
    send: async (request) => {
      fixture.requests.push(request);
      return fixture.answer(request);
    },
    serviceId: "me",
    findBackend: () => undefined,
    isEvaluator: () => fixture.isLeader,
    clock,
    onNotice: () => undefined,
    warn: (message) => fixture.warnings.push(message),
  });
  /** Sets the clock forward, and wakes whoever waits for it. */
  const pass = async (ms: number) => {
    clock.nowNumber += ms;
    clock.wake();
    await flushPromises();
  };
  const told = () => fixture.requests.map(({ body }) => (JSON.parse(body) as { readonly status: string }).status);
  return { ...fixture, fixture, running, queries, pass, told };
}

/** Beside a run of the alert that has begun; `end` is called with its rows. */
async function openBesideRun() {
  const opened = open();
  const { running, queries, pass, fixture } = opened;
  running.replaceAll([planned()]);
  running.start(queries);
  await flushPromises();
  let resolveRun: (rows: AlertRows) => void = () => undefined;
  fixture.rows = () => new Promise((resolve) => (resolveRun = resolve));
  await pass(minuteMs);
  return { ...opened, end: (rows: AlertRows) => resolveRun(rows) };
}

describe("running alerts", () => {
  it("store the states of many that are due at once in few writes, and not behind one that takes long", async () => {
    const { fixture, running, queries, pass } = open();
    running.start(queries);
    await flushPromises();
    let ending = (): void => undefined;
    const none = { rows: [], isCut: false, sources: [] };
    fixture.rows = async () => {
      if (fixture.runCount !== 150) return new Promise((resolve) => setImmediate(resolve, none));
      return new Promise((resolve) => {
        ending = () => resolve(none);
      });
    };
    running.replaceAll(Array.from({ length: 250 }, (_, index) => planned({ sql: `select ${index}` }, `a${index}`)));
    await flushPromises(400);
    expect(fixture.runCount).toBe(250);
    const stored = fixture.writes.reduce((sum, count) => sum + count, 0);
    await pass(1_000);
    ending();
    await flushPromises();
    expect(stored).toBe(249);
    expect(fixture.writes.length).toBeLessThan(10);
    await running.close();
  });

  it("run by their schedule, and once when they are made", async () => {
    const { running, queries, pass, fixture, told } = open();
    running.start(queries);
    await flushPromises();
    running.replaceAll([planned()]);
    await flushPromises();
    expect([fixture.runCount, told()]).toEqual([1, ["firing"]]);
    for (let minute = 0; minute < 5; minute++) await pass(minuteMs);
    expect([fixture.runCount, told()]).toEqual([6, ["firing"]]);
    running.replaceAll([planned({ enabled: false })]);
    await pass(minuteMs);
    expect(fixture.runCount).toBe(6);
    await running.close();
  });

  it("tell again after an end whatever was not stored as told, with the same id, and nothing else twice", async () => {
    const first = open();
    first.running.replaceAll([planned()]);
    first.running.start(first.queries);
    first.fixture.answer = () => ({ kind: "failed", reason: "down" });
    await flushPromises();
    await first.pass(minuteMs);
    expect(first.told()).toEqual(["firing"]);
    expect(await first.running.stateOf("a")).toMatchObject({ deliveryError: "down", waiting: [{}] });
    await first.running.close();
    const second = open({ disk: first.disk, clock: first.clock });
    second.running.replaceAll([planned()]);
    second.running.start(second.queries);
    await flushPromises();
    expect(second.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(
      first.requests.map(({ headers }) => headers["idempotency-key"]),
    );
    await second.running.close();
    const third = open({ disk: first.disk, clock: first.clock });
    third.running.replaceAll([planned()]);
    third.running.start(third.queries);
    await flushPromises();
    await third.pass(minuteMs);
    expect([third.fixture.runCount, third.told()]).toEqual([1, []]);
    await third.running.close();
  });

  it("back off from a destination that fails, in order, and leave others alone", async () => {
    const other = "http://other.example/";
    const { running, queries, pass, fixture } = open();
    running.replaceAll([planned({ webhook_notification_url: other })]);
    running.start(queries);
    fixture.answer = () =>
      fixture.requests.at(-1)?.url === other ? { kind: "taken" } : { kind: "failed", reason: "down" };
    await flushPromises();
    await pass(minuteMs);
    const sent = (address: string) => fixture.requests.filter((each) => each.url === address).length;
    expect([sent(url), sent(other)]).toEqual([1, 1]);
    fixture.rows = async () => ({ rows: [], isCut: false, sources: ["s"] });
    await pass(1_000);
    await pass(minuteMs);
    expect(sent(other)).toBe(2);
    fixture.answer = () => ({ kind: "taken" });
    fixture.requests.length = 0;
    await pass(300_000);
    expect(fixture.requests.map(({ body }) => (JSON.parse(body) as { status: string }).status)).toEqual([
      "firing",
      "resolved",
    ]);
    await running.close();
  });

  it.each([{ kind: "taken" } as const, { kind: "failed", reason: "down" } as const])(
    "are not all looked at for each that was told, where thousands are due at one time ($kind)",
    async (answer) => {
      const { running, queries, pass, fixture, clock, told } = open();
      const count = 400;
      running.replaceAll(Array.from({ length: count }, (_, index) => planned({ cron: "* * * * *" }, String(index))));
      fixture.answer = () => answer;
      running.start(queries);
      await flushPromises();
      clock.pauses.length = 0;
      await pass(minuteMs);
      while (told().length < count) await flushPromises();
      await flushPromises();
      expect(clock.pauses.length).toBeLessThan(10);
      const again = new Set<string>();
      fixture.answer = (request) => {
        again.add(request.body);
        return { kind: "taken" };
      };
      await pass(1_000);
      while (answer.kind === "failed" && again.size < count) await pass(1_000);
      await running.close();
      expect(running.figures()).toMatchObject({ waiting: 0, notices: { delivered: count } });
    },
  );

  it("send nothing of a state that cannot be stored, and tell it once it can", async () => {
    const { running, queries, pass, disk, told, fixture } = open();
    running.replaceAll([planned()]);
    running.start(queries);
    disk.isWritable = false;
    await flushPromises();
    await pass(minuteMs);
    const warning = "the alert n cannot go on, and tries again later: The disk of the data folder is full";
    expect([told(), fixture.warnings]).toEqual([[], [warning]]);
    disk.isWritable = true;
    await pass(minuteMs);
    expect(told()).toEqual(["firing"]);
    await running.close();
  });

  it("take back what waits of deleted events, and tell what is left of them", async () => {
    const { running, queries, pass, fixture, told } = open();
    running.replaceAll([planned({ group_by: ["n"] })]);
    running.start(queries);
    fixture.answer = () => ({ kind: "failed", reason: "down" });
    await flushPromises();
    await pass(minuteMs);
    const waiting = async () => JSON.stringify((await running.stateOf("a")).waiting);
    expect(await waiting()).toContain('{\\"n\\":1}');
    await running.forget("another");
    expect(await waiting()).toContain('{\\"n\\":1}');
    await running.forget("s");
    expect(await waiting()).toBe("[]");
    fixture.answer = () => ({ kind: "taken" });
    fixture.requests.length = 0;
    fixture.rows = async () => ({ rows: [{ n: 1, left: true }], isCut: false, sources: ["s"] });
    await pass(300_000);
    expect(fixture.requests.map(({ body }) => body.includes('"result":[{"n":1,"left":true}]'))).toEqual([true]);
    fixture.rows = async () => ({ rows: [], isCut: false, sources: ["s"] });
    await pass(minuteMs);
    expect([told(), (await running.stateOf("a")).droppedCount]).toEqual([["firing", "resolved"], 0]);
    await running.close();
  });

  it.each([
    ["rows", async () => ({ rows: [{ n: 1 }], isCut: false, sources: ["s"] })],
    ["an error", () => Promise.reject(new ServiceError("query_failed", "raw"))],
  ])("take back what waits of %s that an endpoint redacts by now", async (_, raw) => {
    const { running, queries, pass, fixture } = open();
    running.replaceAll([planned()]);
    running.start(queries);
    fixture.rows = raw;
    fixture.answer = () => ({ kind: "failed", reason: "down" });
    await flushPromises();
    await pass(minuteMs);
    expect((await running.stateOf("a")).waiting).toHaveLength(1);
    fixture.redactions = { e: "ip" };
    fixture.rows = async () => ({ rows: [{ n: "REDACTED" }], isCut: false, sources: ["s"] });
    fixture.requests.length = 0;
    fixture.answer = () => ({ kind: "taken" });
    await pass(300_000);
    await pass(1_000);
    expect(fixture.requests.map(({ body }) => [/raw|"n":1/.test(body), body.includes("REDACTED")])).toEqual([
      [false, true],
    ]);
    await running.close();
  });

  it("take back what a run read before an endpoint redacted, once that is over", async () => {
    const { running, fixture, end } = await openBesideRun();
    fixture.redactions = { e: "ip" };
    end({ rows: [{ n: 1 }], isCut: false, sources: ["s"] });
    await flushPromises();
    expect([fixture.requests, (await running.stateOf("a")).waiting]).toEqual([[], []]);
    await running.close();
  });

  it("tell nothing of a run that may have read what was deleted meanwhile, and run again", async () => {
    const { running, pass, fixture, end } = await openBesideRun();
    await running.forget("s");
    fixture.rows = async () => ({ rows: [{ n: 2 }], isCut: false, sources: ["s"] });
    end({ rows: [{ n: 1 }], isCut: false, sources: ["s"] });
    await flushPromises();
    await pass(1_000);
    expect([fixture.runCount, fixture.requests.map(({ body }) => body.includes('"result":[{"n":2}]'))]).toEqual([
      2,
      [true],
    ]);
    await running.close();
  });

  it("take back what another service left, once they run here", async () => {
    const first = open();
    first.running.replaceAll([planned()]);
    first.running.start(first.queries);
    first.fixture.answer = () => ({ kind: "failed", reason: "down" });
    await flushPromises();
    await first.pass(minuteMs);
    await first.running.close();
    const second = open({ disk: first.disk, clock: first.clock });
    second.running.replaceAll([planned()]);
    await second.running.forget("s");
    second.running.start(second.queries);
    await flushPromises();
    expect([second.told(), (await second.running.stateOf("a")).waiting]).toEqual([[], []]);
    await second.running.close();
  });

  it("run, remind and send again soon where the clock was ahead for a while", async () => {
    const { running, queries, pass, fixture, told } = open();
    running.replaceAll([planned({ remind: "10m" })]);
    running.start(queries);
    await flushPromises();
    await pass(365 * 86_400_000);
    expect([fixture.runCount, told()]).toEqual([1, ["firing"]]);
    fixture.answer = () => ({ kind: "failed", reason: "down" });
    await pass(10 * minuteMs);
    expect([fixture.runCount, told()]).toEqual([2, ["firing", "firing"]]);
    fixture.answer = () => ({ kind: "taken" });
    await pass(-364 * 86_400_000);
    expect([fixture.runCount, told()]).toEqual([2, ["firing", "firing", "firing"]]);
    await pass(minuteMs);
    expect([fixture.runCount, told().length]).toEqual([3, 4]);
    await running.close();
  });

  it("run on the service that leads alone, which takes the state of the other over", async () => {
    const clock = new StoppedClock();
    const one = open({ clock });
    const two = open({ clock, disk: one.disk });
    two.fixture.isLeader = false;
    for (const each of [one, two]) {
      each.running.replaceAll([planned()]);
      each.running.start(each.queries);
    }
    await flushPromises();
    await one.pass(minuteMs);
    expect([one.told(), two.told(), two.fixture.runCount]).toEqual([["firing"], [], 0]);
    one.fixture.isLeader = false;
    two.fixture.isLeader = true;
    two.fixture.rows = async () => ({ rows: [], isCut: false, sources: ["s"] });
    await one.pass(1_000);
    await one.pass(minuteMs);
    expect([one.fixture.runCount, two.told()]).toEqual([1, ["resolved"]]);
    await Promise.all([one.running.close(), two.running.close()]);
  });

  it("run a query once for all that are due with it, each by its own condition", async () => {
    const { running, queries, fixture } = open();
    fixture.rows = async () => ({ rows: [{ n: 1 }, { n: 2 }, { n: 3 }], isCut: false, sources: ["s"] });
    const above = (value: number, more = {}) =>
      planned({ when: { column: "n", op: ">", value }, message: "{{n}}", ...more }, `above ${value}`);
    running.replaceAll([
      above(1),
      above(2),
      above(3),
      above(0, { sql: "select 9" }),
      above(-1, { parameters: { a: "1" } }),
    ]);
    running.start(queries);
    await flushPromises();
    fixture.clock.nowNumber += minuteMs;
    fixture.clock.wake();
    await flushPromises(50);
    expect(fixture.runCount).toBe(3);
    const told = fixture.requests.map(({ body }) => (JSON.parse(body) as { readonly message: string }).message);
    expect(told.sort()).toEqual(["1", "1", "2", "3"]);
    expect(running.figures().runs).toEqual({ met: 4, quiet: 1, failed: 0 });
    await running.close();
  });

  it("run no query of an alert that was changed or removed while it waited for its turn", async () => {
    const { running, queries, fixture } = open();
    let end = () => {};
    const held = new Promise<void>((resolve) => (end = resolve));
    fixture.rows = () => held.then(() => ({ rows: [], isCut: false, sources: [] }));
    running.start(queries);
    await flushPromises();
    for (const name of ["a", "b", "c", "d", "e"]) {
      running.put(planned({ sql: `select '${name}'` }, name));
      await flushPromises();
    }
    running.put(planned({ sql: "select 'c'", enabled: false }, "c"));
    running.remove(planned({}, "d").id);
    running.put(planned({ sql: "select 'new'" }, "e"));
    end();
    await flushPromises(50);
    expect(fixture.ran).toEqual(["select 'a'", "select 'b'", "select 'new'"]);
    await running.close();
  });

  it("wait for their turn, however many they are, without a warning of Node.js", async () => {
    const { running, queries, fixture, clock } = open();
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on("warning", note);
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    fixture.rows = () => held.then(() => ({ rows: [], isCut: false, sources: [] }));
    running.start(queries);
    await flushPromises();
    running.replaceAll(Array.from({ length: 50 }, (_, n) => planned({ sql: `select ${n}` }, `a${n}`)));
    await flushPromises();
    expect(fixture.runCount).toBe(2);
    clock.nowNumber += 5_000;
    // Those that run are not late.
    expect(running.figures().lateSeconds).toBe(5);
    end();
    await flushPromises(200);
    expect([fixture.runCount, running.figures().lateSeconds]).toEqual([50, 0]);
    await running.close();
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  it("count runs, notices and alerts on the service that runs them", async () => {
    const { running, queries, pass, fixture, clock } = open();
    const statuses = { ok: 0, pending: 0, firing: 0, resolved: 0, failing: 0, off: 0 };
    expect(running.figures()).toEqual({
      runs: { met: 0, quiet: 0, failed: 0 },
      ...{ runSeconds: 0, lateSeconds: 0 },
      notices: { delivered: 0, refused: 0, dropped: 0 },
      failures: 0,
      waiting: 0,
      alerts: statuses,
    });
    fixture.rows = async () => {
      clock.nowNumber += 250;
      return { rows: [{ n: 1 }], isCut: false, sources: [] };
    };
    running.replaceAll([planned(), planned({ enabled: false }, "b")]);
    running.start(queries);
    await flushPromises();
    await pass(minuteMs);
    expect(running.figures()).toMatchObject({
      ...{ runs: { met: 1, quiet: 0, failed: 0 }, runSeconds: 0.25, alerts: { ...statuses, firing: 1, off: 1 } },
      ...{ notices: { delivered: 1, refused: 0, dropped: 0 }, failures: 0, waiting: 0 },
    });
    fixture.answer = () => ({ kind: "failed", reason: "down" });
    fixture.rows = async () => ({ rows: [], isCut: false, sources: [] });
    await pass(minuteMs);
    expect(running.figures()).toMatchObject({
      ...{ runs: { met: 1, quiet: 1, failed: 0 }, alerts: { ...statuses, resolved: 1, off: 1 } },
      ...{ notices: { delivered: 1, refused: 0, dropped: 0 }, failures: 1, waiting: 1 },
    });
    fixture.answer = () => ({ kind: "refused", reason: "no" });
    fixture.rows = () => Promise.reject(new ServiceError("timeout", "It took long"));
    await pass(minuteMs);
    expect(running.figures()).toMatchObject({
      ...{ runs: { met: 1, quiet: 1, failed: 1 }, alerts: { ...statuses, failing: 1, off: 1 } },
      ...{ notices: { delivered: 1, refused: 2, dropped: 0 }, failures: 1, waiting: 0 },
    });
    fixture.isLeader = false;
    await pass(1_000);
    expect(running.figures().alerts).toEqual(statuses);
    await running.close();
  });

  it("count notices that are dropped since too many wait", async () => {
    const { running, queries, pass, fixture } = open();
    running.replaceAll([planned({ group_by: ["n"], remind: "1s" })]);
    running.start(queries);
    fixture.answer = () => ({ kind: "failed", reason: "down" });
    fixture.rows = async () => ({ rows: Array.from({ length: 100 }, (_, n) => ({ n })), isCut: false, sources: [] });
    await flushPromises();
    for (let minute = 0; minute < 11; minute++) await pass(minuteMs);
    expect(running.figures()).toMatchObject({ waiting: 1_000, notices: { dropped: 100 } });
    expect(await running.stateOf("a")).toMatchObject({ droppedCount: 100 });
    await running.close();
  });

  it("tell that a query fails, has too many rows, or too many groups", async () => {
    const many = Array.from({ length: 101 }, (_, n) => ({ n }));
    for (const [rows, reason] of [
      [() => Promise.reject(new ServiceError("timeout", "It took long")), "It took long (timeout)"],
      [() => Promise.reject(new Error("a secret of ours")), "an internal error"],
      [async () => ({ rows: many, isCut: true, sources: [] }), "its query has more than 101 rows"],
      [async () => ({ rows: many, isCut: false, sources: ["s"] }), "101 groups meet its condition, of 100 at most"],
    ] as const) {
      const { running, queries, pass, fixture } = open();
      fixture.rows = rows;
      running.replaceAll([planned({ group_by: ["n"] })]);
      running.start(queries);
      await flushPromises();
      await pass(minuteMs);
      const { failure } = await running.stateOf("a");
      expect(failure?.reason).toContain(reason);
      expect(fixture.requests.map(({ body }) => body.includes(reason))).toEqual([true]);
      await running.close();
    }
  });
});
