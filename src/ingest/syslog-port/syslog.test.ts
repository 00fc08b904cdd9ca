import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { flushPromises } from "../../../test/support/drains/rules.ts";
import { EngineError, type LogEvent } from "../../engines/contract/query-engine.ts";
import { createIngestQuotas } from "../quotas/ingest-quotas.ts";
import { listenForSyslog, type SyslogListener } from "./listen.ts";
import { openSyslog } from "./open-syslog.ts";
import { MessageQueue } from "./queue.ts";

const nowMs = Date.parse("2026-08-20T09:00:00Z");

describe("the syslog listener", () => {
  let listener: SyslogListener | undefined;
  afterEach(async () => listener?.close());

  async function open(maxSockets?: number) {
    const stored: LogEvent[] = [];
    const append = async (events: readonly LogEvent[]) => void stored.push(...events);
    listener = await listenForSyslog({
      ...{ host: "127.0.0.1", port: 0, append, warn: () => undefined, nowMs: () => nowMs },
      ...(maxSockets === undefined ? {} : { maxSockets }),
    });
    const messages = () => stored.map(({ eventMessage }) => eventMessage);
    return { port: listener.port, messages, close: () => listener?.close() };
  }

  it("accepts messages over TCP, split at any point, including the rest when the connection ends", async () => {
    const { port, messages } = await open();
    const socket = connect(port, "127.0.0.1");
    socket.write("<13>Aug 20 09:00:00 h app: one\n<13>Aug 20 09:0");
    await once(socket, "connect");
    socket.end("0:00 h app: two\n27 <13>1 - h app - - - counted\n<13>left");
    await expect.poll(() => messages()).toEqual(["one", "two", "counted", "left"]);
  });

  it("accepts messages over UDP on the same port", async () => {
    const { port, messages } = await open();
    const socket = createSocket("udp4");
    socket.send("<13>1 2026-08-20T09:00:00Z h app - - - datagram", port, "127.0.0.1");
    await expect.poll(() => messages()).toEqual(["datagram"]);
    socket.close();
  });

  it("drops messages beyond a tenant's limit, and stores those of others on the same connection", async () => {
    const stored: LogEvent[] = [];
    const warn = vi.fn();
    const syslog = await openSyslog({
      host: "127.0.0.1",
      port: 0,
      store: { append: async (_source, events) => ({ stored: stored.push(...events), repeated: 0 }) },
      quotas: createIngestQuotas({ budget: {}, tenantRates: { events: 2 }, nowMs: () => 0 }),
      tenantField: () => "metadata.host",
      onStored: () => undefined,
      nowMs: () => nowMs,
      logger: { info: () => undefined, warn },
    });
    const socket = connect(syslog?.port ?? 0, "127.0.0.1");
    const lines = ["a 1", "a 2", "a 3", "b 1", "a 4"].map((line) => `<13>Aug 20 09:00:00 ${line[0]} app: ${line}\n`);
    socket.end(lines.join(""));
    await expect.poll(() => stored.map(({ eventMessage }) => eventMessage)).toEqual(["a 1", "a 2", "b 1"]);
    expect(syslog?.counts).toEqual({ stored: 3, dropped: 2 });
    expect(warn.mock.calls).toEqual([[expect.stringContaining("The tenant a of the source syslog")]]);
    await syslog?.close();
  });

  it("ends the connection that was silent longest where there are too many, with what it had sent", async () => {
    const { port, messages } = await open(2);
    const [silent, busy] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    for (const socket of [silent, busy]) socket.on("error", () => undefined);
    silent.write("<13>app: one\n");
    await expect.poll(() => messages()).toEqual(["one"]);
    busy.write("<13>app: two\n");
    await expect.poll(() => messages()).toEqual(["one", "two"]);
    const ended = once(silent, "close");
    const third = connect(port, "127.0.0.1");
    third.write("<13>app: three\n");
    await ended;
    busy.write("<13>app: four\n");
    await expect.poll(() => [...messages()].sort()).toEqual(["four", "one", "three", "two"]);
    for (const socket of [busy, third]) socket.destroy();
  });

  it("reads a message of spaces in the time of any other", async () => {
    const { port, messages } = await open();
    const socket = connect(port, "127.0.0.1");
    const long = `a${" ".repeat(60_000)}b`;
    for (let count = 0; count < 50; count++) socket.write(`<13>app: ${long}\n`);
    socket.end();
    await expect.poll(() => messages().length).toBe(50);
    expect(new Set(messages())).toEqual(new Set([long]));
  });

  /** Eight senders with 5,000 messages each, to a store that takes none before `release`. */
  async function flood(maxSockets: number) {
    let admitted = 0;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    listener = await listenForSyslog({
      ...{ host: "127.0.0.1", port: 0, maxSockets, append: () => released, warn: () => undefined, nowMs: () => nowMs },
      admit: () => {
        admitted++;
        return () => undefined;
      },
    });
    const { port } = listener;
    const senders = Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
    for (const sender of senders) sender.end("<13>app: m\n".repeat(5_000));
    await expect.poll(() => admitted).toBeGreaterThanOrEqual(20_000);
    // The others are read as far as they are.
    await flushPromises(500);
    return { port, release };
  }

  it("lets senders over TCP wait while the store takes nothing, and loses none of their messages", async () => {
    const { release } = await flood(100);
    release();
    await expect.poll(() => listener?.counts.stored).toBe(40_000);
    expect(listener?.counts.dropped).toBe(0);
  });

  it("lets go what a connection waits with that gives way to another", async () => {
    const { port, release } = await flood(8);
    const others = Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
    await expect.poll(() => listener?.counts.dropped).toBeGreaterThanOrEqual(5_000);
    release();
    for (const other of others) other.destroy();
  });

  it("stores received messages before it closes", async () => {
    const { port, messages, close } = await open();
    const socket = connect(port, "127.0.0.1");
    socket.end("<13>app: last\n");
    await once(socket, "close");
    await close();
    expect(messages()).toEqual(["last"]);
    expect(listener?.counts).toEqual({ stored: 1, dropped: 0 });
  });
});

describe("the syslog message queue", () => {
  const event = { id: "a", hasGeneratedId: true, timestampUs: 1n, eventMessage: "m", fields: {} };

  afterEach(() => void vi.useRealTimers());

  it("retries after a temporary failure of the store, and drops messages after a permanent one", async () => {
    const answers: (Error | undefined)[] = [new EngineError("overloaded", "x"), undefined, new Error("broken")];
    const warn = vi.fn();
    const queue = new MessageQueue({
      warn,
      append: async () => {
        const answer = answers.shift();
        if (answer !== undefined) throw answer;
      },
    });
    queue.add(event, 1);
    await expect.poll(() => queue.counts).toEqual({ stored: 1, dropped: 0 });
    queue.add(event, 1);
    await expect.poll(() => queue.counts).toEqual({ stored: 1, dropped: 1 });
    expect(warn).toHaveBeenCalledOnce();
    await queue.close(10);
  });

  it("stores messages that arrive after its timer found an empty queue", async () => {
    vi.useFakeTimers();
    const releases: (() => void)[] = [];
    const queue = new MessageQueue({
      warn: () => undefined,
      append: () => new Promise<void>((resolve) => void releases.push(resolve)),
    });
    queue.add(event, 1);
    await vi.advanceTimersByTimeAsync(100);
    // The event waits for a timer, but is stored before that together with what follows the first batch.
    queue.add(event, 1);
    for (let batch = 0; batch < 2; batch++) {
      releases.shift()?.();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(queue.counts.stored).toBe(2);
    await vi.advanceTimersByTimeAsync(100);
    queue.add(event, 1);
    await vi.advanceTimersByTimeAsync(100);
    releases.shift()?.();
    await vi.advanceTimersByTimeAsync(1);
    expect(queue.counts.stored).toBe(3);
    await queue.close(1);
  });

  it("accepts messages up to its capacity, and signals when there is room again", async () => {
    let release: () => void = () => undefined;
    const queue = new MessageQueue({
      warn: () => undefined,
      append: (_events, signal) =>
        new Promise<void>((resolve, reject) => {
          release = resolve;
          signal.addEventListener("abort", () => reject(new EngineError("aborted", "x")));
        }),
    });
    let taken = 0;
    while (queue.add(event, 1)) taken++;
    expect(taken).toBe(20_000);
    expect(queue.isFull).toBe(true);
    let isRoomy = false;
    const roomy = queue.change().then(() => {
      isRoomy = true;
    });
    for (let batch = 0; batch < 5; batch++) {
      expect(isRoomy).toBe(false);
      release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    release();
    await roomy;
    await queue.close(1);
    expect(queue.add(event, 1)).toBe(false);
    expect(queue.counts.stored + queue.counts.dropped).toBe(20_000);
  });

  it("holds 32 million characters at most", async () => {
    const queue = new MessageQueue({ warn: () => undefined, append: async () => undefined });
    let taken = 0;
    while (queue.add(event, 64_000)) taken++;
    expect(taken).toBe(500);
    await queue.close(1_000);
    expect(queue.counts).toEqual({ stored: 500, dropped: 0 });
  });
});
