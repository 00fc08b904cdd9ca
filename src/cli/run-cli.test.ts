import { existsSync, mkdtempSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Outcome, runCommand } from "../../test/support/run-command.ts";
import { createAuthenticator } from "../access/authenticator.ts";
import { createAuditOutbox } from "../metadata/audit-outbox.ts";
import { openMetadata } from "../metadata/open-metadata.ts";
import { createTokenStore } from "../metadata/token-store.ts";

const workingDir = mkdtempSync(join(tmpdir(), "logweir-cli-"));

function run(args: readonly string[], environment: Record<string, string> = {}, input = ""): Promise<Outcome> {
  return runCommand(args, { environment, input, workingDir });
}

describe("the command line", () => {
  it("shows help with examples", async () => {
    const { code, output } = await run(["token", "create", "--help"]);
    expect(code).toBe(0);
    expect(output).toMatch(/Examples:\n {2}logweir token create --scope private/);
  });

  it.each([[["nonsense"]], [["token", "create"]], [["serve", "--nonsense"]], [["sql"]]])(
    "exits with 64 for the invalid arguments %j",
    async (args) => {
      const { code, errors } = await run(args);
      expect(code).toBe(64);
      expect(errors).not.toBe("");
    },
  );

  it("names an invalid setting without a stack trace", async () => {
    const { code, errors } = await run(["config"], { LOGWEIR_PORT: "high" });
    expect(code).toBe(1);
    expect(errors).toBe('LOGWEIR_PORT: must be an integer from 0 to 65535, not "high"\n');
  });

  it("prints the settings, and for secrets only that they are set", async () => {
    const environment = { LOGWEIR_PORT: "0", LOGWEIR_PRIVATE_TOKEN: "0123456789abcdef" };
    const { output } = await run(["config", "--json"], environment);
    expect(JSON.parse(output)).toMatchObject({
      port: { value: 0, origin: "environment" },
      host: { value: "127.0.0.1", origin: "default" },
      private_token: { value: "(set)", origin: "environment" },
      public_token: { value: null },
    });
    expect((await run(["config"], environment)).output).toMatch(/^port +0 +environment$/m);
  });

  it("answers a single query in the same form as a line of a batch", async () => {
    expect((await run(["parse", "SELECT 1"])).output).toBe('{"ok":true}\n');
    expect((await run(["parse", "--batch"], {}, '{"sql":"SELECT"}\n')).output).toContain('"ok":false');
  });
});

describe("token commands", () => {
  it("create tokens that the service accepts, list them without their value, and revoke them", async () => {
    const made = await run([
      "token",
      "create",
      "--scope",
      "query",
      "--scope",
      "ingest",
      "--pin",
      "project=a=b",
      "--pin",
      "tier=1",
      "--pin",
      "tier=2",
      "--pin",
      "zone^=eu^=",
      "--description",
      "mine",
      "--json",
    ]);
    expect(made.code).toBe(0);
    const created = JSON.parse(made.output) as { id: string; token: string };
    expect(created).toMatchObject({
      scopes: ["query", "ingest"],
      pins: { project: "a=b", tier: ["1", "2"], zone: { prefix: "eu^=" } },
      expires_at: null,
      status: "active",
    });
    const metadata = await openMetadata(join(workingDir, "data", "metadata.db"));
    let nowMs = Date.now();
    const authenticator = createAuthenticator(createTokenStore(metadata, Date.now), [], () => nowMs);
    expect(await authenticator.authenticate(created.token)).toMatchObject({
      tokenId: created.id,
      pins: { project: "a=b", tier: ["1", "2"], zone: { prefix: "eu^=" } },
    });
    const list = await run(["token", "list"]);
    expect(list.output).toMatch(
      new RegExp(`^${created.id} +active +query ingest +project=a=b tier=1 tier=2 zone\\^=eu\\^= +never +mine$`, "m"),
    );
    expect(list.output + (await run(["token", "list", "--json"])).output).not.toContain(created.token);
    expect((await run(["token", "revoke", created.id])).output).toContain("revoked");
    nowMs += 20;
    expect(await authenticator.authenticate(created.token)).toBeUndefined();
    await metadata.close();
    expect((await run(["token", "list"])).output).toMatch(new RegExp(`^${created.id} +revoked`, "m"));
  });

  it("print only the token on standard output", async () => {
    const { output, errors } = await run(["token", "create", "--scope", "private", "--expires", "30d"]);
    expect(output).toMatch(/^lw_[0-9a-f]{64}\n$/);
    expect(errors).toContain("shown this once");
  });

  it.each([
    [["--scope", "everything"], "There is no scope everything"],
    [["--scope", "query", "--pin", "project"], "a pinned parameter is written name=value, or name^=prefix"],
    [["--scope", "query", "--pin", "project^="], "a pinned parameter is written name=value, or name^=prefix"],
    [["--scope", "query", "--pin", "=a"], "a pinned parameter is written name=value, or name^=prefix"],
    [["--scope", "query", "--pin", "p=a", "--pin", "p^=a"], "p is pinned to values or to one prefix, not to both"],
    [["--scope", "query", "--pin", "p^=a", "--pin", "p^=b"], "p is pinned to values or to one prefix, not to both"],
    [["--scope", "query", ...[...Array(1_001).keys()].flatMap((n) => ["--pin", `p=${n}`])], "p: a parameter has 1000"],
    [["--scope", "private", "--pin", "project=a"], "a pinned token cannot have the scope private"],
    [["--scope", "query", "--expires", "soon"], "a lifetime is a number and"],
  ])("refuse to create a token with %j", async (args, message) => {
    const { code, errors } = await run(["token", "create", ...args]);
    expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
  });

  it("rotate a token with an optional grace period, and leave events for the audit", async () => {
    const made = JSON.parse((await run(["token", "create", "--scope", "query", "--json"])).output) as {
      id: string;
      token: string;
    };
    const rotated = await run(["token", "rotate", made.id, "--grace", "10m"]);
    expect(rotated.output).toMatch(/^lw_[0-9a-f]{64}\n$/);
    expect(rotated.errors).toContain("counts for 10m more");
    const metadata = await openMetadata(join(workingDir, "data", "metadata.db"));
    const authenticator = createAuthenticator(createTokenStore(metadata, Date.now), [], Date.now);
    const ids = [rotated.output.trim(), made.token].map(
      async (secret) => (await authenticator.authenticate(secret))?.tokenId,
    );
    expect(await Promise.all(ids)).toEqual([made.id, made.id]);
    const again = JSON.parse((await run(["token", "rotate", made.id, "--json"])).output) as { token: string };
    expect(await authenticator.authenticate(again.token)).toMatchObject({ tokenId: made.id });
    expect(await authenticator.authenticate(rotated.output.trim())).toBeUndefined();
    const left = await createAuditOutbox(metadata, Date.now).list();
    const events = left.map(({ event }) => JSON.parse(event) as { action: string; actor: string; target: string });
    const own = events.filter(({ target }) => target === made.id);
    expect(own.map(({ action, actor }) => `${actor} ${action}`)).toEqual([
      "command token.create",
      "command token.rotate",
      "command token.rotate",
    ]);
    expect(JSON.stringify(left)).not.toContain("lw_");
    await metadata.close();
  });

  it.each([
    [["rotate", "nobody"], "There is no token with the id nobody"],
    [["rotate", "nobody", "--grace", "soon"], "such as 10m"],
  ])("refuse %j", async (args, message) => {
    const { code, errors } = await run(["token", ...args]);
    expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
  });

  it("report an unknown token id", async () => {
    expect(await run(["token", "revoke", "nobody"])).toMatchObject({
      code: 1,
      errors: expect.stringContaining("nobody"),
    });
  });
});

describe("query", () => {
  async function withService(listener: RequestListener, work: (url: string) => Promise<void>): Promise<void> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.close();
    }
  }

  it("sends parameters, token and redaction, and prints a table or, with --json, the response", async () => {
    const seen: unknown[] = [];
    await withService(
      (request, response) => {
        let body = "";
        request.on("data", (chunk) => {
          body += String(chunk);
        });
        request.on("end", () => {
          seen.push([
            request.url,
            request.headers["x-api-key"],
            request.headers["lf-endpoint-redact-pii"],
            JSON.parse(body),
          ]);
          response.end('{"result":[{"id":"a","n":null,"m":[{"x":1}]},{"id":"long\\nid","n":2,"m":[]}]}');
        });
      },
      async (url) => {
        const environment = { LOGWEIR_URL: `${url}/`, LOGWEIR_TOKEN: "secret" };
        const args = ["query", "a b", "--param", "project=x=y", "--sql", "select 1", "--limit", "2"];
        const table = await run([...args, "--redact"], environment);
        expect(table.output).toBe('id       n  m\na           [{"x":1}]\nlong id  2  []\n');
        expect(table.errors).toBe("2 rows\n");
        const json = await run([...args, "--json"], environment);
        expect(JSON.parse(json.output)).toMatchObject({ result: [{ id: "a" }, { n: 2 }] });
      },
    );
    const parameters = { project: "x=y", sql: "select 1", limit: "2" };
    expect(seen).toEqual([
      ["/api/endpoints/query/a%20b", "secret", "true", parameters],
      ["/api/endpoints/query/a%20b", "secret", undefined, parameters],
    ]);
  });

  it("shows an error's message and hint", async () => {
    await withService(
      (_request, response) => {
        response.statusCode = 400;
        response.end(
          '{"error":{"code":"unknown_column","message":"Unrecognized name: x","status":400,"hint":"select ' +
            'x\\n       ^"}}',
        );
      },
      async (url) => {
        const { code, errors } = await run(["query", "e", "--url", url, "--token", "t"]);
        expect([code, errors]).toEqual([1, "Unrecognized name: x\nselect x\n       ^\n"]);
      },
    );
  });

  it("reports that no service answers, or that the token is missing", async () => {
    expect((await run(["query", "e", "--url", "http://127.0.0.1:1", "--token", "t"])).errors).toContain(
      "No service answers",
    );
    expect((await run(["query", "e"])).errors).toContain("LOGWEIR_TOKEN");
  });
});

describe("migrate-data", () => {
  const settings = { LOGWEIR_CLICKHOUSE_URL: "http://127.0.0.1:1", LOGWEIR_DATA_DIR: join(workingDir, "none") };

  it.each([
    [["migrate-data"], settings, 64, /--to is missing: clickhouse moves/],
    [["migrate-data", "--to", "mysql"], settings, 64, /--to cannot be "mysql"/],
    [["migrate-data", "--to", "clickhouse"], {}, 1, /LOGWEIR_CLICKHOUSE_URL: must be set/],
    [["migrate-data", "--to", "clickhouse"], settings, 1, /There is no store in .*none.*LOGWEIR_DATA_DIR names/],
    [["migrate-data", "--to", "duckdb"], settings, 1, /ECONNREFUSED|does not answer|cannot be reached/],
    [["migrate-data", "--to", "clickhouse", "--url", "http://127.0.0.1:1"], settings, 1, /needs an access token/],
    [
      ["migrate-data", "--to", "clickhouse", "--url", "http://127.0.0.1:1", "--token", "t"],
      settings,
      1,
      /No service answers at http:\/\/127.0.0.1:1/,
    ],
  ])("explains the error for %j and creates nothing", async (args, environment, exitCode, text) => {
    const { code, output, errors } = await run(args, environment);
    expect([code, output]).toEqual([exitCode, ""]);
    expect(errors).toMatch(text);
    expect(errors).not.toContain("    at ");
    expect(existsSync(settings.LOGWEIR_DATA_DIR)).toBe(false);
  });
});
