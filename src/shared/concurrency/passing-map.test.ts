import { describe, expect, it } from "vitest";
import { createPassingMap } from "./passing-map.ts";

describe("a passing map", () => {
  it("returns the value set last, until it is deleted", () => {
    const map = createPassingMap<string, number>();
    map.set("a", 1);
    map.set("a", 2);
    expect([map.get("a"), map.size]).toEqual([2, 1]);
    expect([map.delete("a"), map.delete("a"), map.get("a"), map.size]).toEqual([true, false, undefined, 0]);
  });

  it("retains the order of insertion, where a deleted key that is set again comes last", () => {
    const map = createPassingMap<string, number>();
    for (const [index, key] of ["a", "b", "c"].entries()) map.set(key, index);
    map.set("b", 10);
    map.delete("a");
    map.set("a", 11);
    expect([...map.entries()]).toEqual([
      ["b", 10],
      ["c", 2],
      ["a", 11],
    ]);
  });

  it("can be cleared during iteration", () => {
    const map = createPassingMap<string, number>();
    for (const key of ["a", "b", "c"]) map.set(key, 1);
    const seen: string[] = [];
    for (const [key] of map.entries()) {
      seen.push(key);
      map.clear();
    }
    expect([seen, map.size]).toEqual([["a"], 0]);
  });
});
