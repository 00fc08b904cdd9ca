import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventKey } from "../engines/contract/query-engine.ts";
import type { Backend, DrainedEvent, DrainRule } from "./backend.ts";
import { deliver, newDeliveryState } from "./delivery.ts";
import type { DrainAnswer, DrainRequest } from "./destinations/send-request.ts";
import { type Journal, openJournal } from "./journal.ts";
import { openPosition, type Position } from "./position.ts";

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
const rule: DrainRule = { id: "r", backendId: "b", source: "edge", lql: "", createdAtMs: 0 };
/** The tests need no durability. */
const flush = async () => undefined;
const keys = (count: number): EventKey[] =>
  Array.from({ length: count }, (_, index) => ({ id: `e${index}`, timestampUs: BigInt(index) }));
const idsOf = ({ body }: DrainRequest) => (JSON.parse(body) as { id: string }[]).map(({ id }) => id);

interface Run {
  readonly journal: Journal;
  readonly position: Position;
  /** What the destination does with a request. */
  readonly answer: (ids: readonly string[]) => DrainAnswer;
  /** Stops once no keys are left, or after this number of pauses. */
  readonly maxPauses?: number;
  readonly keep?: (id: string) => boolean;
}

/** Delivers until no keys are left. Returns the events taken, the pauses, the warnings and the state. */
async function run({ journal, position, answer, maxPauses = 1_000, keep = () => true }: Run) {
  const ending = new AbortController();
  const taken: string[] = [];
  const pauses: number[] = [];
  const warnings: string[] = [];
  const state = newDeliveryState();
  const watched: Position = {
    get number() {
      return position.number;
    },
    async moveTo(number) {
      await position.moveTo(number);
      if (number >= journal.end) ending.abort();
    },
    remove: () => position.remove(),
  };
  if (position.number === journal.end) ending.abort();
  await deliver(
    {
      rule,
      backend,
      journal,
      position: watched,
      reader: {
        read: async (_source, _lql, wanted) =>
          wanted.filter(({ id }) => keep(id)).map(({ id }): DrainedEvent => ({ id })),
      },
      send: async (request) => {
        const ids = idsOf(request);
        const answered = answer(ids);
        if (answered.kind === "taken") taken.push(...ids);
        return answered;
      },
      clock: {
        nowMs: () => 0,
        random: () => 1,
        sleep: async (ms) => {
          pauses.push(ms);
          if (pauses.length >= maxPauses) ending.abort();
        },
      },
      state,
      warn: (message) => warnings.push(message),
    },
    ending.signal,
  );
  return { taken, pauses, warnings, state };
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
      { numRuns: 20 },
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
    for (const text of ["", "x", "12345\n"]) {
      await writeFile(path, text);
      const position = await openPosition(path, journal.first);
      const { taken } = await run({ journal, position, answer: () => ({ kind: "taken" }), maxPauses: 1 });
      expect([text, taken]).toEqual([text, keys(5).map(({ id }) => id)]);
    }
    await journal.close();
  });
});
