import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDeadline } from "./deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a deadline", () => {
  it("aborts when its time is over", () => {
    const deadline = openDeadline(new AbortController().signal, 1_000);
    vi.advanceTimersByTime(999);
    expect([deadline.signal.aborted, deadline.isOver]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([deadline.signal.aborted, deadline.isOver]).toEqual([true, true]);
  });

  it("aborts with the given signal and its reason, and leaves no timer behind", () => {
    const caller = new AbortController();
    const deadline = openDeadline(caller.signal, 1_000);
    caller.abort("gone");
    expect([deadline.signal.reason, deadline.isOver, vi.getTimerCount()]).toEqual(["gone", false, 0]);
  });

  it("is aborted from the start when the given signal is aborted", () => {
    const deadline = openDeadline(AbortSignal.abort("gone before"), 1_000);
    expect([deadline.signal.reason, deadline.isOver, vi.getTimerCount()]).toEqual(["gone before", false, 0]);
  });

  it("is not aborted by anything after its release", () => {
    const caller = new AbortController();
    const deadline = openDeadline(caller.signal, 1_000);
    deadline.release();
    expect(vi.getTimerCount()).toBe(0);
    caller.abort();
    expect(deadline.signal.aborted).toBe(false);
  });
});
