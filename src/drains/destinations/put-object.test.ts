import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { LogEvent } from "../../engines/contract/query-engine.ts";
import { readDestinations, resolveName } from "../../shared/network/private-networks.ts";
import type { BackendConfig } from "../backend.ts";
import { putObject } from "./put-object.ts";
import { createSender } from "./send-request.ts";

const secret = "s3cret/+=";

interface Put {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly isSigned: boolean;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");
const hmac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest();

/** Whether a request has the signature that AWS's documentation of version 4 describes. */
function isSigned(method: string, path: string, headers: IncomingHttpHeaders, bytes: Buffer): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=key-1\/(\d{8})\/(eu-1)\/s3\/aws4_request, SignedHeaders=(\S+), Signature=(\w+)$/;
  const [, day = "", region = "", names = "", signature] = form.exec(headers.authorization ?? "") ?? [];
  const canonical = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const digest = String(headers["x-amz-content-sha256"]);
  const request = [method, path, "", canonical.join(""), names, digest].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(request)].join("\n");
  const key = ["s3", "aws4_request"].reduce(
    (made: Buffer, part) => hmac(made, part),
    hmac(hmac(`AWS4${secret}`, day), region),
  );
  return digest === sha256(bytes) && names.includes("host") && hmac(key, toSign).toString("hex") === signature;
}

/** A store that keeps what is put, or answers with another status. */
async function startStore(status = 200) {
  const puts: Put[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const bytes = Buffer.concat(chunks);
      const { method = "", url: path = "", headers } = request;
      puts.push({ path, headers, bytes, isSigned: isSigned(method, path, headers, bytes) });
      response.writeHead(status).end();
    });
  });
  servers.push(server);
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  return { puts, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const eventAt = (id: string, iso: string): LogEvent => ({
  ...{ id, hasGeneratedId: false, timestampUs: BigInt(Date.parse(iso)) * 1_000n, eventMessage: `ä ${id}` },
  fields: { project: "abc" },
});

async function put(config: Partial<BackendConfig>, source: string, events: readonly LogEvent[]) {
  const sender = createSender({ allowed: readDestinations(["127.0.0.1"]), resolve: resolveName });
  const keys = { region: "eu-1", access_key_id: "key-1", secret_access_key: secret };
  const request = putObject({ url: "", headers: {}, gzip: true, ...keys, ...config }, source, events);
  try {
    return await sender.send(request, new AbortController().signal);
  } finally {
    sender.close();
  }
}

describe("an object of events", () => {
  it.each([
    ["/bucket", "edge", "/bucket/edge"],
    ["/", "edge", "/edge"],
    ["/bucket/a%20b/c+d/", "edge", "/bucket/a%20b/c%2Bd/edge"],
    ["/bucket/x%2Fy/ä'(!)*", "odd name/ä", "/bucket/x/y/%C3%A4%27%28%21%29%2A/odd%20name/%C3%A4"],
    ["/bucket/%zz", "edge", "/bucket/%25zz/edge"],
  ])("is put below %s for the source %s, signed, under its hour", async (folder, source, path) => {
    const { puts, url } = await startStore();
    const events = [eventAt("a", "2026-08-20T09:59:59.999Z"), eventAt("b", "2026-08-20T09:00:00Z")];
    expect(await put({ url: url + folder }, source, events)).toEqual({ kind: "taken" });
    expect(puts[0]).toMatchObject({ isSigned: true, headers: { "content-type": "application/x-ndjson" } });
    const name = puts[0]?.path.slice(path.length);
    expect(puts[0]?.path.slice(0, path.length)).toBe(path);
    expect(name).toMatch(/^\/2026\/08\/20\/09\/[0-9a-f]{32}\.ndjson\.gz$/);
    const lines = gunzipSync(puts[0]?.bytes ?? "").toString("utf8");
    expect(lines).toBe(
      '{"id":"a","timestamp":1787219999999000,"event_message":"ä a","project":"abc"}\n' +
        '{"id":"b","timestamp":1787216400000000,"event_message":"ä b","project":"abc"}\n',
    );
    // The same events again replace the object.
    await put({ url: url + folder }, source, events);
    await put({ url: url + folder, gzip: false }, source, events.slice(1));
    expect(puts[1]?.path).toBe(puts[0]?.path);
    expect(puts[2]?.path).not.toBe(puts[0]?.path);
    expect(puts[2]).toMatchObject({ isSigned: true, path: expect.stringMatching(/\.ndjson$/) });
    expect(puts[2]?.bytes.toString("utf8")).toBe(`${lines.split("\n")[1]}\n`);
  });

  it("is empty where a connection is tried", async () => {
    const { puts, url } = await startStore();
    expect(await put({ url: `${url}/bucket`, gzip: false }, "test", [])).toEqual({ kind: "taken" });
    expect(puts).toMatchObject([{ path: "/bucket/test/logweir-connection-test", isSigned: true }]);
    expect(puts[0]?.bytes.length).toBe(0);
  });

  it.each([400, 403, 404, 413, 422, 500, 503])("that the store answers with %i is tried again", async (status) => {
    const { url } = await startStore(status);
    const answer = await put({ url: `${url}/bucket` }, "edge", [eventAt("a", "2026-08-20T09:00:00Z")]);
    expect(answer).toMatchObject({ kind: "failed", reason: expect.stringContaining(String(status)) });
  });
});
