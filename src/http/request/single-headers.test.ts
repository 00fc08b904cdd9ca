import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runningQuery } from "../../../test/support/fake-engine.ts";
import { createTestApp, type TestApp } from "../../../test/support/test-app.ts";

let test: TestApp;
let port: number;

beforeAll(async () => {
  const unused = { management: {}, drains: {}, alerts: {} } as never;
  test = await createTestApp({ parts: unused });
  test.onPlan = () => ({
    sql: "SELECT 1",
    parameters: [],
    columns: [{ name: "told", type: { kind: "STRING" } }],
    tables: [],
    isCurrent: () => true,
  });
  test.engine.onRun = async () => runningQuery([[{ told: "from 10.1.2.3" }]]);
  await test.app.listen({ port: 0, host: "127.0.0.1" });
  port = (test.app.server.address() as AddressInfo).port;
});

afterAll(() => test.app.close());

const cached = "/api/endpoints/query/cached?project=abc";

/** Sends these lines, and resolves with the answer once the connection is closed. */
function send(...lines: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(answer));
    socket.end(`${lines.join("\r\n")}\r\n\r\n`);
  });
}

const get = (...headers: readonly string[]) => send(`GET ${cached} HTTP/1.1`, ...headers, "Connection: close");

const refused = /^HTTP\/1\.1 400 .*\r\n[\s\S]*\r\nconnection: close\r\n[\s\S]*"code":"malformed_request"/i;

describe("a request that could be read in two ways", () => {
  const key = "X-API-KEY: query-token";

  it.each<[string, readonly string[]]>([
    ["without a host", [key]],
    ["with two hosts", ["Host: a", "Host: b", key]],
    ["with the same host twice", ["Host: a", key, "host: a"]],
    ["with a host that is a path", ["Host: a/b", key]],
    ["with a host that is two", ["Host: a b", key]],
    ["with a host that has a user", ["Host: u@a", key]],
    ["with two credentials of one kind", ["Host: a", "Authorization: Bearer query-token", "Authorization: Bearer x"]],
    ["with two keys", ["Host: a", key, "x-api-key: private-token"]],
    ["with two keys of a sender", ["Host: a", key, "DD-API-KEY: a", "DD-API-KEY: b"]],
    ["with two sources", ["Host: a", key, "X-Source: a", "X-Source: b"]],
    ["with two tenants", ["Host: a", key, "X-Scope-OrgID: a", "X-Scope-OrgID: b"]],
    ["with another coding than chunked", ["Host: a", key, "Transfer-Encoding: gzip, chunked", "", "0"]],
    ["with two lengths", ["Host: a", key, "Content-Length: 0", "Content-Length: 0"]],
    ["with a length and a coding", ["Host: a", key, "Content-Length: 0", "Transfer-Encoding: chunked", "", "0"]],
  ])("%s is refused, and its connection closed", async (_, headers) => {
    expect(await get(...headers)).toMatch(refused);
  });

  it("is refused where HTTP/1.0 announces chunks", async () => {
    const headers = ["Host: a", "Transfer-Encoding: chunked", "", "0"];
    expect(await send("GET /health HTTP/1.0", ...headers)).toMatch(refused);
    expect(await send("GET /health HTTP/1.0")).toMatch(/^HTTP\/1\.1 200/);
  });

  it("is refused at every route, whoever may call it", async () => {
    const lines = test.app.registeredRoutes.flatMap(({ methods, url }) =>
      methods.map((method) => `${method} ${url.replaceAll(/:\w+/g, "open")} HTTP/1.1`),
    );
    expect(lines.length).toBeGreaterThan(90);
    const isRefused = async (line: string) =>
      /^HTTP\/1\.1 400 /.test(await send(line, "Host: a", "Host: a", "X-API-KEY: private-token"));
    const answers = await Promise.all(lines.map(async (line) => ((await isRefused(line)) ? [] : [line])));
    expect(answers.flat()).toEqual([]);
  });

  it("is refused also where the same call was just answered from the cache", async () => {
    const once = ["Host: a", key, "Accept: application/json"];
    for (let turn = 0; turn < 3; turn++) expect(await get(...once)).toMatch(/^HTTP\/1\.1 200/);
    expect(await get(...once, "Host: b")).toMatch(refused);
    expect(await get(...once, key)).toMatch(refused);
  });
});

describe("a request with", () => {
  it.each(["a.example:4000", "127.0.0.1", "[::1]:4000", "under_score.example", "xn--bcher-kva.example:", ""])(
    "the host %s is answered",
    async (host) => {
      expect(await get(`Host: ${host}`, "X-API-KEY: query-token")).toMatch(/^HTTP\/1\.1 200/);
    },
  );

  it("several wishes about redaction is redacted if one of them is true, cached or not", async () => {
    const wish = fc.constantFrom("true", "TRUE", " true ", "false", "no", "");
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 4 }), async (wishes) => {
        const headers = wishes.map(
          (each, index) => `${index % 2 ? "lf-endpoint-redact-pii" : "LF-ENDPOINT-REDACT-PII"}: ${each}`,
        );
        const answer = await get("Host: a", "X-API-KEY: private-token", ...headers);
        const isAsked = wishes.some((each) => each.trim().toLowerCase() === "true");
        expect([answer, answer.includes("10.1.2.3")]).toEqual([expect.stringMatching(/^HTTP\/1\.1 200/), !isAsked]);
      }),
      { numRuns: 30 },
    );
  });
});
