import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { findsAll, foundOf } from "../../test/support/drains/rules.ts";
import { sampleSize } from "../../test/support/sample-size.ts";
import type { EventKey } from "../engines/contract/query-engine.ts";
import type { Backend, DrainRule } from "./backend.ts";
import { ByteBudget } from "./byte-budget.ts";
import { deliver, newDeliveryState } from "./delivery.ts";
import type { DrainAnswer, DrainRequest } from "./destinations/send-request.ts";
import { type Journal, openJournal, type WaitingKey } from "./journal.ts";
import { openPosition as openAt, type Position, sumOf } from "./position.ts";
import { openPositionLog, type PositionLog } from "./position-log.ts";
import type { EventReader } from "./read-events.ts";
import { SharedReads } from "./shared-reads.ts";

const makeTemporaryFolder = (name: string) => mkdtemp(join(tmpdir(), `${name}-`));

const backend: Backend = {
  id: "b",
  name: "hook",
  description: "",
  type: "webhook",
  config: { url: "http://127.0.0.1/", headers: {}, gzip: false },
  metadata: {},
  createdAtMs: 0,
  updatedAtMs: 0,
};
const rule: DrainRule = { id: "r", backendId: "b", source: "edge", lql: "x", createdAtMs: 0 };
const serviceId = "0123456789abcdef";
/** The tests need no durability. */
const flush = async () => undefined;
const keys = (count: number): EventKey[] =>
  Array.from({ length: count }, (_, index) => ({ id: `e${index}`, timestampUs: BigInt(index), tenant: null }));
const opened: PositionLog[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));
const openPosition = async (folder: string, otherwise: number) => {
  const positions = await openPositionLog(folder, () => undefined);
  opened.push(positions);
  return openAt(positions.of(rule), otherwise, () => undefined);
};
const idsOf = ({ body }: DrainRequest) => (JSON.parse(body) as { id: string }[]).map(({ id }) => id);

interface Run {
  readonly journal: Journal;
  readonly position: Position;
  /** The destination's answer to a request; `forget` notes that events were deleted meanwhile. */
  readonly answer: (ids: readonly string[], forget: () => void) => DrainAnswer;
  /** Stops once no keys are left, or after this number of pauses. */
  readonly maxPauses?: number;
  readonly keep?: (id: string) => boolean;
  /** Throws what a read fails by. */
  readonly onRead?: (keys: readonly WaitingKey[]) => void;
  /** Ids that the store does not show, and whether they are known to be removed. */
  readonly absent?: ReadonlyMap<string, boolean>;
  readonly memory?: ByteBudget;
  readonly onPause?: () => Promise<void>;
  /** By how much the clock is set ahead at each pause. */
  readonly leapMs?: number;
}

/** Delivers until no keys are left. Returns the events taken, the pauses, the warnings and the state. */
async function run({ journal, position, answer, maxPauses = 1_000, keep = () => true, ...read }: Run) {
  const ending = new AbortController();
  const taken: string[] = [];
  const pauses: number[] = [];
  const warnings: string[] = [];
  const state = newDeliveryState();
  let nowMs = 0;
  const reader: EventReader = {
    ...findsAll,
    find: async (_source, { keys: wanted }) => {
      read.onRead?.(wanted);
      return new Map(wanted.filter(({ id }) => !read.absent?.has(id)).map((key) => [key, [foundOf(key)]]));
    },
    match: async (_source, _lqls, events) => new Map(events.map((each) => [each, keep(each.id) ? "1" : "0"])),
  };
  const reads = new SharedReads(reader, serviceId, () => nowMs);
  if (position.number === journal.end) ending.abort();
  await deliver(
    {
      rule,
      backend,
      journal,
      position,
      onAdvance: () => {
        if (position.number >= journal.end) ending.abort();
      },
      reads,
      serviceId,
      maySend: () => true,
      memory: read.memory ?? new ByteBudget(64_000_000),
      isRemoved: ({ id }) => read.absent?.get(id) === true,
      graceMs: 10_000,
      send: async (request) => {
        const ids = idsOf(request);
        const answered = answer(ids, () => reads.forget(journal));
        if (answered.kind === "taken") taken.push(...ids);
        return answered;
      },
      clock: {
        nowMs: () => nowMs + pauses.length * (read.leapMs ?? 0),
        steadyMs: () => nowMs,
        random: () => 1,
        sleep: async (ms) => {
          pauses.push(ms);
          await read.onPause?.();
          nowMs += ms;
          if (pauses.length >= maxPauses) ending.abort();
        },
      },
      state,
      warn: (message) => warnings.push(message),
    },
    ending.signal,
  );
  return { taken, pauses, warnings, state: { ...state, ...position.tally } };
}

async function open(count: number) {
  const folder = await makeTemporaryFolder("delivery");
  const journal = await openJournal({ flush, folder });
  await journal.note(keys(count));
  return { journal, path: `${folder}/position`, position: await openPosition(`${folder}/position`, 0) };
}

describe("deliver", () => {
  it("delivers every event at least once and in order, despite failures and restarts", async () => {
    const outcome = fc.constantFrom("taken", "failed", "lost answer", "end");
    await fc.assert(
      fc.asyncProperty(
        fc.array(outcome, { maxLength: 30 }),
        fc.integer({ min: 1, max: 2_000 }),
        async (outcomes, count) => {
          const { journal, path } = await open(count);
          const seen: string[] = [];
          const script = [...outcomes];
          for (let isDone = false; !isDone; ) {
            // Each round is like a new process, which knows only what is on disk.
            const position = await openPosition(path, journal.first);
            let maxPauses = 1_000;
            const answer = (ids: readonly string[]): DrainAnswer => {
              const next = script.shift() ?? "taken";
              if (next !== "failed") seen.push(...ids);
              if (next === "end") maxPauses = 0;
              return next === "taken" ? { kind: "taken" } : { kind: "failed", reason: next };
            };
            await run({ journal, position, answer, maxPauses: Math.max(1, script.length === 0 ? 1_000 : maxPauses) });
            isDone = position.number >= journal.end;
          }
          const firsts = [...new Set(seen)];
          expect(firsts).toEqual(keys(count).map(({ id }) => id));
          await journal.close();
        },
      ),
      { numRuns: sampleSize(6, 100) },
    );
  });

  it("doubles the delay after each failure up to five minutes, or waits as long as the destination asks", async () => {
    const { journal, position } = await open(1);
    const failed = await run({ journal, position, answer: () => ({ kind: "failed", reason: "down" }), maxPauses: 12 });
    expect(failed.pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => seconds * 1_000));
    expect(failed.state).toMatchObject({ delivered: 0, failures: 12, lastError: "down" });
    expect(failed.warnings).toEqual(["events for hook wait: down"]);
    const asked = await run({
      journal,
      position,
      answer: () => ({ kind: "failed", reason: "busy", retryAfterMs: 30_000 }),
      maxPauses: 1,
    });
    expect(asked.pauses).toEqual([30_000]);
    await journal.close();
  });

  it("skips exactly the events that the destination refuses, and delivers the others", async () => {
    const { journal, position } = await open(700);
    const bad = new Set(["e3", "e250", "e251", "e699"]);
    const refusing = (ids: readonly string[]): DrainAnswer =>
      ids.some((id) => bad.has(id)) ? { kind: "refused", reason: "bad" } : { kind: "taken" };
    const { taken, state } = await run({ journal, position, answer: refusing });
    expect(taken).toEqual(
      keys(700)
        .map(({ id }) => id)
        .filter((id) => !bad.has(id)),
    );
    expect(state).toMatchObject({ delivered: 696, refused: 4, dropped: 0 });
    await journal.close();
  });

  it("sends no event that was deleted while those before it were sent", async () => {
    const { journal, position } = await open(8);
    const absent = new Map<string, boolean>();
    const asked: (readonly string[])[] = [];
    const { taken, pauses, state } = await run({
      journal,
      position,
      absent,
      answer: (ids, forget) => {
        asked.push(ids);
        if (ids.length === 8) return { kind: "refused", reason: "HTTP 400" };
        for (const id of ["e5", "e6"]) absent.set(id, true);
        forget();
        return { kind: "taken" };
      },
    });
    expect(asked).toEqual([
      ["e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7"],
      ["e0", "e1", "e2", "e3"],
      ["e4", "e7"],
    ]);
    expect([taken.length, state, pauses]).toMatchObject([6, { delivered: 6, removed: 2 }, []]);
  });

  it("sends no events that the query excludes, and advances past them", async () => {
    const { journal, position } = await open(1_200);
    const { taken, state } = await run({
      journal,
      position,
      answer: () => ({ kind: "taken" }),
      keep: (id) => id === "e1100",
    });
    expect(taken).toEqual(["e1100"]);
    expect(state.delivered).toBe(1);
    expect(position.number).toBe(1_200);
    await journal.close();
  });

  it("needs few requests where every event names other services, and repeats none that was taken", async () => {
    const folder = await makeTemporaryFolder("ways");
    const journal = await openJournal({ flush, folder });
    const position = await openPosition(join(folder, "position"), journal.end);
    const ways = Array.from({ length: 400 }, (_, index) => {
      return index % 4 === 0 ? [] : Array.from({ length: index % 33 }, (_, hop) => `${index * 100 + hop}`);
    });
    await journal.note(keys(400).map((key, index) => ({ ...key, hops: ways[index] ?? [] })));
    let requests = 0;
    const answer = (): DrainAnswer => {
      // The third fails once: what the first two took is not sent again.
      return ++requests === 3 ? { kind: "failed", reason: "down" } : { kind: "taken" };
    };
    const { taken } = await run({ journal, position, answer });
    const looped = ways.filter(({ length }) => length === 32).length;
    expect([...taken].sort()).toEqual(
      keys(400)
        .map(({ id }) => id)
        .filter((_, index) => ways[index]?.length !== 32)
        .sort(),
    );
    expect(position.tally).toMatchObject({ delivered: 400 - looped, looped, dropped: 0 });
    // After the failure, batches grow from a quarter.
    expect(requests).toBeLessThanOrEqual(3 * 14);
  });

  it("counts and reports events that the size limit dropped before delivery", async () => {
    const folder = await makeTemporaryFolder("delivery");
    const journal = await openJournal({ flush, folder, segmentBytes: 100 });
    for (const each of keys(100)) await journal.note([each]);
    const position = await openPosition(`${folder}/position`, 0);
    const dropped = await journal.dropOldest();
    expect(dropped).toBeGreaterThan(0);
    const { taken, state, warnings } = await run({ journal, position, answer: () => ({ kind: "taken" }) });
    expect(taken).toHaveLength(100 - dropped);
    expect(state.dropped).toBe(dropped);
    expect(warnings[0]).toContain(`${dropped} events of edge for hook were dropped`);
    await journal.close();
  });

  it("starts from the oldest event when its position is damaged or belongs to another journal", async () => {
    const { journal, path } = await open(5);
    for (const text of ["", "x", '["r","edge","12345"]']) {
      await writeFile(join(path, `${"0".repeat(16)}.positions`), `${text}\n`);
      const position = await openPosition(path, journal.first);
      const { taken } = await run({ journal, position, answer: () => ({ kind: "taken" }), maxPauses: 1 });
      expect([text, taken]).toEqual([text, keys(5).map(({ id }) => id)]);
    }
    await journal.close();
  });
});

describe("damaged keys", () => {
  it("are dropped and counted, whatever their file holds, and keep no others from being sent", async () => {
    const damage = fc.record({ file: fc.nat(), at: fc.nat(), cut: fc.nat(200), put: fc.string({ maxLength: 30 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (all) => {
        const folder = await makeTemporaryFolder("delivery");
        const before = await openJournal({ flush, folder, segmentBytes: 100 });
        for (let at = 0; at < 60; at += 10) await before.note(keys(60).slice(at, at + 10));
        await before.close();
        const files = (await readdir(folder)).sort();
        const damaged = new Set<number>();
        for (const { file, at, cut, put } of all) {
          damaged.add(file % files.length);
          const path = `${folder}/${files[file % files.length]}`;
          const text = await readFile(path, "latin1");
          const start = at % (text.length + 1);
          await writeFile(path, `${text.slice(0, start)}${put}${text.slice(start + cut)}`, "latin1");
        }
        const journal = await openJournal({ flush, folder, segmentBytes: 100 });
        const position = await openPosition(`${folder}/position`, 0);
        const { taken, pauses } = await run({ journal, position, answer: () => ({ kind: "taken" }) });
        expect([sumOf(position.tally), pauses]).toEqual([journal.end, []]);
        const whole = keys(60).filter((_, index) => !damaged.has(Math.floor(index / 10)));
        expect(taken).toEqual(expect.arrayContaining(whole.map(({ id }) => id)));
        await journal.close();
      }),
      { numRuns: sampleSize(6, 100) },
    );
  });
});

it("an event that the store does not show yet is not given up because the clock is set ahead", async () => {
  const absent = new Map([["e0", false]]);
  const none = { answer: () => ({ kind: "taken" }) as const, absent };
  const { state } = await run({ ...(await open(1)), ...none, leapMs: 3_600_000, maxPauses: 3 });
  expect(state.dropped).toBe(0);
  expect((await run({ ...(await open(1)), ...none })).state.dropped).toBe(1);
});

describe("the memory of all rules", () => {
  it("is free while a rule pauses, whatever has failed", async () => {
    const failures: readonly Partial<Run>[] = [
      { answer: () => ({ kind: "failed", reason: "away", retryAfterMs: 300_000 }) },
      { absent: new Map([["e0", false]]) },
      {
        onRead: () => {
          throw new Error("no engine");
        },
      },
    ];
    for (const failure of failures) {
      const memory = new ByteBudget(1_000_000);
      const free: number[] = [];
      const onPause = async () => {
        const wish = { owner: "other", most: Number.POSITIVE_INFINITY, least: 1 };
        const lease = await memory.take(wish, new AbortController().signal);
        free.push(lease.byteCount * 8);
        lease.release();
      };
      await run({ ...(await open(3)), answer: () => ({ kind: "taken" }), maxPauses: 2, memory, onPause, ...failure });
      expect(free).toEqual([1_000_000, 1_000_000]);
    }
  });

  it("is taken before events are held for a request", async () => {
    const { journal, position } = await open(3);
    const memory = new ByteBudget(100_000);
    const lease = await memory.take({ owner: backend.id, most: 1, least: 1 }, new AbortController().signal);
    let requests = 0;
    const answer = (): DrainAnswer => {
      requests++;
      return { kind: "taken" };
    };
    const running = run({ journal, position, answer, memory });
    for (let turn = 0; turn < 50; turn++) await new Promise((next) => setImmediate(next));
    expect(requests).toBe(0);
    lease.release();
    expect((await running).taken).toEqual(["e0", "e1", "e2"]);
  });
});
