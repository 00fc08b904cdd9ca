import { describe, expect, it } from "vitest";
import { createFlights } from "./flights.ts";

/** Work that the test ends, and the signals that it was given. */
function setUp() {
  const flights = createFlights<string>();
  const runs: { readonly signal: AbortSignal; succeed(text: string): void; fail(error: Error): void }[] = [];
  const work = (signal: AbortSignal) =>
    new Promise<string>((succeed, fail) => void runs.push({ signal, succeed, fail }));
  const join = (key: string, controller = new AbortController()) => flights.join(key, work, controller.signal);
  return { runs, join };
}

describe("work that several callers wait for", () => {
  it("runs once by key while somebody waits, and anew afterwards", async () => {
    const { runs, join } = setUp();
    const answers = [join("a"), join("a"), join("b")];
    expect(runs).toHaveLength(2);
    runs[0]?.succeed("of a");
    runs[1]?.succeed("of b");
    expect(await Promise.all(answers)).toEqual(["of a", "of a", "of b"]);
    const next = join("a");
    expect(runs).toHaveLength(3);
    runs[2]?.fail(new Error("no"));
    await expect(next).rejects.toThrow("no");
    expect(runs.every(({ signal }) => !signal.aborted)).toBe(true);
    void join("a");
    expect(runs).toHaveLength(4);
  });

  it("goes on when one of them leaves, and is aborted with the reason of the last", async () => {
    const { runs, join } = setUp();
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [join("a", first), join("a", second)].map((each) => each.catch((error: unknown) => error));
    const [one, other] = [new Error("first left"), new Error("second left")];
    first.abort(one);
    expect(await waiting[0]).toBe(one);
    expect(runs[0]?.signal.aborted).toBe(false);
    second.abort(other);
    expect(await waiting[1]).toBe(other);
    expect(runs[0]?.signal.reason).toBe(other);
    // What is being aborted is joined by nobody; its error is nobody's either.
    const next = join("a");
    expect(runs).toHaveLength(2);
    runs[0]?.fail(other);
    runs[1]?.succeed("again");
    expect(await next).toBe("again");
  });

  it("is not begun for a caller that has left", async () => {
    const { runs, join } = setUp();
    const left = new AbortController();
    left.abort(new Error("left before"));
    await expect(join("a", left)).rejects.toThrow("left before");
    expect(runs).toHaveLength(0);
  });

  it("leaves no listener on its callers' signals", async () => {
    const { runs, join } = setUp();
    const controller = new AbortController();
    const calls: string[] = [];
    const { signal } = controller;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (type: string, ...rest: [never]) => {
      calls.push(`add ${type}`);
      add(type, ...rest);
    };
    signal.removeEventListener = (type: string, ...rest: [never]) => {
      calls.push(`remove ${type}`);
      remove(type, ...rest);
    };
    const answer = join("a", controller);
    runs[0]?.succeed("x");
    await answer;
    expect(calls).toEqual(["add abort", "remove abort"]);
  });
});
