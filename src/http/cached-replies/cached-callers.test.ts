import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import type { Identity } from "../../access/scope.ts";
import { createRememberedCallers, type RememberedCallers } from "./cached-callers.ts";

const identityOf = (tokenId: string): Identity => ({ tokenId, scopes: [], pins: {}, budget: {}, redaction: "fixed" });

let identities: Record<string, Identity>;
let recalled: string[];
let callers: RememberedCallers<string>;
let socket: Socket;

beforeEach(() => {
  identities = { "secret-a": identityOf("a"), "secret-b": identityOf("b") };
  recalled = [];
  socket = new Socket();
  callers = createRememberedCallers({
    recall(secret) {
      recalled.push(secret);
      const identity = identities[secret];
      return identity === undefined ? undefined : { identity, isCurrent: () => identities[secret] === identity };
    },
  });
});

function find(...rawHeaders: string[]) {
  const request = new IncomingMessage(socket);
  request.rawHeaders = rawHeaders;
  request.headers.host = "logs.example";
  for (let at = 0; at < rawHeaders.length; at += 2) {
    request.headers[String(rawHeaders[at]).toLowerCase()] = rawHeaders[at + 1] ?? "";
  }
  return callers.find(request);
}

describe("the caller of a connection", () => {
  it("is looked up once while the connection sends the same headers", () => {
    const first = find("X-API-KEY", "secret-a", "Accept", "text/csv");
    expect(first?.identity.tokenId).toBe("a");
    expect(find("X-API-KEY", "secret-a", "Accept", "text/csv")).toBe(first);
    expect(recalled).toEqual(["secret-a"]);
  });

  it.each([
    ["another token", ["X-API-KEY", "secret-b", "Accept", "text/csv"]],
    ["another value of a header", ["X-API-KEY", "secret-a", "Accept", "application/json"]],
    ["another header", ["X-API-KEY", "secret-a", "Accept-Encoding", "text/csv"]],
    ["one header more", ["X-API-KEY", "secret-a", "Accept", "text/csv", "LF-ENDPOINT-REDACT-PII", "true"]],
    ["one header less", ["X-API-KEY", "secret-a"]],
  ])("is a different one with %s", (_, headers) => {
    const first = find("X-API-KEY", "secret-a", "Accept", "text/csv");
    const second = find(...headers);
    expect(second?.key).toBeDefined();
    expect(second?.key).not.toBe(first?.key);
  });

  it("is undefined once its token is no longer valid", () => {
    find("X-API-KEY", "secret-a");
    delete identities["secret-a"];
    expect(find("X-API-KEY", "secret-a")).toBeUndefined();
  });

  it("is looked up on each call when two headers carry tokens, and X-API-KEY wins", () => {
    const both = ["Authorization", "Bearer secret-b", "X-API-KEY", "secret-a"];
    expect(find(...both)?.identity.tokenId).toBe("a");
    expect(find("Authorization", "Bearer secret-a", "X-API-KEY", "secret-b")?.identity.tokenId).toBe("b");
    expect(find(...both)?.identity.tokenId).toBe("a");
    expect(recalled).toEqual(["secret-a", "secret-b", "secret-a"]);
  });

  it("is not cached with long headers", () => {
    const headers = ["Authorization", "Bearer secret-a", "User-Agent", "x".repeat(9_000)];
    expect(find(...headers)?.identity.tokenId).toBe("a");
    expect(find(...headers)?.identity.tokenId).toBe("a");
    expect(recalled).toHaveLength(2);
  });

  it.each([
    ["no token", []],
    ["an unknown token", ["X-API-KEY", "secret-c"]],
    ["a deadline", ["X-API-KEY", "secret-a", "Prefer", "wait=5"]],
    ["a body", ["X-API-KEY", "secret-a", "Content-Length", "2"]],
    ["a body of unknown length", ["X-API-KEY", "secret-a", "Transfer-Encoding", "chunked"]],
  ])("is undefined with %s", (_, headers) => {
    expect(find(...headers)).toBeUndefined();
  });
});
