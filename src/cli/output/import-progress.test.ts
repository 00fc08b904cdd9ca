import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { createImportProgress } from "./import-progress.ts";

function draw(isTTY: boolean, totalBytes: number | undefined): string {
  const stream = Object.assign(new PassThrough(), { isTTY });
  let nowMs = 0;
  const progress = createImportProgress(stream, totalBytes, () => nowMs);
  for (const lines of [1_000, 2_000, 3_000]) {
    nowMs += 500;
    progress.update(lines, lines * 10);
  }
  progress.end();
  return String(stream.read());
}

it("the import progress redraws a bar with the rate on a terminal", () => {
  const text = draw(true, 60_000);
  expect(text.split("\r").at(-1)).toBe(`[${"#".repeat(15)}${"-".repeat(15)}] 50%  3,000 events, 2,000 events/s\n`);
  expect(text.match(/\n/g)).toHaveLength(1);
});

it("the import progress writes lines elsewhere, without a bar when the total is unknown", () => {
  expect(draw(false, undefined)).toBe("3,000 events, 2,000 events/s\n");
});
