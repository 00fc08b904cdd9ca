import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLoop, joinWays, readHops, serviceIdOf, writeHops } from "./hops.ts";

describe("hops", () => {
  it("are read as they were written, the last 32 of them", () => {
    const ids = Array.from({ length: 40 }, (_, index) => serviceIdOf(new Uint8Array(32).fill(index)));
    expect(new Set(ids).size).toBe(40);
    expect(readHops(writeHops(ids))).toEqual(ids.slice(-32));
    expect(readHops(ids.join(" ,"))).toEqual(ids.slice(-32));
    expect(readHops([ids[0] ?? "", ids[1] ?? ""])).toEqual(ids.slice(0, 2));
  });

  it("are none where a header has none, and leave out what is no id", () => {
    const id = serviceIdOf(new Uint8Array(32));
    for (const header of [undefined, "", ",", "x", `${id}0`, id.toUpperCase().replace(/^./, "Z")]) {
      expect(readHops(header)).toBeUndefined();
    }
    expect(readHops(`x, ${id}, ${"9".repeat(10_000)}`)).toEqual([id]);
  });

  it("name a service by an id that tells nothing of its key, the same on every node", () => {
    const key = Buffer.from("0123456789abcdef0123456789abcdef");
    expect(serviceIdOf(key)).toMatch(/^[0-9a-f]{16}$/);
    expect(serviceIdOf(key)).toBe(serviceIdOf(Buffer.from(key)));
    expect(key.toString("hex")).not.toContain(serviceIdOf(key));
  });

  it("end at the service itself, and after 32 services", () => {
    const own = serviceIdOf(new Uint8Array(32));
    const others = Array.from({ length: 32 }, (_, index) => String(index).padStart(16, "f"));
    expect(isLoop(undefined, own)).toBe(false);
    expect(isLoop(others.slice(0, 31), own)).toBe(false);
    expect(isLoop([own, ...others.slice(0, 3)], own)).toBe(true);
    expect(isLoop(others, own)).toBe(true);
  });

  it("are joined where they are many: no longer twice as long, never shorter, and the frequent ones as they are", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 31 }), { maxLength: 500 }), (ways) => {
        const joined = ways.map((hops) => joinWays(ways)(hops));
        expect(new Set(joined.map((hops) => hops.join())).size).toBeLessThanOrEqual(1 + 8 + 5);
        joined.forEach((hops, index) => {
          const { length } = ways[index] ?? [];
          expect(hops.length === 0 ? length === 0 : hops.length >= length && hops.length < 2 * length).toBe(true);
        });
      }),
      { numRuns: 30 },
    );
    const many = Array.from({ length: 100 }, (_, index) => [`x${index}`]);
    const frequent = ["a", "b"];
    expect(joinWays([...many, frequent, frequent])(frequent)).toBe(frequent);
    expect(joinWays([...many, frequent, frequent])(["x99"])).toEqual(["0000000000000000"]);
  });
});
