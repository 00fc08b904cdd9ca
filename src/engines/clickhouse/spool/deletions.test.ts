import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleSize } from "../../../../test/support/sample-size.ts";
import { readStoredTexts } from "../../../../test/support/stored-texts.ts";
import { passesFilter } from "../../contract/event-filter.ts";
import { keyOf } from "../../contract/event-tenant.ts";
import { EngineError, type EventFilter, type EventStore, type LogEvent } from "../../contract/query-engine.ts";
import { retryRefused } from "./refused-events.ts";
import { Spool } from "./spool.ts";
import { spoolStore } from "./spooled-store.ts";

const never = () => new AbortController().signal;
const source = "edge";
const path = ["project"];

function eventOf(id: string, project: string, timestampUs = 1n): LogEvent {
  return { id, hasGeneratedId: false, timestampUs, eventMessage: null, fields: { project } };
}

/** A server that stores each id once, refuses some, and may be away. */
class Server {
  isAway = false;
  isDropped = false;
  readonly refused = new Set<string>();
  stored: LogEvent[] = [];
  /** Is waited for in each append, before it stores anything. */
  enter: () => Promise<void> = async () => undefined;
  readonly store = {
    describe: (name: string) => (this.#isGone(name) ? undefined : { tenantField: "project" }),
    append: async (name: string, events: readonly LogEvent[]) => {
      await this.enter();
      if (this.#isGone(name)) throw new EngineError("unknown_source", "gone");
      if (this.isAway) throw new EngineError("unavailable", "away", { isLost: true });
      if (events.some(({ id }) => this.refused.has(id))) throw new EngineError("internal", "what is this");
      const fresh = events.filter(({ id }) => !this.stored.some((each) => each.id === id));
      this.stored.push(...fresh);
      return { stored: fresh.length, repeated: events.length - fresh.length };
    },
    countEvents: async (_source: string, filter: EventFilter) => this.#matching(filter).length,
    deleteEvents: async (_source: string, filter: EventFilter) => {
      if (this.isAway) throw new EngineError("unavailable", "away");
      const gone = this.#matching(filter);
      this.stored = this.stored.filter((each) => !gone.includes(each));
      return { matched: gone.length, deleted: gone.length };
    },
    dropSource: async () => {
      if (this.isAway) throw new EngineError("unavailable", "away");
      this.stored = [];
      this.isDropped = true;
    },
  } as unknown as EventStore;

  get ids(): readonly string[] {
    return this.stored.map(({ id }) => id).sort();
  }

  #isGone(name: string): boolean {
    return this.isDropped && name === source;
  }

  #matching(filter: EventFilter): LogEvent[] {
    return this.stored.filter((each) => passesFilter(filter, keyOf(path, each)));
  }
}

async function openBench(server: Server, folder?: string) {
  const place = folder ?? (await mkdtemp(join(tmpdir(), "spool-deletions-")));
  const spool = await Spool.open({
    ...{ folder: place, maxBytes: 1_000_000, store: server.store, flush: async () => undefined, log: () => undefined },
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
  });
  const emptied = () => expect.poll(() => spool.isWaiting).toBe(false);
  return { folder: place, spool, store: spoolStore(server.store, spool), emptied };
}

const ofA: EventFilter = { tenants: { of: ["a"] } };

/** All that the folder holds, as text. */
async function textIn(folder: string): Promise<string> {
  return (await readStoredTexts(folder)).join("\n");
}

describe("a deletion of events that wait for the server", () => {
  it("reaches those of a queue that a service found at its start, and none that came later", async () => {
    const server = new Server();
    server.isAway = true;
    const first = await openBench(server);
    await first.store.append(source, [eventOf("1", "a"), eventOf("2", "b")], never());
    await first.store.append("other", [eventOf("3", "a")], never());
    expect(await first.store.countEvents(source, ofA)).toBe(1);
    // The server's own are left, and the caller has to repeat the call.
    await expect(first.store.deleteEvents(source, ofA)).rejects.toMatchObject({ code: "unavailable" });
    await first.store.append(source, [eventOf("4", "a")], never());
    await first.spool.close();
    const second = await openBench(server, first.folder);
    server.isAway = false;
    await second.emptied();
    expect(server.ids).toEqual(["2", "3", "4"]);
    expect(await second.store.deleteEvents(source, ofA)).toEqual({ matched: 2, deleted: 2 });
    await second.spool.close();
    // Lines are numbered from 0 again.
    expect(await readdir(first.folder)).not.toContain("deletions.json");
  });

  it("is the removal of their source too: none is in one that is made by its name", async () => {
    const server = new Server();
    server.refused.add("1");
    server.isAway = true;
    const { store, spool, emptied, folder } = await openBench(server);
    await store.append(source, [eventOf("1", "a"), eventOf("2", "b")], never());
    await expect(store.dropSource(source)).rejects.toMatchObject({ code: "unavailable" });
    server.isAway = false;
    await emptied();
    expect([server.ids, spool.refused.events]).toEqual([["2"], 1]);
    server.isAway = true;
    await store.append(source, [eventOf("3", "a")], never());
    await store.append("other", [eventOf("4", "a")], never());
    server.isAway = false;
    await store.dropSource(source);
    server.isDropped = false;
    await emptied();
    server.refused.clear();
    await retryRefused(folder);
    await spool.takeRetried();
    await emptied();
    expect([server.ids, spool.refused.events]).toEqual([["4"], 0]);
    await spool.close();
  });

  it("reaches those that are being sent at the moment", async () => {
    const server = new Server();
    server.isAway = true;
    const { store, spool, emptied } = await openBench(server);
    await store.append(source, [eventOf("1", "a"), eventOf("2", "b")], never());
    let go: () => void = () => undefined;
    const entered = new Promise<void>((resolve) => {
      server.enter = () => {
        resolve();
        return new Promise((goes) => {
          go = goes;
        });
      };
    });
    server.isAway = false;
    await entered;
    const deleting = store.deleteEvents(source, ofA);
    server.enter = async () => undefined;
    // Let it be noted first: what was sent is deleted on the server.
    await new Promise((resolve) => setImmediate(resolve));
    go();
    await deleting;
    await emptied();
    expect(server.ids).toEqual(["2"]);
    await spool.close();
  });

  it("reaches those that the server refuses, also once they are sent again", async () => {
    const server = new Server();
    server.isAway = true;
    const { store, spool, emptied, folder } = await openBench(server);
    server.refused.add("1").add("2").add("3");
    await store.append(source, [eventOf("1", "a"), eventOf("2", "b"), eventOf("3", "a"), eventOf("4", "b")], never());
    server.isAway = false;
    await emptied();
    await expect.poll(() => spool.refused.events).toBe(3);
    expect(await store.countEvents(source, { id: "1" })).toBe(1);
    expect(await store.deleteEvents(source, { id: "1" })).toEqual({ matched: 1, deleted: 1 });
    expect(spool.refused.events).toBe(2);
    await retryRefused(folder);
    expect((await store.deleteEvents(source, ofA)).deleted).toBe(1);
    server.refused.clear();
    await spool.takeRetried();
    await emptied();
    await expect.poll(() => server.ids).toEqual(["2", "4"]);
    await spool.close();
    expect(await textIn(folder)).not.toMatch(/"[13]"/);
  });

  describe("beside other work on the spool", () => {
    const tenants = ["a", "b", "c", "d", "e"];
    const ofTenant = (tenant: string): EventFilter => ({ tenants: { of: [tenant] } });
    const events = tenants.map((tenant) => eventOf(tenant, tenant));

    async function openWithRefused() {
      const server = new Server();
      server.isAway = true;
      const bench = await openBench(server);
      for (const tenant of tenants) server.refused.add(tenant);
      await bench.store.append(source, events, never());
      server.isAway = false;
      await bench.emptied();
      await expect.poll(() => bench.spool.refused.events).toBe(tenants.length);
      return { server, ...bench };
    }

    it("of other tenants holds for the queue, also after a restart", async () => {
      const server = new Server();
      server.isAway = true;
      const first = await openBench(server);
      await first.store.append(source, events, never());
      const deleting = tenants.map((tenant) => first.store.deleteEvents(source, ofTenant(tenant)));
      for (const each of await Promise.allSettled(deleting)) {
        expect(each).toMatchObject({ reason: { code: "unavailable" } });
      }
      await first.spool.close();
      const second = await openBench(server, first.folder);
      server.isAway = false;
      await second.emptied();
      expect(server.ids).toEqual([]);
      await second.spool.close();
    });

    it("of other tenants holds for what the server refuses", async () => {
      const { server, store, spool, folder, emptied } = await openWithRefused();
      await Promise.all(tenants.map((tenant) => store.deleteEvents(source, ofTenant(tenant))));
      expect(spool.refused.events).toBe(0);
      server.refused.clear();
      await retryRefused(folder);
      await spool.takeRetried();
      await emptied();
      expect(server.ids).toEqual([]);
      await spool.close();
    });

    it("holds for what is taken back to be sent again meanwhile", async () => {
      const { server, store, spool, folder, emptied } = await openWithRefused();
      server.refused.clear();
      await retryRefused(folder);
      await Promise.all([store.deleteEvents(source, ofA), spool.takeRetried()]);
      await emptied();
      expect(server.ids).toEqual(["b", "c", "d", "e"]);
      await spool.close();
    });

    it("holds for what the server refuses meanwhile", async () => {
      for (let turns = 0; turns < 12; turns++) {
        const server = new Server();
        server.isAway = true;
        const { store, spool, emptied } = await openBench(server);
        server.refused.add("a");
        await store.append(source, events, never());
        const refusing = new Promise<void>((resolve) => {
          server.enter = async () => resolve();
        });
        server.isAway = false;
        await refusing;
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        await store.deleteEvents(source, ofA);
        await emptied();
        expect([turns, spool.refused.events]).toEqual([turns, 0]);
        await spool.close();
      }
    });
  });

  it("leaves what a plain filter leaves, with appends, deletions and restarts in any order", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("append" as const), id: fc.nat(20), project: fc.constantFrom("a", "b") }),
      fc.record({ kind: fc.constant("delete" as const), project: fc.constantFrom("a", "b"), toUs: fc.bigInt(0n, 20n) }),
      fc.record({ kind: fc.constant("restart" as const) }),
      fc.record({ kind: fc.constant("return" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const server = new Server();
        server.isAway = true;
        let bench = await openBench(server);
        const left = new Map<string, LogEvent>();
        for (const each of steps) {
          if (each.kind === "append") {
            const event = eventOf(`${each.project}${each.id}`, each.project, BigInt(each.id));
            await bench.store.append(source, [event], never());
            left.set(event.id, event);
          } else if (each.kind === "delete") {
            const filter: EventFilter = { tenants: { of: [each.project] }, toUs: each.toUs };
            await bench.store.deleteEvents(source, filter).catch(() => undefined);
            for (const [id, event] of left) {
              if (event.fields.project === each.project && event.timestampUs < each.toUs) left.delete(id);
            }
          } else if (each.kind === "restart") {
            await bench.spool.close();
            bench = await openBench(server, bench.folder);
          } else {
            server.isAway = false;
            await bench.emptied();
            server.isAway = true;
            expect(server.ids).toEqual([...left.keys()].sort());
            // What is stored there is not the spool's any more.
            left.clear();
            server.stored = [];
          }
        }
        server.isAway = false;
        await bench.emptied();
        expect(server.ids).toEqual([...left.keys()].sort());
        await bench.spool.close();
      }),
      { numRuns: sampleSize(10, 300) },
    );
  });
});
