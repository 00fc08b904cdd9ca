import { once } from "node:events";
import { connect } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test/support/test-app.ts";
import { nextPageHeader } from "./answer/answer-headers.ts";
import { toServiceError } from "./plugins/errors.ts";

let test: TestApp;

beforeEach(async () => {
  test = await createTestApp();
});

describe("GET /health", () => {
  it("needs no token, and answers 200 while the engine responds", async () => {
    const response = await test.app.inject("/health");
    expect([response.statusCode, response.json()]).toEqual([200, { status: "ok", engine: "ok" }]);
  });

  it("answers 200 and says degraded when the engine does not respond, which a query can cause", async () => {
    test.engine.onPing = async () => Promise.reject(new Error("gone"));
    const response = await test.app.inject("/health");
    const reasons = ["The engine does not answer, or takes longer than a second to"];
    const expected = { status: "degraded", engine: "unavailable", reasons };
    expect([response.statusCode, response.json()]).toEqual([200, expected]);
  });

  it("answers 503 while the engine cannot be started, which no query can cause", async () => {
    test.engine.onPing = async () => Promise.reject(new Error("gone"));
    test.engine.cannotStart = () => true;
    const response = await test.app.inject("/health");
    const reasons = ["The engine cannot be started; the service's log has the reason"];
    const expected = { status: "unavailable", engine: "unavailable", reasons };
    expect([response.statusCode, response.json()]).toEqual([503, expected]);
    test.engine.cannotStart = () => false;
    expect((await test.app.inject("/health")).statusCode).toBe(200);
  });
});

describe("GET /health of a store that lost acknowledged events", () => {
  it("reports the loss beside the engine's state", async () => {
    const loss = { foundAt: "2026-01-01T00:00:00.000Z", acknowledgedBytes: 500, foundBytes: 100 };
    Object.assign(test.engine.store, { logLoss: loss });
    const response = await test.app.inject("/health");
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { status: "ok", engine: "ok", store: "log_shortened" },
    ]);
  });
});

describe("a page of another origin", () => {
  it("gets a preflight answered without a token", async () => {
    const response = await test.app.inject({
      method: "OPTIONS",
      url: "/api/endpoints/query/open",
      headers: { origin: "https://a.example", "access-control-request-method": "GET" },
    });
    expect(response.statusCode).toBe(204);
    expect(response.headers["access-control-allow-origin"]).toBe("*");
    expect(response.headers["access-control-allow-headers"]).toContain("LF-ENDPOINT-REDACT-PII");
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      expect(response.headers["access-control-allow-methods"]).toContain(method);
    }
  });

  it("gets a plain OPTIONS answered too", async () => {
    expect((await test.app.inject({ method: "OPTIONS", url: "/api/logs" })).statusCode).toBe(204);
  });

  it.each(["/api/endpoints/query/open", "/nowhere"])("can read the error of %s", async (url) => {
    const response = await test.app.inject({ url, headers: { origin: "https://a.example" } });
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(response.headers["access-control-allow-origin"]).toBe("*");
  });
});

it("a path may end with a slash", async () => {
  expect((await test.app.inject("/health/")).statusCode).toBe(200);
});

describe("every response", () => {
  it("carries a request id: the caller's when it is well-formed, otherwise a new one", async () => {
    const id = async (sent: string) =>
      (await test.app.inject({ url: "/health", headers: { "x-request-id": sent } })).headers["x-request-id"];
    expect(await id("abc-1.2_3")).toBe("abc-1.2_3");
    expect(await id('a"b')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await id("x".repeat(65))).toMatch(/^[0-9a-f-]{36}$/);
    // The request log has it, and contains no addresses and no tokens.
    for (const secret of ["203.0.113.9", "lw_0123456789abcdef"]) expect(await id(secret)).toMatch(/^[0-9a-f-]{36}$/);
    const own = { "x-request-id": "a-fixed-token", authorization: "Bearer a-fixed-token" };
    expect((await test.app.inject({ url: "/health", headers: own })).headers["x-request-id"]).not.toBe("a-fixed-token");
  });

  it("to an unknown route is 404 in the common error shape", async () => {
    const response = await test.app.inject("/api/nothing?secret=1");
    expect(response.json()).toEqual({
      error: { code: "not_found", message: "There is no route GET /api/nothing", status: 404 },
    });
  });

  it("to an unknown route of another API is in that API's form", async () => {
    const loki = await test.app.inject("/loki/api/v1/nothing");
    expect([loki.statusCode, loki.body]).toEqual([404, "There is no route GET /loki/api/v1/nothing\n"]);
    const bigQuery = await test.app.inject("/bigquery/v2/nothing");
    expect(bigQuery.json().error).toMatchObject({ code: 404, status: "NOT_FOUND", errors: [{ reason: "notFound" }] });
  });

  it("to a malformed path is 400 in the common error shape", async () => {
    expect((await test.app.inject("/api/endpoints/query/%zz")).json()).toMatchObject({
      error: { code: "malformed_request", status: 400 },
    });
  });

  it("to non-HTTP input or an oversized header is in the common error shape", async () => {
    const address = new URL(await test.app.listen({ port: 0, host: "127.0.0.1" }));
    const exchange = (text: string) =>
      new Promise<string>((resolve, reject) => {
        let answer = "";
        const socket = connect(Number(address.port), address.hostname, () => socket.write(text));
        socket.on("data", (chunk) => {
          answer += chunk.toString();
        });
        socket.on("end", () => socket.end());
        socket.on("close", () => resolve(answer));
        // A reset after the answer has arrived does not matter.
        socket.on("error", (error) => (answer === "" ? reject(error) : resolve(answer)));
      });
    expect(await exchange("nonsense\r\n\r\n")).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"malformed_request"/);
    expect(await exchange(`GET /${"x".repeat(600_000)} HTTP/1.1\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431 [\s\S]*"code":"request_too_large"/,
    );
    await test.app.close();
  });
});

it("the app answers 503 and closes the connection once the service is stopping", async () => {
  await test.shutdown.stop(0);
  const response = await test.app.inject("/api/endpoints/query/open");
  expect(response.json()).toMatchObject({ error: { code: "shutting_down", status: 503 } });
  expect(response.headers.connection).toBe("close");
});

describe("the request log", () => {
  it("has one line per request with route, status and token id, but no value that was sent", async () => {
    await test.app.inject({
      url: "/api/endpoints/query/open?project=hidden-project&sql=select+1",
      headers: { authorization: "Bearer query-token", "user-agent": "hidden-agent" },
    });
    await test.app.inject("/api/endpoints/query/hidden-name?api_key=hidden-token");
    const lines = test.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      {
        msg: "answered",
        method: "GET",
        route: "/api/endpoints/query/:name",
        status: 200,
        tokenId: "q",
        endpoint: "open",
      },
      { msg: "answered", route: "/api/endpoints/query/:name", status: 401, error: "unauthorized" },
    ]);
    expect(test.logLines.join()).not.toMatch(/hidden|127\.0\.0\.1|select/);
  });
});

describe("caller-supplied text", () => {
  it("is truncated in error messages", async () => {
    const test = await createTestApp();
    const long = "x".repeat(60_000);
    for (const url of [
      `/api/endpoints/query/${long}`,
      `/api/endpoints/query/open?project=a&interval=${long}`,
      `/${long}`,
    ]) {
      const { body } = await test.app.inject({ url, headers: { "x-api-key": "query-token" } });
      const { error } = JSON.parse(body) as { error: Record<string, unknown> };
      for (const text of Object.values(error)) expect(String(text).length).toBeLessThanOrEqual(2_000);
    }
    await test.app.close();
  });

  it("cannot be an object for a pinned parameter, whatever keys the object has", async () => {
    const test = await createTestApp();
    for (const value of [{ toString: 1 }, { valueOf: 1 }, { toJSON: 1 }, { __proto__: null }, [], [["abc"]], "abc"]) {
      const { statusCode } = await test.app.inject({
        method: "POST",
        url: "/api/endpoints/query/open",
        headers: { "x-api-key": "pinned-token", "content-type": "application/json" },
        payload: JSON.stringify({ project: value }),
      });
      expect(statusCode).toBe(value === "abc" ? 200 : 403);
    }
    await test.app.close();
  });

  it("is not read from a body without a valid token", async () => {
    const test = await createTestApp();
    const url = await test.app.listen({ port: 0, host: "127.0.0.1" });
    for (const path of [
      "/api/logs?source=edge",
      "/api/endpoints/query/open",
      "/api/query",
      "/api/endpoints",
      "/nothing",
    ]) {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n{`);
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1.1 40[145] /);
      socket.destroy();
    }
    await test.app.close();
  });

  it("does not make the next page's URL longer than clients accept", () => {
    const [name, value] = nextPageHeader(`/api/endpoints/query/open?project=a&sql=${"x".repeat(20_000)}`, "cursor");
    expect([name, value]).toEqual(["X-Logweir-Next-Cursor", "cursor"]);
    expect(nextPageHeader("/api/endpoints/query/open?project=a", "c")).toEqual([
      "Link",
      '</api/endpoints/query/open?project=a&cursor=c>; rel="next"',
    ]);
  });
});

describe("a full disk", () => {
  it.each([
    Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }),
    new Error("could not save", { cause: Object.assign(new Error("full"), { code: "EDQUOT" }) }),
  ])("is reported as 507 when a save fails with %s", (error) => {
    expect(toServiceError(error)).toMatchObject({ code: "disk_full", status: 507 });
  });
});
