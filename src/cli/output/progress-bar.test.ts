import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { createImportProgress, createProgressBar } from "./progress-bar.ts";

function draw(isTTY: boolean): string {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const bar = createProgressBar(stream, "Filling");
  for (const done of [0, 4, 5, 500, 1_000]) bar.update(done, 1_000);
  bar.end();
  return String(stream.read());
}

it("the progress bar redraws one line on a terminal", () => {
  const text = draw(true);
  expect(text.split("\r").at(-1)).toBe(`Filling [${"#".repeat(30)}]100%  1,000 of 1,000\n`);
  expect(text.match(/\n/g)).toHaveLength(1);
});

it("the progress bar writes a line for each step of at least a tenth elsewhere", () => {
  expect(draw(false)).toBe("Filling:  0%  0 of 1,000\nFilling: 50%  500 of 1,000\nFilling:100%  1,000 of 1,000\n");
});

function drawImport(isTTY: boolean, totalBytes: number | undefined): string {
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
  const text = drawImport(true, 60_000);
  expect(text.split("\r").at(-1)).toBe(`[${"#".repeat(15)}${"-".repeat(15)}] 50%  3,000 events, 2,000 events/s\n`);
  expect(text.match(/\n/g)).toHaveLength(1);
});

it("the import progress writes lines elsewhere, without a bar when the total is unknown", () => {
  expect(drawImport(false, undefined)).toBe("3,000 events, 2,000 events/s\n");
});
