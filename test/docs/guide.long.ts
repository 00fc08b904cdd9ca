import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadAlerts } from "../../src/alerts/load-alerts.ts";
import { fillWithSampleEvents } from "../../src/demo/fill-with-sample-events.ts";
import { privateToken, type Service, startService } from "../acceptance/service.ts";
import { startDestination } from "../support/destination.ts";
import { connectMcp } from "../support/mcp/connect.ts";

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

/** Runs a command that prints JSON. */
async function ask(script: string): Promise<Record<string, unknown>> {
  const { code, output } = await run(`{ ${script}\n} 2>/dev/null`);
  expect(code, script).toBe(0);
  return JSON.parse(output) as Record<string, unknown>;
}
const here = (text: string) => text.replaceAll("http://127.0.0.1:4000", service.url);

describe("the page of alerts", () => {
  const blocks = blocksOf("docs/alerts.md");
  const block = (language: string) => blocks.find((each) => each.language === language)?.text ?? "";

  it("has an alert that the API takes, and a file that holds one", async () => {
    expect(await ask(here(block("sh")))).toMatchObject({ name: "failing paths", enabled: true });
    const [, path = ""] = /^# (\S+)$/m.exec(block("yaml")) ?? [];
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), block("yaml"));
    expect(await loadAlerts(join(folder, dirname(path)))).toMatchObject([
      { form: { name: "failing-paths", group_by: ["path"] } },
    ]);
  });

  it("has a function that knows the notices of an alert by their signature", async () => {
    const hook = await startDestination();
    const notify = [{ type: "webhook", url: hook.url, secret: "abc" }];
    const alert = JSON.stringify({ name: "signed", every: "1h", sql: "SELECT 1 AS n", notify });
    await ask(
      `curl -sf -H "X-API-KEY: $TOKEN" -H 'Content-Type: application/json' ${service.url}/api/alerts -d '${alert}'`,
    );
    await expect.poll(() => hook.taken).toHaveLength(1);
    writeFileSync(join(folder, "signed.mjs"), block("js"));
    const { isSigned } = await import(/* @vite-ignore */ join(folder, "signed.mjs"));
    const [{ headers, body } = { headers: {}, body: "" }] = hook.taken;
    expect([
      isSigned("abc", headers, body),
      isSigned("abd", headers, body),
      isSigned("abc", headers, `${body} `),
    ]).toEqual([true, false, false]);
    expect(isSigned("abc", { ...headers, "logweir-timestamp": "1" }, body)).toBe(false);
    await hook.close();
  });
});

it("the page of drains has a destination and a rule that the API takes", async () => {
  const [, text = ""] = /^```sh\n(.*?)^```$/ms.exec(readFileSync("docs/drains.md", "utf8")) ?? [];
  const [backend = "", rule = ""] = text.split("\n\n");
  const { id } = await ask(here(backend));
  expect(await ask(here(rule).replace('"ID"', JSON.stringify(id)))).toMatchObject({ backend_id: id });
});

/** How a client of MCP reaches the service: by an address, or by a program. */
interface Settings {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

it("the page of MCP has settings by which a client connects", async () => {
  const entries = blocksOf("docs/mcp.md")
    .filter(({ language }) => language === "json")
    .map(({ text }) => JSON.parse(text) as Partial<Record<"mcpServers" | "servers", { readonly logweir: Settings }>>);
  const servers = entries.flatMap(({ mcpServers, servers }) => mcpServers?.logweir ?? servers?.logweir ?? []);
  expect(servers).toHaveLength(3);
  for (const { url, headers, args } of servers) {
    if (url === undefined) {
      // A program, which test/acceptance/mcp.test.ts starts.
      expect(args).toEqual(["mcp"]);
      continue;
    }
    const names = Object.keys(headers ?? {});
    const sent = Object.fromEntries(names.map((name) => [name, privateToken]));
    const client = await connectMcp(here(url).replace(/\/mcp$/, ""), sent);
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name)).toContain("logs.all");
    await client.close();
  }
});
