import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AlertPlan } from "./alert.ts";
import { advance, type FoundGroup, type Notice } from "./alert-state.ts";
import {
  addWaiting,
  mayShow,
  noState,
  readState,
  type StoredState,
  takeBack,
  withoutDestination,
} from "./stored-state.ts";

const rules = { id: "a", name: "n", forMs: 0, remindMs: undefined, silencedUntilMs: undefined };
const keys = ["one", "two"];
const destinations: AlertPlan["destinations"] = keys.map((id) => ({ type: "backend", id }));

/** An alert whose notices wait for two destinations. */
function open() {
  let state: StoredState = noState;
  let nowMs = 0;
  const told: { readonly to: string; readonly notice: Notice }[] = [];
  return {
    told,
    get state() {
      return state;
    },
    /** The rows are the number of the epoch. */
    run(groups: readonly string[], epoch: number) {
      nowMs += 1_000;
      const found = groups.map((key): FoundGroup => {
        return { key, labels: { key }, value: undefined, message: `of ${epoch}`, rows: `[${epoch}]`, rowCount: 1 };
      });
      const step = advance(rules, state, { kind: "found", groups: found, sources: ["s"] }, nowMs);
      state = { ...state, ...step.state, ...addWaiting(state, step.notices, keys, { sources: ["s"] }) };
    },
    send(to: string) {
      const next = state.waiting.find((each) => each.to.includes(to));
      if (next === undefined) return false;
      told.push({ to, notice: next.notice });
      const waiting = state.waiting.flatMap((each) => (each === next ? withoutDestination(each, to) : each));
      state = { ...state, waiting };
      return true;
    },
    forget(source = "s") {
      state = takeBack({ id: "a", destinations }, readState(JSON.stringify(state)), mayShow(source)) ?? state;
    },
  };
}

type Step = { readonly run: readonly string[] } | { readonly send: string } | "forget";
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ run: fc.subarray(["x", "y"]) }),
  fc.record({ send: fc.constantFrom(...keys) }),
  fc.constant("forget" as const),
);

describe("what waits when events are deleted", () => {
  it("shows nothing of them, and each destination is told of what fires, and of the end of what it was told", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.subarray(["x", "y"]), (steps, last) => {
        const alert = open();
        let epoch = 0;
        for (const each of steps) {
          const before = alert.told.length;
          if (each === "forget") {
            epoch++;
            alert.forget();
          } else if ("run" in each) alert.run(each.run, epoch);
          else alert.send(each.send);
          for (const { notice } of alert.told.slice(before)) expect(["[]", `[${epoch}]`]).toContain(notice.rows);
        }
        alert.run(last, epoch);
        for (const to of keys) while (alert.send(to));
        for (const to of keys) {
          const firing = new Map<string, Set<string>>();
          for (const { notice } of alert.told.filter((each) => each.to === to)) {
            const incidents = firing.get(String(notice.labels.key)) ?? new Set();
            firing.set(String(notice.labels.key), incidents);
            if (notice.status === "firing") incidents.add(notice.incident);
            else expect(incidents.delete(notice.incident)).toBe(true);
          }
          const open = [...firing].filter(([, incidents]) => incidents.size > 0).map(([key]) => key);
          expect(open.sort()).toEqual([...last].sort());
        }
      }),
    );
  });

  it("stays where it is of other sources", () => {
    const alert = open();
    alert.run(["x"], 0);
    alert.forget("another");
    expect(alert.state.waiting).toHaveLength(1);
    alert.forget();
    expect(alert.state.waiting).toEqual([]);
  });

  it("counts as dropped where it is over", () => {
    const alert = open();
    alert.run(["x"], 0);
    alert.run([], 0);
    alert.forget();
    expect([alert.state.waiting, alert.state.droppedCount]).toEqual([[], 1]);
  });
});

describe("what waits", () => {
  const notice = (id: number, length: number) => {
    return { id: String(id), rows: "x".repeat(length), message: "" } as unknown as Notice;
  };
  const idsOf = (of: readonly { readonly notice: Notice }[]) => of.map(({ notice }) => notice.id);

  it("is 1,000 notices at most, the newest", () => {
    const thousand = addWaiting(
      noState,
      Array.from({ length: 1_000 }, (_, id) => notice(id, 0)),
      keys,
    );
    expect([thousand.waiting.length, thousand.droppedCount]).toEqual([1_000, 0]);
    const more = addWaiting({ ...noState, ...thousand }, [notice(1_000, 0)], keys);
    expect([more.waiting.length, idsOf(more.waiting)[0], more.droppedCount]).toEqual([1_000, "1", 1]);
  });

  it("is four million characters at most", () => {
    const full = addWaiting(noState, [notice(1, 1_000_000), notice(2, 1_000_000), notice(3, 2_000_000)], keys);
    expect([idsOf(full.waiting), full.droppedCount]).toEqual([["1", "2", "3"], 0]);
    const more = addWaiting({ ...noState, ...full }, [notice(4, 1)], keys);
    expect([idsOf(more.waiting), more.droppedCount]).toEqual([["2", "3", "4"], 1]);
  });
});
