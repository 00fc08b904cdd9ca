import type { ChildProcess } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Answer, FakeChild } from "../../../../test/support/engines/duckdb/process/fake-child.ts";
import { STRING } from "../../../googlesql/types.ts";
import type { HostQuery, HostRequest, OpenedStore } from "../host/protocol.ts";
import { HostProcess, type HostProcessOptions } from "./host-process.ts";
import { residentBytes } from "./machine.ts";

const core = { threads: 2, memoryLimitBytes: 3, checkpointBytes: 4, compaction: { minRows: 5, maxRows: 6 } };
const opened: OpenedStore = { sources: [] };
const query: HostQuery = {
  sql: "q",
  parameters: [],
  columns: [{ name: "v", type: STRING }],
  encoding: "cells",
  limits: { timeoutMs: 1000, maxRows: 1, maxResultBytes: 1 },
};
const lost = { code: "unavailable", message: "The engine stopped and is restarting", isLost: true };
const restarting = { code: "unavailable", message: "The engine is restarting", isLost: true, retryAfterSeconds: 1 };
const blamed = { code: "memory_exceeded" };

const isPing = (request: HostRequest) => request.kind === "call" && request.method === "ping";

const answerAll: Answer = ({ kind }) =>
  kind === "run" || kind === "cancel" ? undefined : { kind: "done", value: opened };

describe("the supervision of the engine host", () => {
  const log: string[] = [];
  const children: FakeChild[] = [];
  const ready = vi.fn();
  let answer: Answer;
  let exitsByItself: boolean;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
    log.length = 0;
    children.length = 0;
    ready.mockReset();
    answer = answerAll;
    exitsByItself = true;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function create(some: Partial<HostProcessOptions> = {}): HostProcess {
    return new HostProcess({
      core,
      maxResidentBytes: Number.MAX_SAFE_INTEGER,
      lockPatienceMs: 0,
      launch: () => {
        children.push(new FakeChild((request) => answer(request), exitsByItself));
        return children.at(-1) as unknown as ChildProcess;
      },
      log: (level, message) => log.push(`${level} ${message}`),
      onReady: ready,
      ...some,
    });
  }

  async function start(some: Partial<HostProcessOptions> = {}): Promise<HostProcess> {
    const host = create(some);
    await host.start();
    return host;
  }

  /** Waits until all messages have arrived, and files that are being read are read. */
  async function arrive(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 50) {
      await vi.advanceTimersByTimeAsync(Math.min(50, left));
      await arrive();
    }
  }

  /** The end of a query, as its caller sees it. */
  function run(host: HostProcess, signal = new AbortController().signal): Promise<unknown> {
    return host
      .client()
      .run(query, signal)
      .next()
      .catch((error: unknown) => error);
  }

  it("opens the store with the options before it is ready", async () => {
    const host = create();
    expect(() => host.client()).toThrow(expect.objectContaining(restarting) as Error);
    await expect(host.ready()).rejects.toMatchObject(restarting);
    await host.start();
    expect(children[0]?.requests).toEqual([{ id: 1, kind: "open", options: core }]);
    expect(ready.mock.calls).toEqual([[opened]]);
    await host.ready();
    expect(host.pid).toBe(process.pid);
    await host.close();
    expect(children[0]?.requests.at(-1)).toMatchObject({ kind: "call", method: "close" });
    expect([children[0]?.signals, host.pid, log, vi.getTimerCount()]).toEqual([[], undefined, [], 0]);
  });

  it("ends a host that does not end by itself within half a minute of being told to", async () => {
    exitsByItself = false;
    const host = await start();
    const closed = host.close();
    await pass(29_950);
    expect([children[0]?.isStreamEnded, children[0]?.signals]).toEqual([true, []]);
    await pass(50);
    await closed;
    expect([children[0]?.signals, log, vi.getTimerCount()]).toEqual([["SIGKILL"], [], 0]);
  });

  it("asks again for a store that another process holds, for as long as it is told to", async () => {
    answer = () => ({ kind: "error", code: "unavailable", message: "used", detail: "IO Error: Could not set lock on" });
    const refused = expect(start({ lockPatienceMs: 1000 })).rejects.toMatchObject({ message: "used" });
    await pass(950);
    expect(children.length).toBe(5);
    await pass(100);
    await refused;
    expect(children.length).toBe(6);
    expect(children.map(({ signals }) => signals)).toEqual(children.map(() => ["SIGKILL"]));
    const patient = start({ lockPatienceMs: 1000 });
    answer = answerAll;
    await pass(200);
    await (await patient).close();
  });

  it("does not ask again for a store that cannot be opened for another reason", async () => {
    answer = () => ({ kind: "error", code: "unavailable", message: "damaged", detail: "IO Error: damaged" });
    await expect(start({ lockPatienceMs: 1000 })).rejects.toMatchObject({ message: "damaged" });
    expect([children.length, children[0]?.signals, log]).toEqual([1, ["SIGKILL"], []]);
  });

  it.each([
    ["SIGKILL", null, "SIGKILL", lost],
    ["a code", 3, null, lost],
    ["SIGABRT", null, "SIGABRT", blamed],
    ["SIGSEGV", null, "SIGSEGV", blamed],
    ["SIGBUS", null, "SIGBUS", blamed],
    ["SIGTRAP", null, "SIGTRAP", blamed],
    ["SIGILL", null, "SIGILL", blamed],
    ["a trap of its shell", 133, null, blamed],
    ["an abort of its shell", 134, null, blamed],
    ["a violation of its shell", 139, null, blamed],
  ] as const)(
    "starts the host again at once when it ended with %s, and tells its queries",
    async (_, code, by, error) => {
      const host = await start();
      const ended = run(host);
      await arrive();
      children[0]?.emit("exit", code, by);
      expect(await ended).toMatchObject(error);
      expect(() => host.client()).toThrow("The engine is restarting");
      await vi.advanceTimersByTimeAsync(0);
      await host.ready();
      expect(ready).toHaveBeenCalledTimes(2);
      expect(log).toEqual([
        `error the engine host is gone (it ended with ${by ?? `code ${code}`}); starting it again`,
        expect.stringMatching(/^info the engine host is back after \d+ ms$/),
      ]);
      await host.close();
    },
  );

  it("tries to start a host again and again, ever more rarely, and lets calls wait while there is hope", async () => {
    const host = await start();
    answer = () => ({ kind: "error", code: "unavailable", message: "no room" });
    children[0]?.emit("error", new Error("spawn failed"));
    const waiting = expect(host.ready()).rejects.toMatchObject(restarting);
    await vi.advanceTimersByTimeAsync(0);
    await arrive();
    await pass(17_000);
    const startedAt = performance.now() - 17_000;
    const launches = children.map(({ launchedAtMs }) => launchedAtMs - startedAt);
    expect(launches).toEqual([0, 0, 200, 600, 1400, 3000, 6200, 11_200, 16_200]);
    await waiting;
    expect(host.cannotStart).toBe(true);
    await expect(host.ready()).rejects.toMatchObject(restarting);
    expect(log.slice(0, 3)).toEqual([
      "error the engine host is gone (spawn failed); starting it again",
      ...Array.from({ length: 2 }, () => "error the engine host cannot start: no room"),
    ]);
    answer = answerAll;
    await pass(5000);
    await host.ready();
    expect(host.cannotStart).toBe(false);
    await host.close();
  });

  it("lets a call wait for five seconds for a host that is being started, and no longer", async () => {
    const host = await start();
    answer = () => undefined;
    children[0]?.emit("exit", 1, null);
    const refused = vi.fn();
    host.ready().catch(refused);
    await pass(4950);
    expect(refused).not.toHaveBeenCalled();
    await pass(50);
    expect(refused).toHaveBeenCalledWith(expect.objectContaining(restarting));
    const waiting = expect(host.ready()).rejects.toMatchObject(restarting);
    const closed = host.close();
    await waiting;
    await pass(30_000);
    await closed;
  });

  it("ends a host that answers no ping for 15 seconds, and blames the oldest query", async () => {
    const host = await start();
    await pass(20_000);
    const pings = children[0]?.requests.filter(isPing).length ?? 0;
    expect(pings).toBeGreaterThanOrEqual(19);
    expect(pings).toBeLessThanOrEqual(20);
    answer = (request) => (isPing(request) || request.kind === "run" ? undefined : { kind: "done", value: opened });
    const ended = run(host);
    await pass(14_900);
    expect(log).toEqual([]);
    await pass(1200);
    expect(await ended).toMatchObject(blamed);
    expect([log[0], children[0]?.signals]).toEqual(["error ending the engine host: it does not answer", ["SIGKILL"]]);
    await host.close();
  });

  it("ends a host once, however long it takes to end", async () => {
    const host = await start();
    const [child] = children;
    if (child === undefined) throw new Error("No host was started");
    child.isSlowToEnd = true;
    answer = () => undefined;
    await pass(30_000);
    expect([log, child.signals]).toEqual([["error ending the engine host: it does not answer"], ["SIGKILL"]]);
    answer = answerAll;
    child.emit("exit", null, "SIGKILL");
    await pass(100);
    await host.close();
  });

  it("does not end a host for a time in which the service itself was paused", async () => {
    const host = await start();
    await pass(1_000);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000);
    await pass(2_000);
    clock.mockRestore();
    expect([log, children[0]?.signals]).toEqual([[], []]);
    await host.close();
  });

  it("ends a host whose cancelled query goes on, after its time and more where the machine is busy", async () => {
    const host = await start({ unstoppableAfterMs: 400 });
    const caller = new AbortController();
    const [cancelled, other] = [run(host, caller.signal), run(host)];
    caller.abort();
    expect(await cancelled).toMatchObject({ code: "aborted" });
    await pass(1400);
    expect(log).toEqual([]);
    // Up to eight times as long on a machine that is as busy.
    await pass(7 * 400 + 100);
    expect(log[0]).toBe("error ending the engine host: a query cannot be interrupted");
    expect(await other).toMatchObject(lost);
    await host.close();
  });

  it.runIf(process.platform === "linux")("ends a host that takes too much memory", async () => {
    const host = await start({ maxResidentBytes: 1 });
    const ended = run(host);
    await pass(300);
    expect(await ended).toMatchObject(blamed);
    expect(log[0]).toMatch(/^error ending the engine host: it uses \d+ MB of memory$/);
    expect(Number(/\d+/.exec(log[0] ?? "")?.[0])).toBeLessThan(100_000);
    await host.close();
  });

  it.runIf(process.platform === "linux")(
    "blames a query for a host that the system ended while it was nearly as large as it may be",
    async () => {
      const bytes = process.memoryUsage.rss();
      for (const [maxResidentBytes, error] of [
        [bytes * 1.2, blamed],
        [bytes * 4, lost],
      ] as const) {
        const host = await start({ maxResidentBytes });
        const ended = run(host);
        await pass(300);
        for (let time = 0; time < 5; time++) await residentBytes(process.pid);
        children.at(-1)?.emit("exit", null, "SIGKILL");
        expect(await ended).toMatchObject(error);
        await host.close();
      }
    },
  );

  it("ends a host whose output cannot be read, blames nobody, and passes on what it says of itself", async () => {
    const host = await start();
    const ended = run(host);
    children[0]?.stderr.write("it hurts\n");
    children[0]?.fromHost.write(Buffer.alloc(8));
    expect(await ended).toMatchObject(lost);
    expect(log.slice(0, 2)).toEqual([
      "error engine host: it hurts",
      "error ending the engine host: what it sends cannot be read: A frame cannot have 0 bytes",
    ]);
    await host.close();
  });
});
