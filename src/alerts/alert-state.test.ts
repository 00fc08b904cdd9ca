import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AlertState, advance, type FoundGroup, type Notice, type RunOutcome, startState } from "./alert-state.ts";

const rules = { id: "a", name: "n", forMs: 0, remindMs: undefined, silencedUntilMs: undefined };
type Rules = Omit<Parameters<typeof advance>[0], "remindMs" | "silencedUntilMs"> & {
  readonly remindMs: number | undefined;
  readonly silencedUntilMs: number | undefined;
};

const groupOf = (key: string): FoundGroup => ({
  ...{ key, labels: { key }, value: "1", message: `${key} is bad`, rows: '[{"n":1}]', rowCount: 1 },
});
const found = (...keys: string[]): RunOutcome => ({ kind: "found", groups: keys.map(groupOf), sources: [] });
const failed: RunOutcome = { kind: "failed", reason: "it broke" };

/** The notices of runs one second apart, as `time status key`. */
function tell(outcomes: readonly RunOutcome[], more: Partial<Rules> = {}): readonly string[] {
  let state: AlertState = startState;
  return outcomes.flatMap((outcome, second) => {
    const step = advance({ ...rules, ...more }, state, outcome, second * 1_000);
    state = step.state;
    return step.notices.map(({ status, labels, isReminder }) =>
      [second, status, labels.key, isReminder ? "again" : ""].join(" ").trim().replaceAll("  ", " "),
    );
  });
}

describe("an alert's state", () => {
  it("fires once for each group, and tells its end", () => {
    expect(tell([found(), found("x"), found("x", "y"), found("y"), found()])).toEqual([
      "1 firing x",
      "2 firing y",
      "3 resolved x",
      "4 resolved y",
    ]);
  });

  it("is pending until the condition has held for so long", () => {
    const held = [found("x"), found("x"), found(), found("x"), found("x"), found("x"), found()];
    expect(tell(held, { forMs: 2_000 })).toEqual(["5 firing x", "6 resolved x"]);
  });

  it("reminds as often as it is asked to", () => {
    const runs = Array.from({ length: 8 }, () => found("x"));
    expect(tell(runs, { remindMs: 3_000 })).toEqual(["0 firing x", "3 firing x again", "6 firing x again"]);
  });

  it("holds back what begins in a silence until that is over, and tells the end of what was told", () => {
    const silence = { silencedUntilMs: 3_000, remindMs: 1_000 };
    expect(tell([found("x"), found("x"), found("x"), found("x")], silence)).toEqual(["3 firing x"]);
    expect(tell([found("x"), found(), failed, found(), found()], silence)).toEqual([]);
    const { state } = advance(rules, startState, found("x"), 0);
    const { notices } = advance({ ...rules, ...silence }, state, found(), 1_000);
    expect(notices.map(({ status }) => status)).toEqual(["resolved"]);
  });

  it("tells once that it cannot run, leaves groups as they are meanwhile, and tells that it runs again", () => {
    expect(tell([found("x"), failed, failed, found("x"), found()])).toEqual([
      "0 firing x",
      "1 failing",
      "3 working",
      "4 resolved x",
    ]);
  });

  it("gives all notices of an incident one key, and each an id of its own", () => {
    const steps: Notice[] = [];
    let state: AlertState = startState;
    for (const [second, outcome] of [found("x"), found("x"), found(), found("x"), failed, found("x")].entries()) {
      const step = advance({ ...rules, remindMs: 1_000 }, state, outcome, second * 1_000);
      state = step.state;
      steps.push(...step.notices);
    }
    expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
    const incidents = steps.map(({ incident }) => incident);
    expect(incidents.map((each) => incidents.indexOf(each))).toEqual([0, 0, 0, 3, 4, 4, 3]);
  });

  it("survives being written as JSON between any two runs", () => {
    const outcomes = fc.array(
      fc.oneof(
        fc.constant(failed),
        fc.subarray(["x", "y", "z"]).map((keys) => found(...keys)),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(outcomes, fc.constantFrom(0, 2_000), fc.constantFrom(undefined, 2_000), (runs, forMs, remindMs) => {
        let [plain, stored]: AlertState[] = [startState, startState];
        for (const [second, outcome] of runs.entries()) {
          const all = { ...rules, forMs, remindMs };
          const one = advance(all, plain ?? startState, outcome, second * 1_000);
          const other = advance(all, stored ?? startState, outcome, second * 1_000);
          expect(other.notices).toEqual(one.notices);
          plain = one.state;
          stored = JSON.parse(JSON.stringify(other.state)) as AlertState;
        }
      }),
    );
  });

  it("alternates firing and resolved for each group, and fires only after a row of runs that meet the condition", () => {
    const runs = fc.array(fc.subarray(["x", "y"]), { maxLength: 20 });
    fc.assert(
      fc.property(runs, fc.integer({ min: 0, max: 4 }), (sets, seconds) => {
        const told = tell(
          sets.map((keys) => found(...keys)),
          { forMs: seconds * 1_000 },
        );
        for (const key of ["x", "y"]) {
          // A second, plain way: a run of true values that is longer than the wait.
          const expected: string[] = [];
          let length = 0;
          for (const [second, keys] of sets.entries()) {
            if (!keys.includes(key) && length > seconds) expected.push(`${second} resolved ${key}`);
            length = keys.includes(key) ? length + 1 : 0;
            if (length === seconds + 1) expected.push(`${second} firing ${key}`);
          }
          expect(told.filter((each) => each.endsWith(key))).toEqual(expected);
        }
      }),
    );
  });
});
