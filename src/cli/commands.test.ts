import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Outcome, runCommand } from "../../test/support/run-command.ts";

const answers: Record<string, unknown> = {
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
  "POST /api/sources": { name: "shop", kind: "own", aliases: [], newest_event: null },
  "GET /api/backends": [
    {
      id: "b1",
      name: "pager",
      type: "webhook",
      config: { url: "http://h/" },
      status: [{ waiting: 3, last_error: "down" }],
    },
  ],
  "POST /api/query/parse": {
    result: {
      explain: [
        { runs_on: "clickhouse", sql: "SELECT 1" },
        { runs_on: "duckdb", sql: "SELECT 2", reason: "Function F has no form in ClickHouse", line: 1, column: 8 },
      ],
    },
  },
  "POST /api/backends": { id: "b1", name: "pager" },
  "DELETE /api/backends/b1": {},
  "GET /api/rules": [{ id: "r1", backend_id: "b1", source: "edge", lql_string: "error" }],
  "POST /api/rules": { id: "r1", backend_id: "b1", source: "edge", lql_string: "" },
  "DELETE /api/rules/r1": {},
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

const environment = () => ({ LOGWEIR_URL: url, LOGWEIR_TOKEN: "secret" });

function run(...args: string[]): Promise<Outcome> {
  return runCommand(args, { environment: environment() });
}

describe("commands that talk to a service", () => {
  it.each([
    [["cache", "clear"], "3 answers were dropped.\n"],
    [["cache", "clear", "a b"], "1 answer was dropped.\n"],
    [["endpoint", "list"], /^NAME.*\nlogs\.all +u1 +2 +project\n$/],
    [["endpoint", "get", "logs.all"], /^version +2\n.*\n\nSELECT 1\n$/m],
    [["source", "list"], /^edge +edge +2026-08-20T09:00:00.000000Z +cdn$/m],
    [["source", "schema", "edge"], /^metadata\.n +INT64$/m],
    [["source", "create", "shop", "--tenant", "project"], /^The source shop was made\./],
    [
      ["explain", "--sql", "SELECT F(1)"],
      "clickhouse:\n  SELECT 1\nduckdb, because of Function F has no form in ClickHouse (line 1, column 8):\n  SELECT 2\n",
    ],
    [["explain", "--endpoint", "logs.all"], /^clickhouse:/],
    [["explain", "logs.all", "--parameters", '{"project": "p"}'], /^clickhouse:/],
    [["backend", "list"], /^b1 +pager +webhook +http:\/\/h\/ +3 +down$/m],
    [["backend", "create", "pager", "--to", "http://h/"], /^The backend pager was made\./],
    [["backend", "delete", "pager"], "The backend pager was deleted, with its rules.\n"],
    [["rule", "list"], /^r1 +pager +edge +error$/m],
    [["rule", "create", "pager", "--source", "edge"], "Events of edge go to pager from now on.\n"],
    [["rule", "delete", "r1"], "The rule was deleted.\n"],
  ])("print the result of %j in readable form", async (args, expected) => {
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
  ])("print the response itself for %j --json", async (args, call) => {
    expect(JSON.parse((await run(...args, "--json")).output)).toEqual(answers[call]);
  });

  it("report a missing option or an unknown backend", async () => {
    expect((await run("backend", "create", "x")).errors).toMatch(/needs --to/);
    expect((await run("rule", "create", "pager")).errors).toMatch(/needs --source/);
    expect((await run("backend", "delete", "nope")).errors).toMatch(/There is no backend nope/);
    expect((await run("backend", "create", "x", "--to", "http://h/", "--config", "/nowhere")).errors).toMatch(
      /nowhere/,
    );
  });

  it("print the service's error message and fail", async () => {
    expect(await run("source", "schema", "nope")).toMatchObject({
      code: 1,
      output: "",
      errors: "There is no such thing\nLook again.\n",
    });
  });
});

describe("the command health", () => {
  it("succeeds without a token when the service is healthy", async () => {
    answers["GET /health"] = { status: "ok" };
    expect(await run("health")).toEqual({ code: 0, output: `The service at ${url} works\n`, errors: "" });
    expect(seen.at(-1)).toBe("GET /health undefined");
    expect(JSON.parse((await run("health", "--json")).output)).toEqual({ url, status: 200 });
  });

  it("succeeds and prints why when the service is degraded", async () => {
    answers["GET /health"] = { status: "degraded", reasons: ["one", "two"] };
    const output = `The service at ${url} works, but is degraded: one; two\n`;
    expect(await run("health")).toEqual({ code: 0, output, errors: "" });
  });

  it("fails when the service is unhealthy or does not answer", async () => {
    delete answers["GET /health"];
    expect(await run("health")).toMatchObject({ code: 1, errors: expect.stringContaining("does not work: 404") });
    const nowhere = await run("health", "--url", "http://127.0.0.1:1");
    expect(nowhere).toMatchObject({ code: 1, errors: "No service answers at http://127.0.0.1:1\n" });
  });
});

describe("the command completion", () => {
  it.each(["bash", "zsh", "fish"])("for %s completes commands, subcommands and options", async (shell) => {
    const { code, output } = await run("completion", shell);
    expect(code).toBe(0);
    for (const word of ["serve", "token", "revoke", "schema", "pin", "logweir"]) expect(output).toContain(word);
  });

  it.each([
    ["logweir so", ["source"]],
    ["logweir token ", ["create", "list", "revoke", "rotate", "--help"]],
    ["logweir token create --pi", ["--pin"]],
    ["logweir cache clear --j", ["--json"]],
  ])("for bash completes %j", async (line, expected) => {
    const { output } = await run("completion", "bash");
    const words = line.split(" ");
    const script =
      `${output}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; ` +
      `_logweir; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split(" ")).toEqual(expected);
  });

  it("for another shell is refused", async () => {
    expect(await run("completion", "tcsh")).toMatchObject({
      code: 1,
      errors: expect.stringContaining("bash, zsh, fish"),
    });
  });
});
