import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fillWithSampleEvents } from "../../src/demo/fill-with-sample-events.ts";
import { privateToken, type Service, startService } from "../acceptance/service.ts";
import { startDestination } from "../support/destination.ts";

const page = "docs/guide-versioned-endpoint-in-ci.md";
const firstSteps = "docs/first-steps.md";

interface Block {
  readonly language: string;
  /** The file that the block is the content of. */
  readonly file: string | undefined;
  readonly text: string;
}

/** The fenced blocks of a page. What follows the language on the first line is a file's name. */
const blocksOf = (path: string) =>
  [...readFileSync(path, "utf8").matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
    ([, language = "", file, text = ""]): Block => ({ language, file, text }),
  );
const blocks = blocksOf(page);
const commands = blocks.filter(({ language, file }) => language === "sh" && file === undefined);

let service: Service;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "logweir-guide-"));
  service = await startService({ env: { LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.1" } });
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
    TOKEN: privateToken,
  };
  return new Promise((done) => {
    execFile("bash", ["--norc", "-euo", "pipefail", "-c", script], { cwd: folder, env }, (error, output, errors) => {
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

describe("first steps", () => {
  it("find the incident of the sample day by their commands, and are told of it", async () => {
    await fillWithSampleEvents({ url: service.url, token: privateToken, nowMs: Date.now() });
    const hook = await startDestination();
    const outputs: string[] = [];
    for (const { language, text } of blocksOf(firstSteps)) {
      // The listener is this test's.
      if (language !== "sh" || text.includes("createServer")) continue;
      const here = text.replaceAll("http://127.0.0.1:4000", service.url).replaceAll("http://127.0.0.1:9000/", hook.url);
      const { code, output } = await run(here);
      expect(code, `${here}\n${output}`).toBe(0);
      outputs.push(output);
    }
    const [paths = "", roles = "", database = "", token = "", asked = "", alert = ""] = outputs;
    expect(JSON.parse(paths).result[0]).toMatchObject({ project: "shopfront", path: "/rest/v1/orders" });
    const failing = JSON.parse(roles).result.filter(({ failures }: { failures: number }) => failures > 0);
    expect(failing.map(({ role }: { role: string }) => role)).toEqual(["authenticated"]);
    expect(failing[0].failures).toBe(failing[0].requests);
    expect(JSON.parse(database).result.map(({ event_message: text }: { event_message: string }) => text)).toEqual([
      expect.stringContaining("drop function current_customer()"),
      "function current_customer() does not exist",
    ]);
    expect(JSON.parse(token).pins).toEqual({ project: "shopfront" });
    expect(asked).toContain('{"path":"/rest/v1/orders","failures":');
    expect(JSON.parse(alert).name).toBe("failing paths");
    await expect.poll(() => hook.taken.map(({ body }) => JSON.parse(body))).toHaveLength(1);
    expect(JSON.parse(hook.taken[0]?.body ?? "")).toMatchObject({
      status: "firing",
      labels: { project: "shopfront", path: "/rest/v1/orders" },
    });
    await hook.close();
  });
});
