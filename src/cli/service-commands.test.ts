import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tail } from "./commands/tail.ts";
import type { CliContext } from "./context.ts";
import { runCli } from "./run-cli.ts";

const answers: Readonly<Record<string, unknown>> = {
  "POST /api/cache/clear": { cleared: 3 },
  "POST /api/cache/clear?endpoint=a%20b": { cleared: 1 },
  "GET /api/endpoints": [
    {
      id: "u1",
      name: "logs.all",
      description: null,
      version: 2,
      parameters: { project: { type: "string", required: true } },
    },
  ],
  "GET /api/endpoints/logs.all": { id: "u1", name: "logs.all", version: 2, query: "SELECT 1", parameters: {} },
  "GET /api/sources": [{ name: "edge", kind: "edge", aliases: ["cdn"], newest_event: "2026-08-20T09:00:00.000000Z" }],
  "GET /api/sources/edge/schema": { name: "edge", fields: [{ path: "metadata.n", type: "INT64" }] },
};

const seen: string[] = [];
let url = "";
const server = createServer((request, response) => {
  const call = `${request.method} ${request.url}`;
  seen.push(`${call} ${String(request.headers["x-api-key"])}`);
  const answer = answers[call];
  if (answer === undefined) response.writeHead(404);
  response.end(JSON.stringify(answer ?? { error: { message: "There is no such thing", hint: "Look again." } }));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
});

function makeContext(): CliContext & { readonly output: PassThrough; readonly errors: PassThrough } {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const environment = { LOGWEIR_URL: url, LOGWEIR_TOKEN: "secret" };
  return {
    input: Readable.from([]),
    output,
    errors,
    packageDir: process.cwd(),
    workingDir: process.cwd(),
    environment,
  };
}

async function run(
  ...args: string[]
): Promise<{ readonly code: number; readonly output: string; readonly errors: string }> {
  const context = makeContext();
  const code = await runCli(args, context);
  const read = (stream: PassThrough) => (stream.read() as Buffer | null)?.toString() ?? "";
  return { code, output: read(context.output), errors: read(context.errors) };
}

describe("commands that talk to a service", () => {
  it.each([
    [["cache", "clear"], "3 answers were dropped.\n"],
    [["cache", "clear", "a b"], "1 answer was dropped.\n"],
    [["endpoint", "list"], /^NAME.*\nlogs\.all +u1 +2 +project\n$/],
    [["endpoint", "get", "logs.all"], /^version +2\n.*\n\nSELECT 1\n$/m],
    [["source", "list"], /^edge +edge +2026-08-20T09:00:00.000000Z +cdn$/m],
    [["source", "schema", "edge"], /^metadata\.n +INT64$/m],
  ])("%j prints what it was told", async (args, expected) => {
    const { code, output, errors } = await run(...args);
    expect([code, errors]).toEqual([0, ""]);
    if (typeof expected === "string") expect(output).toBe(expected);
    else expect(output).toMatch(expected);
    expect(seen.at(-1)).toMatch(/ secret$/);
  });

  it.each([
    [["cache", "clear"], "POST /api/cache/clear"],
    [["endpoint", "list"], "GET /api/endpoints"],
    [["endpoint", "get", "logs.all"], "GET /api/endpoints/logs.all"],
    [["source", "list"], "GET /api/sources"],
    [["source", "schema", "edge"], "GET /api/sources/edge/schema"],
  ])("%j --json prints the answer itself", async (args, call) => {
    expect(JSON.parse((await run(...args, "--json")).output)).toEqual(answers[call]);
  });

  it("tell what the service says is wrong, and fail", async () => {
    expect(await run("source", "schema", "nope")).toMatchObject({
      code: 1,
      output: "",
      errors: "There is no such thing\nLook again.\n",
    });
  });
});

describe("tail", () => {
  it("prints events oldest first, each once, and goes on where it was", async () => {
    const stop = new AbortController();
    const asked: string[] = [];
    const event = (id: string, second: number) => ({
      id,
      timestamp: 1_787_216_400_000_000 + second * 1e6,
      event_message: `m\n${id}`,
    });
    const pages = [[event("b", 2), event("a", 1)], [event("c", 3), event("b", 2)], []];
    const service = createServer((request, response) => {
      asked.push(String(request.url));
      response.end(JSON.stringify({ result: pages[asked.length - 1] ?? [] }));
      if (asked.length === pages.length) stop.abort();
    });
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    const context = makeContext();
    await tail("edge", { url: `http://127.0.0.1:${(service.address() as AddressInfo).port}` }, context, stop.signal);
    service.close();
    expect((context.output.read() as Buffer).toString().split("\n")).toEqual([
      "2026-08-20T09:00:01.000000Z  m a",
      "2026-08-20T09:00:02.000000Z  m b",
      "2026-08-20T09:00:03.000000Z  m c",
      "",
    ]);
    expect(asked[0]).toBe("/api/sources/edge/events?limit=10");
    expect(asked[1]).toBe("/api/sources/edge/events?limit=1000&after=2026-08-20T08:59:52.000000Z");
  });
});

describe("completion", () => {
  it.each(["bash", "zsh", "fish"])("of %s knows commands, what follows them, and options", async (shell) => {
    const { code, output } = await run("completion", shell);
    expect(code).toBe(0);
    for (const word of ["serve", "token", "revoke", "schema", "pin", "logweir"]) expect(output).toContain(word);
  });

  it.each([
    ["logweir so", ["source"]],
    ["logweir token ", ["create", "list", "revoke", "rotate", "--help"]],
    ["logweir token create --pi", ["--pin"]],
    ["logweir cache clear --j", ["--json"]],
  ])("of bash completes %j", async (line, expected) => {
    const { output } = await run("completion", "bash");
    const words = line.split(" ");
    const script = `${output}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _logweir; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split(" ")).toEqual(expected);
  });

  it("of another shell is refused", async () => {
    expect(await run("completion", "tcsh")).toMatchObject({
      code: 1,
      errors: expect.stringContaining("bash, zsh, fish"),
    });
  });
});
