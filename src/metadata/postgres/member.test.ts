import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ServiceError } from "../../shared/errors.ts";
import { UserError } from "../../shared/user-error.ts";
import type { Topic } from "../topics.ts";
import type { Session, SessionEvents } from "./connections.ts";
import { lockOf } from "./locks.ts";
import { Member } from "./member.ts";
import { readCounters, TakeOvers } from "./take-overs.ts";

/** A database in place of one: which locks it gives, its counters, and the sessions that were opened to it. */
function prepare(isEngineShared = true) {
  const database = {
    isAway: false,
    pid: 7,
    sources: 1,
    refused: new Set<string>(),
    sessions: [] as { readonly events: SessionEvents; closed: number }[],
    statements: [] as string[],
    log: [] as string[],
  };
  const nameOf = (values: readonly unknown[] = []) =>
    ["engine", "leader", "job", "changes"].find((name) => lockOf(name)[1] === values[1]);
  const open = async (queryTimeoutMs: number, events: SessionEvents): Promise<Session> => {
    if (database.isAway) throw new Error("nobody there");
    const session = { events, closed: 0, queryTimeoutMs };
    database.sessions.push(session);
    return {
      async query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
        if (database.isAway) throw new Error("went away");
        const name = nameOf(values);
        if (text !== readCounters) database.statements.push(name === undefined ? text : `${text} ${name}`);
        if (text === readCounters) {
          return (["sources", "endpoints"] as const).map((topic) => {
            return { topic, number: topic === "sources" ? database.sources : 5, pid: database.pid } as Row;
          });
        }
        return name === undefined ? [] : [{ taken: !database.refused.has(name) } as Row];
      },
      async close() {
        session.closed++;
      },
    };
  };
  const member = new Member(undefined as never, open, {
    isEngineShared,
    shown: "The database",
    nowMs: () => Date.now(),
    log: (level, message) => void database.log.push(`${level} ${message}`),
  });
  return { database, member };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a node of a database", () => {
  it("listens, takes its locks, and leads from the start if nobody else does", async () => {
    const { database, member } = prepare();
    expect([member.state(), member.isLeader(), member.isAway, member.sessionCount]).toEqual([
      "outdated",
      false,
      false,
      0,
    ]);
    await member.start();
    expect(database.statements).toEqual([
      "LISTEN logweir_changes",
      "SELECT pg_try_advisory_lock_shared($1, $2) AS taken engine",
      "SELECT pg_try_advisory_lock($1, $2) AS taken leader",
    ]);
    expect([member.state(), member.isLeader(), member.sessionCount]).toEqual(["current", true, 1]);
    expect([member.versionOf("sources"), member.versionOf("endpoints"), member.versionOf("drains")]).toEqual([1, 5, 0]);
    await vi.advanceTimersByTimeAsync(2_000);
    // Who leads asks no further.
    expect(database.statements).toHaveLength(3);
    await member.close();
    expect([database.sessions[0]?.closed, member.isLeader(), member.state()]).toEqual([1, false, "behind"]);
  });

  it.each([
    [true, "The database is used by a node with an embedded engine, whose events no other node sees. Stop that node"],
    [false, "The database is used by another node, and this one has an embedded engine"],
  ])("is kept out by others' locks on the engine, shared: %s", async (isEngineShared, message) => {
    const { database, member } = prepare(isEngineShared);
    database.refused.add("engine");
    const refusal = await member.start().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UserError);
    expect(String(refusal)).toContain(message);
    expect(database.statements.at(-1)).toContain(isEngineShared ? "lock_shared(" : "lock(");
    expect(database.sessions.map(({ closed }) => closed)).toEqual([1]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(database.sessions).toHaveLength(1);
  });

  it("follows until the leader is gone", async () => {
    const { database, member } = prepare();
    database.refused.add("leader");
    await member.start();
    expect([member.state(), member.isLeader()]).toEqual(["current", false]);
    database.refused.clear();
    await vi.advanceTimersByTimeAsync(500);
    expect(member.isLeader()).toBe(true);
    await member.close();
  });

  it("confirms its counters with a read that begins after the question, shared by all who ask", async () => {
    const { database, member } = prepare();
    await expect(member.confirm()).rejects.toMatchObject({ code: "metadata_unavailable" });
    await member.start();
    database.sources = 2;
    const first = member.confirm();
    // Until the first read has its answer.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    database.sources = 3;
    const others = [member.confirm(), member.confirm()];
    await first;
    expect(member.versionOf("sources")).toBe(2);
    await Promise.all(others);
    expect([member.versionOf("sources"), others[0] === others[1]]).toEqual([3, true]);
    database.isAway = true;
    await expect(member.confirm()).rejects.toThrow("went away");
    database.isAway = false;
    await member.confirm();
    await member.close();
  });

  it("takes over what others changed with the next notice, or within half a second", async () => {
    const { database, member } = prepare();
    const taken: number[] = [];
    member.onChange("sources", async () => void taken.push(database.sources));
    await member.start();
    expect(taken).toEqual([1]);
    database.sources = 2;
    await vi.advanceTimersByTimeAsync(499);
    expect(taken).toEqual([1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(taken).toEqual([1, 2]);
    database.sources = 3;
    database.sessions[0]?.events.onNotice("sources");
    await vi.advanceTimersByTimeAsync(1);
    expect(taken).toEqual([1, 2, 3]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(taken).toEqual([1, 2, 3]);
    await member.close();
  });

  it("says once that changes cannot be taken over, is behind meanwhile, and tries again", async () => {
    const { database, member } = prepare();
    let isBroken = false;
    member.onChange("sources", async () => {
      if (isBroken) throw new Error("no engine");
    });
    await member.start();
    [isBroken, database.sources] = [true, 2];
    await vi.advanceTimersByTimeAsync(2_600);
    expect(database.log).toEqual(["error what other nodes changed cannot be taken over: Error: no engine"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([member.state(), member.isLeader(), database.sessions.length]).toEqual(["behind", false, 1]);
    isBroken = false;
    await vi.advanceTimersByTimeAsync(500);
    expect([member.state(), member.isLeader()]).toEqual(["current", true]);
    [isBroken, database.sources] = [true, 3];
    await vi.advanceTimersByTimeAsync(1_000);
    expect(database.log).toHaveLength(2);
    await member.close();
  });

  it("begins a new session when its database was away, and says both once", async () => {
    const { database, member } = prepare();
    await member.start();
    database.isAway = true;
    await vi.advanceTimersByTimeAsync(500);
    expect([member.isAway, member.isLeader(), member.state()]).toEqual([true, false, "behind"]);
    await vi.advanceTimersByTimeAsync(29_400);
    expect(member.state()).toBe("behind");
    await vi.advanceTimersByTimeAsync(200);
    expect(member.state()).toBe("outdated");
    const away = "error The database is away, and is tried again until it is back: went away";
    expect(database.log).toEqual([away]);
    database.isAway = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(database.log).toEqual([away, "info The database answers again"]);
    expect([member.isAway, member.state(), member.isLeader(), member.sessionCount]).toEqual([
      false,
      "current",
      true,
      2,
    ]);
    expect(database.sessions.map(({ closed }) => closed)).toEqual([1, 0]);
    await member.close();
  });

  it("begins a new session at once when its own ends, and not for one of before", async () => {
    const { database, member } = prepare();
    await member.start();
    database.sessions[0]?.events.onEnd();
    expect(member.isAway).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(member.sessionCount).toBe(2);
    database.sessions[0]?.events.onEnd();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([member.sessionCount, member.state()]).toEqual([2, "current"]);
    await member.close();
  });

  it("does not lead for two seconds after it stopped leading, in which another may have led unseen", async () => {
    const { database, member } = prepare();
    await member.start();
    const led: boolean[] = [];
    database.sessions[0]?.events.onEnd();
    for (const ms of [1, 1_900, 200]) {
      await vi.advanceTimersByTimeAsync(ms);
      led.push(member.isLeader());
    }
    expect([led, member.sessionCount]).toEqual([[false, false, true], 2]);
    await member.close();
  });

  it("does not go on over a pooler, whose statements reach several backends", async () => {
    const { database, member } = prepare();
    await member.start();
    database.pid = 8;
    await vi.advanceTimersByTimeAsync(500);
    expect(database.log[0]).toContain("reach several backends, as behind a pooler of transactions");
    // A new session may have another backend.
    await vi.advanceTimersByTimeAsync(1_000);
    expect([member.sessionCount, member.state()]).toEqual([2, "current"]);
    await member.close();
  });

  it("does work alone only with its lock, which it gives back also when the work fails", async () => {
    const { database, member } = prepare();
    expect(await member.alone("job", async () => 1)).toBeUndefined();
    await member.start();
    database.statements.length = 0;
    expect(await member.alone("job", async () => 1)).toBe(1);
    const failing = member.alone("job", async () => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    const both = ["SELECT pg_try_advisory_lock($1, $2) AS taken job", "SELECT pg_advisory_unlock($1, $2) job"];
    expect(database.statements).toEqual([...both, ...both]);
    database.refused.add("job");
    expect(await member.alone("job", async () => 1)).toBeUndefined();
    database.refused.clear();
    const lost = member.alone("job", async () => {
      database.isAway = true;
      return 2;
    });
    expect(await lost).toBe(2);
    database.isAway = false;
    await member.close();
  });

  it("treats a database that is away while changes are taken over as away", async () => {
    const { database, member } = prepare();
    let isBroken = false;
    member.onChange("sources", async () => {
      if (isBroken) throw new ServiceError("metadata_unavailable", "away");
    });
    await member.start();
    [isBroken, database.sources] = [true, 2];
    await vi.advanceTimersByTimeAsync(500);
    expect(database.log).toEqual(["error The database is away, and is tried again until it is back: away"]);
    expect([member.isAway, database.sessions[0]?.closed]).toEqual([true, 1]);
    isBroken = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(member.state()).toBe("current");
    await member.close();
  });
});

describe("changes of other nodes", () => {
  it("are taken over by all who asked, one run after another, and again if that failed", async () => {
    const takeOvers = new TakeOvers();
    const steps: string[] = [];
    let isBroken = false;
    takeOvers.add("sources", async () => void steps.push("first"));
    takeOvers.add("sources", async () => {
      if (isBroken) throw new Error("broken");
      await Promise.resolve();
      steps.push("second");
    });
    takeOvers.add("drains", async () => void steps.push("drains"));
    const run = (sources: number, drains = 0) =>
      takeOvers.run(
        new Map<Topic, number>([["sources", sources], ...(drains > 0 ? [["drains", drains] as const] : [])]),
      );
    await Promise.all([run(1), run(2), run(2)]);
    expect(steps.splice(0).filter((step) => step !== "drains")).toEqual(["first", "second", "first", "second"]);
    isBroken = true;
    await expect(run(3)).rejects.toThrow("broken");
    isBroken = false;
    steps.length = 0;
    await run(3, 1);
    expect(steps.splice(0)).toEqual(["first", "second", "drains"]);
    // Whoever asks later takes over what was there already.
    takeOvers.add("drains", async () => void steps.push("late"));
    await run(3, 1);
    expect(steps).toEqual(["drains", "late"]);
    expect([takeOvers.versionOf("sources"), takeOvers.versionOf("drains"), takeOvers.versionOf("cache")]).toEqual([
      ...[3, 1, 0],
    ]);
  });
});
