import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SchemaEntry } from "../../schema/schema-entry.ts";
import { type Decision, decide, type WrittenDecision } from "./decisions.ts";

const rules = { tenantField: null, fields: [] };
const entryOf = (path: string, number: number): SchemaEntry => ({
  role: "value",
  path,
  type: "INT64",
  column: `c${number}`,
});

function written(decisions: readonly Decision[]): readonly WrittenDecision[] {
  return decisions.map((decision, index) => ({ source: "s", id: `${index}`, decision }));
}

const make = (table: string): Decision => ({ kind: "make", table, entries: [], rules });
const grow = (table: string, base: number, path: string): Decision => ({
  kind: "grow",
  table,
  base,
  entries: [entryOf(path, base + 1)],
});

describe("the decisions of several nodes", () => {
  it("create a source once, with the table of the first node", () => {
    const { sources, taken } = decide(written([make("a"), make("b"), grow("b", 0, "x"), grow("a", 0, "y")]));
    expect([...taken]).toEqual(["0", "3"]);
    expect(sources.get("s")).toMatchObject({ table: "a", entries: [{ path: "y" }] });
  });

  it("are skipped if they assume an outdated schema", () => {
    const { sources, taken } = decide(written([make("a"), grow("a", 0, "x"), grow("a", 0, "y"), grow("a", 1, "y")]));
    expect([...taken]).toEqual(["0", "1", "3"]);
    expect(sources.get("s")?.entries.map((entry) => "column" in entry && entry.column)).toEqual(["c1", "c2"]);
  });

  it("about a dropped source do not affect the new source of the same name", () => {
    const drop: Decision = { kind: "drop", table: "a" };
    const { sources, taken } = decide(written([make("a"), drop, make("b"), grow("a", 0, "x"), drop]));
    expect([...taken]).toEqual(["0", "1", "2"]);
    expect(sources.get("s")).toMatchObject({ table: "b", entries: [] });
  });

  it("never assign one column to two fields", () => {
    const wish = fc.record({ base: fc.nat(4), path: fc.constantFrom("x", "y", "z") });
    fc.assert(
      fc.property(fc.array(wish), (wishes) => {
        const { sources } = decide(written([make("a"), ...wishes.map(({ base, path }) => grow("a", base, path))]));
        const columns = sources.get("s")?.entries.map((entry) => "column" in entry && entry.column) ?? [];
        expect(new Set(columns).size).toBe(columns.length);
      }),
    );
  });
});
