import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { sampleSize } from "../../../../test/support/sample-size.ts";
import { EngineError, type EventStore, type LogEvent, WideNumber } from "../../contract/query-engine.ts";
import { readLine, writeLine } from "./event-line.ts";
import { listRefused, retryRefused } from "./refused-events.ts";
import { Spool } from "./spool.ts";
import { spoolStore } from "./spooled-store.ts";

const never = () => new AbortController().signal;
const event = (id: string, fields: LogEvent["fields"] = {}): LogEvent => ({
  ...{ id, hasGeneratedId: true, timestampUs: 1n, eventMessage: null, fields },
});

type Sleep = (ms: number) => Promise<void>;

/** A store whose server can become unavailable. */
class Server {
  readonly stored: string[] = [];
  failure: EngineError | undefined;
  /** Events of one append beyond which the server fails. */
  maxEvents = Number.POSITIVE_INFINITY;
  /** Ids that the server never accepts. */
  readonly refused = new Set<string>();
  /** Appends that fail for no reason of theirs. */
  failsBy: () => EngineError | undefined = () => undefined;
  appendCount = 0;
  isDropped = false;
  /** Appends wait for it. */
  held: Promise<void> | undefined;
  readonly store = {
    describe: () => (this.isDropped ? undefined : { name: "edge", columns: [] }),
    append: async (source: string, events: readonly LogEvent[]) => {
      await new Promise((resolve) => setImmediate(resolve));
      this.appendCount++;
      await this.held;
      const failure = this.failure ?? this.failsBy();
      if (failure !== undefined) throw failure;
      if (events.length > this.maxEvents || events.some(({ id }) => this.refused.has(id))) {
        throw new EngineError("internal", "what is this");
      }
      // As a store does: an id once, unless it is the store's own.
      const fresh = events.filter(
        ({ id, hasGeneratedId }) => hasGeneratedId || !this.stored.includes(`${source} ${id}`),
      );
      this.stored.push(...fresh.map(({ id }) => `${source} ${id}`));
      return { stored: fresh.length, repeated: events.length - fresh.length };
    },
    inspect: async () => ({ figureDefinitions: [], figures: {}, problems: [], sources: [], directory: undefined }),
  } as unknown as EventStore;

  leave(): void {
    this.failure = new EngineError("unavailable", "away", { isLost: true });
  }

  return(): void {
    this.failure = undefined;
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** For how long senders wait for a small rest; no pause is as long. */
const restMs = 3_000;
const sleepShortly: Sleep = (ms) => (ms === restMs ? new Promise(() => undefined) : nextTurn());

async function openBench(
  server: Server,
  {
    folder = "",
    maxBytes = 1_000_000,
    freeBytes = () => Number.POSITIVE_INFINITY,
    flush = async () => undefined,
    sleep = sleepShortly,
  } = {},
) {
  const place = folder === "" ? await mkdtemp(join(tmpdir(), "spool-")) : folder;
  const logged: string[] = [];
  const spool = await Spool.open({
    ...{ folder: place, maxBytes, freeBytes, store: server.store, flush, sleep },
    log: (level, message) => void logged.push(`${level} ${message}`),
  });
  const store = spoolStore(server.store, spool);
  const send = (...ids: string[]) =>
    store.append(
      "edge",
      ids.map((id) => event(id)),
      never(),
    );
  const emptied = () => expect.poll(() => spool.isWaiting).toBe(false);
  return { folder: place, spool, store, send, emptied, logged };
}

describe("the spool", () => {
  it("accepts events while the server is unavailable, and stores them in order afterwards", async () => {
    const server = new Server();
    const { send, emptied, folder, spool } = await openBench(server);
    await send("a");
    server.leave();
    expect(await send("b", "c")).toEqual({ stored: 2, repeated: 0 });
    await send("d");
    expect(server.stored).toEqual(["edge a"]);
    server.return();
    await send("e");
    await emptied();
    await send("f");
    expect(server.stored.map((text) => text.at(-1)).join("")).toBe("abcdef");
    await spool.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it("lets senders go on after three seconds in which a slow server has not stored a small rest", async () => {
    const server = new Server();
    const waiting: (() => void)[] = [];
    const sleep: Sleep = (ms) => {
      return ms === restMs ? new Promise((resolve) => void waiting.push(resolve)) : nextTurn();
    };
    const { send, emptied, spool } = await openBench(server, { sleep });
    let release: () => void = () => undefined;
    const hold = () => {
      server.held = new Promise((resolve) => {
        release = resolve;
      });
    };
    server.leave();
    await send("a");
    hold();
    server.return();
    const { appendCount } = server;
    await expect.poll(() => server.appendCount).toBeGreaterThan(appendCount);
    // Behind the file that is being stored.
    await send("b");
    const releaseFirst = release;
    hold();
    releaseFirst();
    await expect.poll(() => waiting.length).toBe(1);
    let isAnswered = false;
    const sent = send("c").then(() => {
      isAnswered = true;
    });
    await nextTurn();
    expect(isAnswered).toBe(false);
    for (const each of waiting) each();
    await sent;
    server.held = undefined;
    release();
    await emptied();
    expect(server.stored).toEqual(["edge a", "edge b", "edge c"]);
    await spool.close();
  });

  it("retains pending events across restarts, and stores them once", async () => {
    const server = new Server();
    const first = await openBench(server);
    server.leave();
    for (const id of ["a", "b", "c"]) await first.send(id);
    await first.spool.close();
    const second = await openBench(server, first);
    await second.send("d");
    // As if the service had been killed before it removed the file.
    const [name = ""] = (await readdir(first.folder)).filter((file) => file.endsWith(".events"));
    const text = await readFile(join(first.folder, name));
    server.return();
    await second.emptied();
    await second.spool.close();
    await writeFile(join(first.folder, name), text);
    const third = await openBench(server, first);
    await third.emptied();
    await third.spool.close();
    expect(server.stored).toEqual(["edge a", "edge b", "edge c", "edge d"]);
  });

  it("refuses events beyond its size limit, and accepts events again when there is room", async () => {
    const server = new Server();
    const { send, emptied, spool } = await openBench(server, { maxBytes: 300 });
    server.leave();
    await send("a");
    await expect(send("x".repeat(300))).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
    server.return();
    await emptied();
    await send("x".repeat(300));
    expect(server.stored).toHaveLength(2);
    await spool.close();
  });

  it("reports a full disk, and retains nothing of a failed write", async () => {
    const server = new Server();
    const full = { isSo: false };
    const { send, emptied, spool } = await openBench(server, {
      async flush() {
        if (full.isSo) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      },
    });
    server.leave();
    await send("a");
    full.isSo = true;
    await expect(send("b")).rejects.toMatchObject({ code: "ENOSPC" });
    full.isSo = false;
    await send("c");
    server.return();
    await emptied();
    expect(server.stored).toEqual(["edge a", "edge c"]);
    await spool.close();
  });

  it("leaves room on the disk for what is noted of its events while they are stored", async () => {
    const server = new Server();
    let freeBytes = 17_000_000;
    const { send, emptied, spool } = await openBench(server, { freeBytes: () => freeBytes });
    server.leave();
    await send("a");
    freeBytes = 16_777_000;
    await expect(send("b")).rejects.toMatchObject({ code: "disk_full", retryAfterSeconds: 5 });
    freeBytes = 17_000_000;
    await send("c");
    freeBytes = 0;
    server.return();
    await emptied();
    expect(server.stored).toEqual(["edge a", "edge c"]);
    await spool.close();
  });

  it("does not accept events that the server refuses for another reason", async () => {
    const server = new Server();
    const { send, spool } = await openBench(server);
    server.failure = new EngineError("overloaded", "busy", { retryAfterSeconds: 1, isLost: true });
    await expect(send("a")).rejects.toMatchObject({ code: "overloaded" });
    server.failure = new EngineError("unavailable", "wrong password");
    await expect(send("a")).rejects.toMatchObject({ message: "wrong password" });
    await spool.close();
  });

  it("reports and sets aside a file with damaged lines, and stores the others", async () => {
    const server = new Server();
    const first = await openBench(server);
    server.leave();
    for (const id of ["a", "b", "c", "d"]) await first.send(id);
    await first.spool.close();
    const paths = (await readdir(first.folder)).filter((file) => file.endsWith(".events")).sort();
    const texts = await Promise.all(paths.map((name) => readFile(join(first.folder, name), "utf8")));
    await Promise.all(paths.map((name) => rm(join(first.folder, name))));
    const path = join(first.folder, paths[0] ?? "");
    const lines = texts.join("").split("\n");
    lines[1] = (lines[1] ?? "").replace('"b"', '"B"');
    lines[2] = "\0\0";
    await writeFile(path, lines.join("\n"));
    await appendFile(path, "cut");
    server.return();
    const second = await openBench(server, first);
    await second.emptied();
    await second.spool.close();
    expect(server.stored).toEqual(["edge a", "edge d"]);
    expect(second.logged.join("\n")).toContain(`2 lines of ${path} are damaged (2, 3)`);
    expect(await readdir(join(first.folder, "damaged"))).toHaveLength(1);
    expect(await readdir(join(first.folder, "cut"))).toHaveLength(1);
  });

  it("names, counts and retains the events that the server refuses, and stores the others", async () => {
    const server = new Server();
    const { send, emptied, spool, logged, folder, store } = await openBench(server);
    server.leave();
    await send("a", "bad", "b");
    await send("c");
    server.refused.add("bad");
    server.return();
    await emptied();
    expect(server.stored).toEqual(["edge a", "edge b", "edge c"]);
    expect(logged.join("\n")).toContain("1 events of edge cannot be stored: what is this");
    expect(await listRefused(folder)).toMatchObject([
      { source: "edge", events: 1, reason: "what is this", ids: ["bad"] },
    ]);
    expect(store.spool?.()).toEqual({ waitingBytes: 0, refusedEvents: 1 });
    const report = await store.inspect?.(never());
    expect(report?.figures).toMatchObject({ refused_events: 1 });
    expect(report?.problems).toMatchObject([
      { code: "events_refused", message: expect.stringContaining("spool retry") },
    ]);
    await spool.close();
  });

  it("sends refused events again when an operator asks, also those that a restart finds", async () => {
    const server = new Server();
    const first = await openBench(server);
    server.leave();
    await first.send("bad", "a");
    server.refused.add("bad");
    server.return();
    await first.emptied();
    expect(await retryRefused(first.folder)).toBe(1);
    await first.spool.takeRetried();
    await first.emptied();
    expect(first.spool.refused.events).toBe(1);
    await first.spool.close();
    await retryRefused(first.folder);
    server.refused.clear();
    const second = await openBench(server, first);
    await second.emptied();
    expect(server.stored).toEqual(["edge a", "edge bad"]);
    expect([second.spool.refused.events, await retryRefused(first.folder)]).toEqual([0, 0]);
    await second.spool.close();
  });

  it("finds and sends again what an earlier version set aside", async () => {
    const server = new Server();
    const bench = await openBench(server);
    await bench.spool.close();
    await mkdir(join(bench.folder, "refused"));
    const lines = [["a"], ["b", "c"]].map((ids) => writeLine({ source: "edge", events: ids.map((id) => event(id)) }));
    await writeFile(join(bench.folder, "refused", "1760000000000-0000000000000000.events"), `${lines.join("\n")}\n`);
    server.stored.push("edge a");
    const again = await openBench(server, bench);
    expect(again.spool.refused.events).toBe(3);
    await retryRefused(bench.folder);
    await again.spool.takeRetried();
    await again.emptied();
    expect([server.stored, again.spool.refused.events]).toEqual([["edge a", "edge b", "edge c"], 0]);
    await again.spool.close();
  });

  it.each([
    ["retains events whose table the server lost", false, 1],
    ["discards events whose source was dropped", true, 0],
  ])("%s", async (_, isDropped, refused) => {
    const server = new Server();
    const { send, emptied, spool } = await openBench(server);
    server.leave();
    await send("a");
    server.isDropped = isDropped;
    server.failure = new EngineError("unknown_source", "A table of the source is not there any more");
    await emptied();
    expect(spool.refused.events).toBe(refused);
    await spool.close();
  });

  it("waits for rights that an operator may grant, and tells why", async () => {
    const server = new Server();
    const { send, emptied, spool, logged } = await openBench(server);
    server.leave();
    await send("a");
    server.failure = new EngineError("refused", "The engine's user may not do this");
    await expect.poll(() => logged.join("\n")).toContain("events wait: The engine's user may not do this");
    server.return();
    await emptied();
    expect([server.stored, spool.refused.events]).toEqual([["edge a"], 0]);
    await spool.close();
  });

  it("tries a server that refuses everything a limited number of times", async () => {
    const server = new Server();
    const { send, emptied, spool } = await openBench(server);
    server.leave();
    await send(...Array.from({ length: 1000 }, (_, index) => `e${index}`));
    server.appendCount = 0;
    server.failure = new EngineError("internal", "what is this");
    await emptied();
    expect(spool.refused.events).toBe(1000);
    expect(server.appendCount).toBeLessThan(2 * 1000 + 8 * 60);
    await spool.close();
  });

  it("loses nothing that was acknowledged: it is stored, or waits, or is refused and named", async () => {
    const away = new EngineError("unavailable", "away", { isLost: true });
    const odd = new EngineError("internal", "odd");
    const sent = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
    const plan = fc.record({
      sent,
      maxEvents: fc.integer({ min: 1, max: 60 }),
      everyBad: fc.integer({ min: 2, max: 50 }),
      failures: fc.array(fc.constantFrom(undefined, undefined, away, odd), { maxLength: 12 }),
      restarts: fc.boolean(),
      retries: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ sent, maxEvents, everyBad, failures, restarts, retries }) => {
        const server = new Server();
        let bench = await openBench(server);
        server.leave();
        const acknowledged: string[] = [];
        for (const count of sent) {
          const ids = Array.from({ length: count }, (_, index) => `${acknowledged.length + index}`);
          await bench.send(...ids);
          acknowledged.push(...ids);
        }
        for (const id of acknowledged) if (Number(id) % everyBad === 0) server.refused.add(id);
        server.maxEvents = maxEvents;
        const left = [...failures];
        server.failsBy = () => left.shift();
        server.return();
        if (restarts) {
          await bench.spool.close();
          bench = await openBench(server, bench);
        }
        await bench.emptied();
        const refused = (await listRefused(bench.folder)).flatMap(({ events }) => events);
        expect(server.stored.length + refused.reduce((sum, count) => sum + count, 0)).toBe(acknowledged.length);
        expect(bench.spool.refused.events).toBe(acknowledged.length - server.stored.length);
        if (retries) {
          server.refused.clear();
          await retryRefused(bench.folder);
          await bench.spool.takeRetried();
          await bench.emptied();
          expect(new Set(server.stored).size).toBe(acknowledged.length);
          expect(server.stored.length).toBe(acknowledged.length);
        }
        await bench.spool.close();
      }),
      { numRuns: sampleSize(15, 500) },
    );
  });

  it("empties even while senders keep sending", async () => {
    const server = new Server();
    const { send, emptied, spool } = await openBench(server);
    server.leave();
    await send("first");
    let isOver = false;
    let count = 0;
    const sender = async () => {
      while (!isOver) await send(`${count++}`);
    };
    const senders = Array.from({ length: 5 }, sender);
    server.return();
    await emptied();
    isOver = true;
    await Promise.all(senders);
    await emptied();
    expect(new Set(server.stored).size).toBe(count + 1);
    await spool.close();
  });

  it("can be used by one service only", async () => {
    const bench = await openBench(new Server());
    await bench.spool.close();
    // A process that is running, other than this one.
    await writeFile(join(bench.folder, "lock"), `${process.ppid}\n`);
    await expect(openBench(new Server(), bench)).rejects.toThrow(/is used by the process/);
    await writeFile(join(bench.folder, "lock"), `${process.ppid} 0\n`);
    if (process.platform === "linux") await (await openBench(new Server(), bench)).spool.close();
  });
});

describe("a spool line", () => {
  it("restores events with any values", () => {
    const scalar = fc.oneof(
      ...[fc.string({ unit: codePoint }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()],
      ...[fc.bigInt(), fc.constant(-0), fc.constant(new WideNumber("1e400"))],
    );
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/);
    const { fields } = fc.letrec<{ fields: LogEvent["fields"]; value: unknown }>((tie) => ({
      value: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("value"), { maxLength: 3 }), tie("fields")),
      fields: fc.dictionary(fc.oneof(name, fc.constant("__proto__")), tie("value"), {
        maxKeys: 4,
        noNullPrototype: true,
      }) as fc.Arbitrary<LogEvent["fields"]>,
    }));
    const many = fc.array(fc.tuple(fc.string({ unit: codePoint }), fc.bigInt(), fields), { maxLength: 4 });
    fc.assert(
      fc.property(fc.string(), many, (source, list) => {
        const events = list.map(([id, timestampUs, all]) => ({
          ...event(id, all),
          timestampUs,
          hasGeneratedId: false,
        }));
        const line = writeLine({ source, events });
        expect(line).not.toContain("\n");
        expect(readLine(line)).toEqual({ source, events });
      }),
      { numRuns: sampleSize(8, 100) },
    );
  });

  it("is refused when any part of it was changed or cut off", () => {
    const line = writeLine({ source: "edge", events: [event("a", { n: 1 })] });
    fc.assert(
      fc.property(fc.nat(line.length - 1), fc.nat(line.length), (at, length) => {
        const other = line[at] === "x" ? "y" : "x";
        expect(readLine(line.slice(0, at) + other + line.slice(at + 1))).toBeUndefined();
        if (length < line.length) expect(readLine(line.slice(0, length))).toBeUndefined();
      }),
    );
  });
});
