import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { confirm } from "./confirm.ts";

function ask(answer: string, isTTY: boolean): Promise<boolean | undefined> {
  const input = Object.assign(new PassThrough(), { isTTY });
  const errors = Object.assign(new PassThrough(), { isTTY });
  input.write(`${answer}\n`);
  return confirm("Apply this?", { input, output: errors, errors, packageDir: "", workingDir: "", environment: {} });
}

describe("confirm", () => {
  it.each([
    ["y", true],
    [" Yes ", true],
    ["n", false],
    ["", false],
    ["yesterday", false],
  ])("reads the answer %j as %s", async (answer, expected) => {
    expect(await ask(answer, true)).toBe(expected);
  });

  it("does not ask without a terminal", async () => {
    expect(await ask("y", false)).toBeUndefined();
  });
});
