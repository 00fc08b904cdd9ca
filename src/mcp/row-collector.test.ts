import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutputColumn } from "../engines/contract/query-engine.ts";
import { answerBounds, RowCollector } from "./row-collector.ts";

const columns: readonly OutputColumn[] = [
  { name: "at", type: { kind: "TIMESTAMP" } },
  { name: "v", type: { kind: "MIXED" } },
];
const lines = { head: "", write: (row: string) => `${row}\n` };
const collect = (...rows: readonly string[]) => {
  const collector = new RowCollector(columns, lines);
  for (const row of rows) if (!collector.take(row)) break;
  return { ...collector.taken(), isFull: collector.isFull, count: collector.count };
};

describe("RowCollector", () => {
  it("writes timestamps as ISO 8601 in the text, and leaves them in the rows", () => {
    const { text, rows } = collect('{"at":1787049999500001,"v":"1787049999500001"}', '{"at":null,"v":1}');
    expect(text).toBe('{"at":"2026-08-18T10:46:39.500001Z","v":"1787049999500001"}\n{"at":null,"v":1}\n');
    expect(rows).toEqual([
      { at: 1787049999500001, v: "1787049999500001" },
      { at: null, v: 1 },
    ]);
  });

  it("has numbers that doubles do not hold as texts", () => {
    const { rows } = collect('{"at":1,"v":[{"a":9007199254740993,"b":[1e999],"c":1.5}]}');
    expect(rows).toEqual([{ at: 1, v: [{ a: "9007199254740993", b: ["1e999"], c: 1.5 }] }]);
  });

  it("cuts each text that is too long, at any depth, between characters, and counts them", () => {
    const size = answerBounds.valueCharacters;
    const [fits, long] = ["x".repeat(size), `${"x".repeat(size - 1)}\u{1f600}"`];
    const { rows, cutValues } = collect(JSON.stringify({ at: 1, v: [{ fits, long, more: [long] }] }));
    const cut = `${"x".repeat(size - 1)}... (cut: ${size + 2} characters in all)`;
    expect(rows).toEqual([{ at: 1, v: [{ fits, long: cut, more: [cut] }] }]);
    expect(cutValues).toBe(2);
  });

  it("cuts texts of any length", () => {
    const { rows } = collect(JSON.stringify({ at: null, v: ["x".repeat(16_000_000), "\\".repeat(16_000_000)] }));
    expect(JSON.stringify(rows)).toMatch(/^\[\{"at":null,"v":\["x{2000}\.\.\. \(cut: 16000000 .*","\\{4000}\.\.\. /);
  });

  it("takes rows up to the bound, by whichever of text and data is longer, and none behind", () => {
    const row = (length: number) => JSON.stringify({ at: null, v: "x".repeat(length) });
    const size = row(1_000).length + 1;
    const most = Math.floor(answerBounds.characters / size);
    const all = Array.from({ length: most + 5 }, () => row(1_000));
    expect(collect(...all)).toMatchObject({ count: most, isFull: true });
    expect(collect(...all.slice(0, most))).toMatchObject({ count: most, isFull: false });
    const none = collect(`{"at":1,"v":[${"1,".repeat(answerBounds.characters / 2)}1]}`);
    expect(none).toMatchObject({ count: 0, isFull: true, text: "" });
  });

  it("never exceeds its bound, and keeps what is not cut as it was", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.json().map(JSON.parse), fc.constant("y".repeat(5_000)));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 30 }), (values) => {
        const { text, rows, cutValues } = collect(...values.map((v) => JSON.stringify({ at: null, v })));
        expect(text.length).toBeLessThanOrEqual(answerBounds.characters);
        if (cutValues === 0) {
          const kept = values.slice(0, rows.length).map((v) => JSON.parse(JSON.stringify({ at: null, v })) as object);
          expect(rows).toEqual(kept);
        }
      }),
    );
  });
});
