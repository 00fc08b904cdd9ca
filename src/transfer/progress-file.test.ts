import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ProgressFile } from "./progress-file.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-progress-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const route = { from: "a", to: "b" };
const keyOf = (startUs: bigint) => ({ source: "s", startUs, widthUs: 10n });
const slice = { from: "1 f", to: "1 t", events: 1, digest: "00", others: 0 };

describe("the progress file of a move", () => {
  it("restores all complete lines after a truncation at any position", () => {
    const path = join(folder, "cut.ndjson");
    const file = ProgressFile.open(path, route);
    for (const start of [0n, 10n, 20n]) file.note(keyOf(start), slice);
    file.noteState("digest");
    const whole = readFileSync(path);
    for (let end = whole.length; end > 60; end -= 7) {
      writeFileSync(path, whole.subarray(0, end));
      const lines = whole.subarray(0, end).toString().split("\n");
      const again = ProgressFile.open(path, route);
      // A line is complete even without its line break.
      const isWhole = (text: string) => lines.some((line) => line === text);
      const texts = whole.toString().split("\n");
      for (const [index, start] of [0n, 10n, 20n].entries()) {
        expect(again.find(keyOf(start))).toEqual(isWhole(texts[index + 1] ?? "") ? slice : undefined);
      }
      again.note(keyOf(30n), slice);
      expect(ProgressFile.reading(path, route).find(keyOf(30n))).toEqual(slice);
    }
  });

  it("starts anew for other stores, and leaves an unrelated file unchanged", () => {
    const path = join(folder, "other.ndjson");
    ProgressFile.open(path, route).note(keyOf(0n), slice);
    expect(ProgressFile.reading(path, { ...route, to: "c" }).find(keyOf(0n))).toBeUndefined();
    expect(ProgressFile.open(path, { ...route, to: "c" }).find(keyOf(0n))).toBeUndefined();
    writeFileSync(path, '{"my":"notes"}\n');
    expect(() => ProgressFile.open(path, route)).toThrow(/holds something else.*move it away/);
    expect(readFileSync(path, "utf8")).toBe('{"my":"notes"}\n');
  });
});
