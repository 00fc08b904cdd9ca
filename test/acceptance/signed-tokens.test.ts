import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { manage } from "./manage.ts";
import { postEvents, readError, type Service, startService } from "./service.ts";

let folder: string;
let service: Service;
let sign: (logweir: object, claims?: JWTPayload) => Promise<string>;

const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600;
const pathOf = (name: string) => join(folder, name);

/** Replaces a file at once, as programs that write keys do. */
async function replace(name: string, text: string): Promise<void> {
  await writeFile(pathOf(`${name}.new`), text);
  await rename(pathOf(`${name}.new`), pathOf(name));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-signed-"));
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  await replace("keys.json", JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "one" }] }));
  await replace("revoked", "");
  sign = (logweir, claims = {}) =>
    new SignJWT({ iss: "https://issuer.example", aud: "logs", exp: inAnHour(), sub: "ann", logweir, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "one" })
      .sign(privateKey);
  service = await startService({
    env: {
      LOGWEIR_JWT_KEYS: pathOf("keys.json"),
      LOGWEIR_JWT_ISSUER: "https://issuer.example",
      LOGWEIR_JWT_AUDIENCE: "logs",
      LOGWEIR_JWT_REVOKED: pathOf("revoked"),
    },
  });
  await service.ingest("edge", [
    { id: "a1", timestamp: "2026-08-20T09:00:00Z", project: "abc", event_message: "mail ann@example.com" },
    { id: "x1", timestamp: "2026-08-20T09:00:00Z", project: "xyz" },
  ]);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const call = (token: string, parameters: Record<string, string> = {}, endpoint = "logs.all") =>
  service.get(`/api/endpoints/query/${endpoint}`, parameters, { authorization: `Bearer ${token}` });

async function messagesOf(token: string, parameters: Record<string, string> = {}): Promise<unknown> {
  const sql = "select id, event_message from edge_logs order by id";
  return ((await (await call(token, { sql, ...parameters })).json()) as { result: unknown }).result;
}

it("a signed token reads its tenant's rows, redacted as it says, and nothing else", async () => {
  const mine = await sign({ scopes: ["query"], pins: { project: "abc" } });
  expect(await messagesOf(mine)).toEqual([{ id: "a1", event_message: "mail ann@example.com" }]);
  const redacted = await sign({ scopes: "query", pins: { project: "abc" }, redaction: "required" });
  expect(await messagesOf(redacted)).toEqual([{ id: "a1", event_message: "mail REDACTED" }]);
  const other = await call(mine, { project: "xyz" });
  expect([other.status, (await readError(other)).code]).toEqual([403, "pinned_parameter"]);
  expect((await postEvents(service.url, "edge", "[]", { "x-api-key": mine })).status).toBe(401);
  expect((await manage(service, "GET", "/api/access-tokens", undefined, { "x-api-key": mine })).status).toBe(401);

  const sender = await sign({ scopes: ["ingest:source:auth"] });
  const body = JSON.stringify([{ event_message: "x", project: "abc" }]);
  expect((await postEvents(service.url, "auth", body, { "x-api-key": sender })).status).toBe(200);
  expect((await postEvents(service.url, "edge", body, { "x-api-key": sender })).status).toBe(401);
});

it("an owner's signed token makes no token that ends after it", async () => {
  const owner = await sign({ scopes: ["private"] });
  const make = (expires: string) =>
    manage(service, "POST", "/api/access-tokens", { scopes: ["query"], expires }, { "x-api-key": owner });
  expect((await make("30m")).status).toBe(201);
  expect((await make("2h")).status).toBe(422);
});

it("a signed token for others, or of others, is refused with the reason", async () => {
  const messageOf = async (claims: JWTPayload) =>
    (await readError(await call(await sign({ scopes: ["query"] }, claims), { project: "abc" }))).message;
  expect(await messageOf({ aud: "billing" })).toBe('The signed token must have the claim aud "logs"');
  expect(await messageOf({ iss: "https://else.example" })).toBe(
    'The signed token must have the claim iss "https://issuer.example"',
  );
});

it("a signed token ends by its id in the file of revoked ones, and all with their key", async () => {
  const granted = { scopes: ["query"], pins: { project: "abc" } };
  const [first, second] = [await sign(granted, { jti: "first" }), await sign(granted, { jti: "second" })];
  const statuses = async () => [(await call(first)).status, (await call(second)).status];
  expect(await statuses()).toEqual([200, 200]);
  await replace("revoked", "first\n");
  await expect.poll(statuses).toEqual([401, 200]);
  await replace("keys.json", '{"keys": []}');
  await expect.poll(statuses).toEqual([401, 401]);
  await rm(pathOf("keys.json"));
  await expect.poll(statuses).toEqual([503, 503]);
});

it("a service does not start with keys that it cannot use", async () => {
  const start = (env: Record<string, string>) => startService({ env }).then((started) => started.stop());
  const missing = pathOf("missing.json");
  await expect(start({ LOGWEIR_JWT_KEYS: missing })).rejects.toThrow(
    `The keys of signed tokens: ${missing} cannot be read (ENOENT)`,
  );
  await expect(start({ LOGWEIR_JWT_KEYS: "http://issuer.example/jwks" })).rejects.toThrow(
    "LOGWEIR_JWT_KEYS: must be a file or an https:// address",
  );
  await expect(start({ LOGWEIR_JWT_AUDIENCE: "logs" })).rejects.toThrow("LOGWEIR_JWT_AUDIENCE: needs LOGWEIR_JWT_KEYS");
});

it("tokens of keys that cannot be fetched are 503, and others go on", async () => {
  const closed = await startService({ env: { LOGWEIR_JWT_KEYS: "https://127.0.0.1:9/keys" } });
  try {
    const authorization = `Bearer ${await sign({ scopes: ["private"] })}`;
    const refused = await closed.get("/api/endpoints", {}, { authorization });
    expect(await readError(refused)).toMatchObject({ status: 503, code: "metadata_unavailable" });
    expect((await closed.get("/api/endpoints")).status).toBe(200);
  } finally {
    await closed.stop();
  }
});
