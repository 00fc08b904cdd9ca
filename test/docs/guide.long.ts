import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateToken, type Service, startService } from "../acceptance/service.ts";

const page = "docs/guide-versioned-endpoint-in-ci.md";

interface Block {
  readonly language: string;
  /** The file that the block is the content of. */
  readonly file: string | undefined;
  readonly text: string;
}

/** The fenced blocks of the page. What follows the language on the first line is a file's name. */
const blocks = [...readFileSync(page, "utf8").matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
  ([, language = "", file, text = ""]): Block => ({ language, file, text }),
);
const commands = blocks.filter(({ language, file }) => language === "sh" && file === undefined);

let service: Service;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "logweir-guide-"));
  service = await startService();
  // On the path, as after an installation.
  mkdirSync(join(folder, ".bin"));
  const program = join(folder, ".bin", "logweir");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${resolve("dist/logweir.js")}" "$@"\n`);
  chmodSync(program, 0o755);
});

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(script: string): Promise<{ readonly code: number; readonly output: string }> {
  const env = {
    PATH: `${join(folder, ".bin")}:${process.env.PATH}`,
    LOGWEIR_URL: service.url,
    LOGWEIR_TOKEN: privateToken,
  };
  return new Promise((done) => {
    execFile("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env }, (error, output, errors) => {
      done({ code: Number(error?.code ?? 0), output: output + errors });
    });
  });
}

describe("the guide from a query to CI", () => {
  it("works as written, from the first command to the last", async () => {
    for (const { language, file, text } of blocks) {
      if (file !== undefined) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), text);
      } else if (language === "sh") {
        const { code, output } = await run(text);
        expect(code, `${text}\n${output}`).toBe(0);
      }
    }
    expect(commands.length).toBeGreaterThan(8);
  });

  it("uses the commands in CI that it explains", () => {
    const ci = blocks.find(({ language, file }) => language === "yaml" && file === undefined)?.text ?? "";
    const shown = [...ci.matchAll(/^ {2}- (logweir .*)$/gm)].map(([, command = ""]) => command);
    const explained = commands.flatMap(({ text }) => text.split("\n"));
    expect(shown.length).toBe(4);
    expect(shown.filter((command) => !explained.includes(command))).toEqual([]);
  });
});
