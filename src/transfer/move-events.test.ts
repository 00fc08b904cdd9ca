import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleSize } from "../../test/support/sample-size.ts";
import { oddEvents } from "../../test/support/transfer/odd-events.ts";
import { type Engine, EngineError, type LogEvent, type StoredEvents } from "../engines/contract/query-engine.ts";
import { openMemoryEngine } from "../engines/index.ts";
import { STRING } from "../googlesql/types.ts";
import { digestOf } from "./digest.ts";
import { type EventMove, moveEvents, type SliceReport } from "./move-events.ts";
import { ProgressFile } from "./progress-file.ts";
import { allTimes, type TargetStore } from "./stores.ts";
import { summarize } from "./summary.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-moving-"));
const signal = new AbortController().signal;
const route = { from: "one", to: "other" };
const definition = { tenantField: "project", knownFields: [{ path: "project", type: STRING }] };
const dayUs = 86_400_000_000n;

let one: Engine;
let other: Engine;
let made = 0;

beforeAll(async () => {
  [one, other] = await Promise.all([openMemoryEngine({ threads: 1 }), openMemoryEngine({ threads: 1 })]);
});

afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const eventsOf = ({ storedEvents }: Engine): StoredEvents => {
  if (storedEvents === undefined) throw new Error("The engine has no stored events");
  return storedEvents;
};

async function digestsIn(engine: Engine, source: string): Promise<readonly string[]> {
  const digests: string[] = [];
  for await (const events of eventsOf(engine).read(source, allTimes, signal)) digests.push(...events.map(digestOf));
  return digests.sort();
}

/** A source on both sides with events on the first, and a function that moves them. */
async function prepare(events: readonly LogEvent[], isWithTenants = true) {
  const source = `source_${++made}`;
  for (const engine of [one, other]) {
    await engine.store.ensureSource({ knownFields: [], ...(isWithTenants ? definition : {}), name: source });
  }
  await one.store.append(source, events, signal);
  const path = join(folder, `${source}.ndjson`);
  const to: TargetStore = {
    events: eventsOf(other),
    has: (name) => other.store.describe(name) !== undefined,
    append: async (name, batch, ending) => void (await other.store.append(name, batch, ending)),
  };
  const move = (more: Partial<EventMove> = {}) => {
    const from = { events: eventsOf(one), sourceNames: [source] };
    return moveEvents({ from, to, sources: [source], progress: ProgressFile.open(path, route), signal, ...more });
  };
  return { source, to, move };
}

const eventAt = (id: string, timestampUs: bigint, x: string | number = 1): LogEvent => {
  return { id, hasGeneratedId: false, timestampUs, eventMessage: "m", fields: { x } };
};

const sum = (reports: readonly SliceReport[], name: "moved" | "changed" | "missing") =>
  reports.reduce((total, { slice }) => total + (slice[name] ?? 0), 0);

describe("moved events", () => {
  it("are read back unchanged from the target, and can be moved back", async () => {
    await fc.assert(
      fc.asyncProperty(oddEvents, fc.boolean(), async (events, isWithTenants) => {
        const { source, move } = await prepare(events, isWithTenants);
        const reports = await move({ maxSliceEvents: 10 });
        expect(sum(reports, "moved")).toBe(events.length);
        expect(sum(reports, "changed") + sum(reports, "missing")).toBe(0);
        const digests = await digestsIn(one, source);
        expect(await digestsIn(other, source)).toEqual(digests);
        // And back, into a source that has them already: nothing is stored twice.
        for await (const batch of eventsOf(other).read(source, allTimes, signal)) {
          expect(await one.store.append(source, batch, signal)).toMatchObject({ stored: 0, repeated: batch.length });
        }
      }),
      { numRuns: sampleSize(3, 100) },
    );
  });

  it("are checked again only when one of the stores has changed", async () => {
    const { source, move } = await prepare([eventAt("a", 0n), eventAt("b", dayUs), eventAt("c", 2n * dayUs)]);
    expect(sum(await move(), "moved")).toBe(3);
    const again = await move();
    expect(again.map(({ slice }) => [slice.events, slice.moved])).toEqual([
      [1, undefined],
      [1, undefined],
      [1, undefined],
    ]);
    await one.store.append(source, [eventAt("d", dayUs + 5n)], signal);
    expect((await move()).map(({ slice }) => slice.moved)).toEqual([undefined, 1, undefined]);
    // Events that only the target has are reported, and stay there.
    await other.store.append(source, [eventAt("own", 0n)], signal);
    expect((await move()).map(({ slice }) => [slice.moved, slice.others])).toEqual([
      [0, 1],
      [undefined, 0],
      [undefined, 0],
    ]);
  });

  it("are moved again when the target has lost them", async () => {
    const { source, move } = await prepare([eventAt("a", 0n), eventAt("b", dayUs)]);
    await move();
    await other.store.deleteEvents(source, { toUs: dayUs });
    expect((await move()).map(({ slice }) => slice.moved)).toEqual([1, undefined]);
    expect(await digestsIn(other, source)).toEqual(await digestsIn(one, source));
  });

  it("are stored once even if moves are interrupted and resumed", async () => {
    const events = Array.from({ length: 24 }, (_, n) => eventAt(`${n}`, (BigInt(n) * dayUs) / 20n, n));
    const { source, to, move } = await prepare(events);
    let calls = 0;
    for (let cuts = 0; ; cuts++) {
      const failing: TargetStore = {
        ...to,
        async append(name, batch, ending) {
          calls++;
          if (calls % 5 === 1) throw new EngineError("internal", "cut before");
          await to.append(name, batch, ending);
          if (calls % 5 === 3) throw new EngineError("internal", "cut behind");
        },
      };
      const outcome = await move({ to: failing, maxSliceEvents: 5 }).catch((error: unknown) => error);
      if (!(outcome instanceof EngineError)) {
        expect(sum(outcome as readonly SliceReport[], "missing")).toBe(0);
        break;
      }
      expect(cuts).toBeLessThan(200);
    }
    const digests = await digestsIn(other, source);
    expect(digests).toHaveLength(24);
    expect(digests).toEqual(await digestsIn(one, source));
  });

  it("with other values in the target are reported, and in finished slices with comparesAll only", async () => {
    const events = [eventAt("a", 0n), eventAt("b", 1n), eventAt("c", dayUs)];
    const { source, to, move } = await prepare(events);
    await move();
    const altered: TargetStore = {
      ...to,
      events: {
        ...to.events,
        async *read(...call) {
          for await (const batch of to.events.read(...call)) {
            yield batch.map((event) => (event.id === "b" ? { ...event, fields: { x: "1" } } : event));
          }
        },
      },
    };
    expect(sum(await move({ to: altered }), "changed")).toBe(0);
    const [day] = summarize([await move({ to: altered, comparesAll: true })]);
    expect(day).toMatchObject({ source, day: "1970-01-01", events: 2, changed: 1, missing: 0, examples: ["b"] });
    // Reported by every pass from now on, although both stores report the same state as before.
    expect(sum(await move({ to: altered }), "changed")).toBe(1);
    await one.store.append(source, [eventAt("d", 2n)], signal);
    expect(sum(await move({ to: altered }), "changed")).toBe(1);
    // A slice with a problem is not considered finished.
    expect(sum(await move({ to: altered }), "changed")).toBe(1);
  });

  it("are reported as missing when the target did not store them", async () => {
    const { to, move } = await prepare([eventAt("a", 0n), eventAt("b", 1n)]);
    const forgetful: TargetStore = { ...to, append: async (name, batch, end) => to.append(name, batch.slice(1), end) };
    const reports = await move({ to: forgetful });
    expect([sum(reports, "moved"), sum(reports, "missing")]).toEqual([1, 1]);
    expect(sum(await move(), "moved")).toBe(1);
  });

  it("are only counted in a dry run", async () => {
    const { source, move } = await prepare([eventAt("a", 0n), eventAt("b", 1n)]);
    expect(sum(await move({ isDry: true }), "moved")).toBe(2);
    expect(await digestsIn(other, source)).toEqual([]);
    expect(sum(await move(), "moved")).toBe(2);
  });

  it("are retried while the target is busy", async () => {
    const { to, move } = await prepare([eventAt("a", 0n)]);
    let refusals = 0;
    const busy: TargetStore = {
      ...to,
      async append(...call) {
        if (++refusals < 3) throw new EngineError("overloaded", "busy");
        await to.append(...call);
      },
    };
    expect(sum(await move({ to: busy }), "moved")).toBe(1);
  });
});
