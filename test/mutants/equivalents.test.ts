import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface Equivalent {
  readonly file: string;
  readonly line: string;
  readonly replacement: string;
  readonly reason: string;
}

const equivalents = JSON.parse(readFileSync(new URL("equivalents.json", import.meta.url), "utf8")) as Equivalent[];

it("equivalents.json names only existing lines, each with a reason", () => {
  const stale = equivalents.filter(({ file, line, reason }) => {
    const lines = readFileSync(file, "utf8").split("\n");
    return reason.length < 20 || !lines.some((each) => each.trim() === line);
  });
  expect(stale).toEqual([]);
});
