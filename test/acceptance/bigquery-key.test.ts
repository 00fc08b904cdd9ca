import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BigQuery } from "@google-cloud/bigquery";
import { importPKCS8, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KeyFile } from "../../src/access/key-file.ts";
import { outputOf } from "../support/run-command.ts";
import { type Service, startService } from "./service.ts";

let service: Service;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = mkdtempSync(join(tmpdir(), "logweir-keys-"));
  const timestamp = new Date(Date.now() - 1_000).toISOString();
  await service.ingest("edge", [
    { id: "a1", timestamp, project: "abc" },
    { id: "x1", timestamp, project: "xyz" },
  ]);
}, 60_000);

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const logweir = (...args: string[]) =>
  outputOf(args, { LOGWEIR_DATA_DIR: service.dataDir, LOGWEIR_URL: `${service.url}/` });

interface Made {
  readonly id: string;
  readonly token: string;
  readonly path: string;
  readonly file: KeyFile;
}

/** Makes a token with a key file on the command line, while the service runs. */
async function createKey(name: string, ...args: string[]): Promise<Made> {
  const path = join(folder, name);
  const text = await logweir("token", "create", "--json", "--scope", "query", "--bigquery-key", path, ...args);
  const { id, token } = JSON.parse(text) as { readonly id: string; readonly token: string };
  return { id, token, path, file: JSON.parse(readFileSync(path, "utf8")) as KeyFile };
}

const connect = (keyFilename: string) =>
  new BigQuery({ keyFilename, apiEndpoint: service.url, autoRetry: false, maxRetries: 0 });

async function idsOf(client: BigQuery): Promise<readonly unknown[]> {
  const [rows] = await client.query("SELECT id FROM logs_all.edge_logs");
  return rows.map(({ id }: { readonly id: string }) => id);
}

/** Signs as a client does that has no more than the file. */
async function sign({ client_email: iss, token_uri: aud, private_key: key }: KeyFile): Promise<string> {
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { iss, aud, iat, exp: iat + 3_600, scope: "https://www.googleapis.com/auth/bigquery" };
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(await importPKCS8(key, "RS256"));
}

const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

async function askFor(assertion: string, uri = `${service.url}/bigquery/token`) {
  const response = await fetch(uri, {
    method: "POST",
    body: new URLSearchParams({ grant_type: grantType, assertion }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const callWith = (token: string) =>
  service.get("/api/endpoints/query/logs.all", { project: "abc" }, { authorization: `Bearer ${token}` });

describe("a key file", () => {
  it("has the form of Google's, is for its owner alone, and overwrites nothing", async () => {
    const { id, token, path, file } = await createKey("form.json");
    expect(file).toEqual({
      type: "service_account",
      project_id: "default",
      private_key_id: id,
      private_key: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----\n/) as string,
      client_email: `${id}@logweir.invalid`,
      client_id: id,
      token_uri: `${service.url}/bigquery/token`,
      universe_domain: "logweir.invalid",
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await callWith(token)).status).toBe(200);

    const before = await logweir("token", "list", "--json");
    const taken = join(folder, "taken");
    writeFileSync(taken, "mine");
    for (const [args, message] of [
      [["--bigquery-key", taken], "it exists already, and is not overwritten"],
      [["--bigquery-key", join(folder, "none", "key.json")], "no such file or directory"],
      [["--bigquery-key", join(folder, "bad.json"), "--url", "logs.example.com"], "needs the http or https address"],
      [["--bigquery-key", join(folder, "bad.json"), "--scope", "nope"], "There is no scope nope"],
    ] as const) {
      await expect(logweir("token", "create", "--scope", "query", ...args)).rejects.toThrow(message);
    }
    expect([readFileSync(taken, "utf8"), existsSync(join(folder, "bad.json"))]).toEqual(["mine", false]);
    expect(await logweir("token", "list", "--json")).toBe(before);
  });

  it("signs the published client in, as it is", async () => {
    const { path, id } = await createKey("client.json", "--pin", "project=abc");
    const client = connect(path);
    expect(await idsOf(client)).toEqual(["a1"]);
    expect(await client.getProjectId()).toBe("abc");
    await logweir("token", "rotate", id);
    expect(await idsOf(client)).toEqual(["a1"]);
    await logweir("token", "revoke", id);
    await expect.poll(() => idsOf(client).catch(({ code }: { readonly code: number }) => code)).toBe(401);
  });

  it("is exchanged for an access token at its token_uri, which follows the token", async () => {
    const { id, file } = await createKey("exchange.json", "--pin", "project=abc");
    const assertion = await sign(file);
    const { status, headers, body } = await askFor(assertion, file.token_uri);
    expect([status, body]).toEqual([200, { access_token: expect.any(String), expires_in: 3600, token_type: "Bearer" }]);
    expect(headers.get("cache-control")).toBe("no-store");
    const accessToken = String(body.access_token);
    expect((await callWith(accessToken)).status).toBe(200);
    const other = await service.get(
      "/api/endpoints/query/logs.all",
      { project: "xyz" },
      { authorization: `Bearer ${accessToken}` },
    );
    expect(other.status).toBe(403);
    await logweir("token", "revoke", id);
    await expect.poll(async () => (await callWith(accessToken)).status).toBe(401);
    expect(await askFor(assertion)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });
});

describe("the token endpoint", () => {
  it("answers what is wrong as OAuth does, and in the same words whether a key exists", async () => {
    const { file } = await createKey("errors.json");
    const wrongKey = (await createKey("other.json")).file.private_key;
    const answers = await Promise.all([
      askFor(await sign({ ...file, private_key: wrongKey })),
      askFor(await sign({ ...file, private_key: wrongKey, client_email: "0123456789ab@logweir.invalid" })),
      askFor(await sign({ ...file, token_uri: "http://127.0.0.1:1/bigquery/token" })),
      askFor("no signature"),
    ]);
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([400, answers[0]?.body]);
      expect(headers.get("www-authenticate")).toBeNull();
    }
    expect(answers[0]?.body).toEqual({
      error: "invalid_grant",
      error_description: expect.stringContaining("The signature, its key or its claims are not accepted") as string,
    });
  });

  it.each<[string, string, string, number, string]>([
    ["no form", "application/json", '{"grant_type":"x"}', 400, "invalid_request"],
    ["no grant type", "application/x-www-form-urlencoded", "assertion=x", 400, "invalid_request"],
    ["another grant", "application/x-www-form-urlencoded", "grant_type=password", 400, "unsupported_grant_type"],
    ["no assertion", "application/x-www-form-urlencoded", `grant_type=${grantType}`, 400, "invalid_request"],
    [
      ...(["two assertions", "application/x-www-form-urlencoded"] as const),
      ...([`grant_type=${grantType}&assertion=a&assertion=b`, 400, "invalid_request"] as const),
    ],
    ["nothing", "application/x-www-form-urlencoded", "", 413, "invalid_request"],
    ["a long body", "application/x-www-form-urlencoded", "x".repeat(8_193), 413, "invalid_request"],
  ])("refuses %s", async (_, type, body, status, error) => {
    const url = `${service.url}/bigquery/token`;
    const response = await fetch(url, { method: "POST", headers: { "content-type": type }, body });
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([status, error]);
  });

  it("reads no body of unknown length, and no assertion in the address", async () => {
    const status = await new Promise((resolve, reject) => {
      const asked = request(`${service.url}/bigquery/token`, { method: "POST" }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", reject);
      asked.flushHeaders();
      asked.write("grant_type=x");
    });
    expect(status).toBe(413);
    const { file } = await createKey("address.json");
    const parameters = new URLSearchParams({ grant_type: grantType, assertion: await sign(file) });
    const response = await fetch(`${service.url}/bigquery/token?${parameters}`, {
      method: "POST",
      body: new URLSearchParams({ a: "b" }),
    });
    expect(response.status).toBe(400);
  });
});
