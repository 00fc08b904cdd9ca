import { expect, it } from "vitest";
import { parseEvents } from "../parse-events.ts";
import { datadog } from "./datadog.ts";

const nowUs = 1_790_000_000_000_000n;

function read(body: unknown, contentType = "application/json", details: Readonly<Record<string, string>> = {}) {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return parseEvents({
    protocol: "datadog",
    bytes,
    contentType,
    contentEncoding: undefined,
    details,
    nowUs,
    maxBytes: 1e6,
  });
}

it("the Datadog protocol reads logs with their tags", async () => {
  const log = {
    message: "2026 hello",
    status: "Error",
    timestamp: 1426279439123,
    hostname: "h",
    service: "s",
    ddsource: "nodejs",
    ddtags: "env:prod,team:a,team:b,beta,project:p,url:http://x:1",
  };
  expect((await read([log])).events).toMatchObject([
    {
      timestampUs: 1426279439123000n,
      eventMessage: "2026 hello",
      fields: {
        project: "p",
        metadata: {
          level: "error",
          hostname: "h",
          service: "s",
          ddsource: "nodejs",
          tags: { env: "prod", team: ["a", "b"], beta: true, url: "http://x:1" },
        },
      },
    },
  ]);
});

it("the Datadog protocol reads a single log or lines of text, with fields from the URL", async () => {
  const details = { "?service": "from-url" };
  expect((await read({ message: "one" }, "application/json", details)).events).toMatchObject([
    { eventMessage: "one", fields: { metadata: { service: "from-url" } } },
  ]);
  expect((await read("a\nb\n", "text/plain")).events.map(({ eventMessage }) => eventMessage)).toEqual(["a", "b"]);
});

it("the Datadog protocol accepts an empty object, which the agent sends as a probe", async () => {
  expect((await read({})).events).toEqual([]);
  expect((await read([{}, { message: "a" }])).events).toHaveLength(1);
});

it("the Datadog protocol stores nothing of a list with an invalid log", async () => {
  await expect(read([{ message: "a" }, 1])).rejects.toThrow("Event 1 of the body cannot be stored: a log must be");
});

it("the Datadog protocol answers failures in Datadog's format", () => {
  const failure = { code: "unauthorized", status: 401, message: "no", mediaType: "" } as const;
  expect(datadog.answerFailure?.(failure)).toEqual({
    status: 403,
    body: { errors: [{ status: "403", title: "unauthorized", detail: "no" }] },
  });
  expect(datadog.answerFailure?.({ ...failure, status: 507 }).status).toBe(503);
});
