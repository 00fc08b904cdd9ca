import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createContext, outputOf } from "../../test/support/run-command.ts";
import { createPaint } from "./output/paint.ts";

const help = (...words: string[]) => outputOf([...words, "--help"], {});

/** Every command without sub-commands. */
async function findCommands(words: readonly string[] = []): Promise<readonly string[][]> {
  const list = /^Commands:\n((?: {2}.*\n)+)/m.exec(await help(...words))?.[1];
  if (list === undefined) return [[...words]];
  const names = [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "help");
  return (await Promise.all(names.map((name) => findCommands([...words, name])))).flat();
}

const commands = await findCommands();

describe("the command line", () => {
  it("has the commands that docs/cli.md documents", () => {
    const names = commands.map((words) => words.join(" "));
    expect(names).toEqual(
      expect.arrayContaining(["serve", "token rotate", "endpoint apply", "openapi", "source schema", "tail", "config"]),
    );
    const page = readFileSync("docs/cli.md", "utf8");
    expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });

  it.each(commands.map((words) => words.join(" ")))("shows an example in the help of %s", async (command) => {
    const text = await help(...command.split(" "));
    expect(text).toMatch(new RegExp(`\nExamples:\n(?: {2}.*\n)* {2}.*logweir ${command}`));
    const isSilent = ["serve", "completion", "mcp"].includes(command);
    if (!isSilent) expect(text).toContain("--json");
  });
});

describe("createPaint", () => {
  it("colours on a terminal only, unless colours are turned off", () => {
    const paint = (isTTY: boolean, environment: Record<string, string>) => {
      const output = Object.assign(new PassThrough(), { isTTY });
      return createPaint({ ...createContext({ environment }).context, output })("red", "x");
    };
    expect(paint(true, {})).toBe("\u001b[31mx\u001b[0m");
    expect([paint(false, {}), paint(true, { NO_COLOR: "1" }), paint(true, { TERM: "dumb" })]).toEqual(["x", "x", "x"]);
  });
});
