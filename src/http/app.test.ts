import { connect } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test/support/test-app.ts";

let test: TestApp;

beforeEach(async () => {
  test = await createTestApp();
});

describe("health", () => {
  it("is open, and 200 while the engine answers", async () => {
    const response = await test.app.inject("/health");
    expect([response.statusCode, response.json()]).toEqual([200, { status: "ok", engine: "ok" }]);
  });

  it("is 503 when the engine does not", async () => {
    test.engine.onPing = async () => Promise.reject(new Error("gone"));
    const response = await test.app.inject("/health");
    expect([response.statusCode, response.json()]).toEqual([503, { status: "unavailable", engine: "unavailable" }]);
  });
});

describe("pages of other origins", () => {
  it("get a preflight answered without a token", async () => {
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

  it("get a plain OPTIONS answered too", async () => {
    expect((await test.app.inject({ method: "OPTIONS", url: "/api/logs" })).statusCode).toBe(204);
  });

  it.each(["/api/endpoints/query/open", "/nowhere"])("can read the error of %s", async (url) => {
    const response = await test.app.inject({ url, headers: { origin: "https://a.example" } });
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(response.headers["access-control-allow-origin"]).toBe("*");
  });
});

it("paths may end with a slash", async () => {
  expect((await test.app.inject("/health/")).statusCode).toBe(200);
});

describe("every answer", () => {
  it("carries a request id: the caller's where it is plain, else a new one", async () => {
    const id = async (sent: string) =>
      (await test.app.inject({ url: "/health", headers: { "x-request-id": sent } })).headers["x-request-id"];
    expect(await id("abc-1.2_3")).toBe("abc-1.2_3");
    expect(await id('a"b')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await id("x".repeat(65))).toMatch(/^[0-9a-f-]{36}$/);
    // The log has it, and has no addresses and no tokens.
    for (const secret of ["203.0.113.9", "lw_0123456789abcdef"]) expect(await id(secret)).toMatch(/^[0-9a-f-]{36}$/);
    const own = { "x-request-id": "a-fixed-token", authorization: "Bearer a-fixed-token" };
    expect((await test.app.inject({ url: "/health", headers: own })).headers["x-request-id"]).not.toBe("a-fixed-token");
  });

  it("to an unknown route is 404 in the one shape", async () => {
    const response = await test.app.inject("/api/nothing?secret=1");
    expect(response.json()).toEqual({
      error: { code: "not_found", message: "There is no route GET /api/nothing", status: 404 },
    });
  });

  it("to a broken path is 400 in the one shape", async () => {
    expect((await test.app.inject("/api/endpoints/query/%zz")).json()).toMatchObject({
      error: { code: "malformed_request", status: 400 },
    });
  });

  it("to what is not HTTP, or has too large a header, is in the one shape too", async () => {
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
        // A reset after the answer came is no matter.
        socket.on("error", (error) => (answer === "" ? reject(error) : resolve(answer)));
      });
    expect(await exchange("nonsense\r\n\r\n")).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"malformed_request"/);
    expect(await exchange(`GET /${"x".repeat(600_000)} HTTP/1.1\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431 [\s\S]*"code":"request_too_large"/,
    );
    await test.app.close();
  });
});

it("answers 503 and closes the connection once the service stops", async () => {
  await test.drain.stop(0);
  const response = await test.app.inject("/api/endpoints/query/open");
  expect(response.json()).toMatchObject({ error: { code: "shutting_down", status: 503 } });
  expect(response.headers.connection).toBe("close");
});

describe("the log", () => {
  it("has one line a request: route, status and token id, but no value that was sent", async () => {
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
