import { expect, it } from "vitest";
import { StatementGate } from "./statement-gate.ts";

/** Lets everything run that does not have to wait. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

it("the statement gate starts work once running statements end, and new statements after the work", async () => {
  const gate = new StatementGate(60_000);
  const seen: string[] = [];
  await gate.enter();
  await gate.enter();
  const pause = gate.pause(async () => {
    seen.push("work");
    await nextTurn();
    seen.push("work done");
  });
  const late = gate.enter().then(() => seen.push("late statement"));
  await nextTurn();
  gate.leave();
  await nextTurn();
  expect(seen).toEqual([]);
  gate.leave();
  expect(await pause).toBe(true);
  await late;
  expect(seen).toEqual(["work", "work done", "late statement"]);
});

it("the statement gate gives up on a statement that does not end in time, and returns false", async () => {
  const gate = new StatementGate(1);
  await gate.enter();
  expect(await gate.pause(nextTurn)).toBe(false);
  gate.leave();
  expect(await gate.pause(nextTurn)).toBe(true);
});

it("the statement gate admits statements again after the work failed", async () => {
  const gate = new StatementGate();
  await expect(gate.pause(() => Promise.reject(new Error("no room")))).rejects.toThrow("no room");
  await gate.enter();
  gate.leave();
});

it("the statement gate does a pause's work within another one, and waits for statements no longer than asked", async () => {
  const gate = new StatementGate(60_000);
  const seen: string[] = [];
  await gate.enter();
  const outer = gate.pause(async (isAlone) => {
    seen.push(`outer alone: ${isAlone}`);
    await gate.pause(async (isStillAlone) => void seen.push(`within it: ${isStillAlone}`));
    await nextTurn();
    seen.push("outer done");
  });
  await gate.pause(async (isAlone) => void seen.push(`beside it: ${isAlone}`), 1);
  const late = gate.enter().then(() => seen.push("late statement"));
  gate.leave();
  await Promise.all([outer, late]);
  expect(seen).toEqual(["beside it: false", "outer alone: true", "within it: true", "outer done", "late statement"]);
});
