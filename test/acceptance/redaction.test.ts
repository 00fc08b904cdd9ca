import { expect } from "vitest";
import type { Service } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;
const project = "redacted";

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  await service.ingest("edge", [
    {
      id: "r1",
      timestamp: "2026-08-20T09:00:00Z",
      project,
      event_message: "from 203.0.113.9 and 2001:db8::1, version 1.2.3 at 09:00:00",
      metadata: { request: { headers: { cf_connecting_ip: "203.0.113.9", x_real_ip: "[2001:db8::7]:443" } }, count: 7 },
    },
  ]);
});

const raw = {
  event_message: "from 203.0.113.9 and 2001:db8::1, version 1.2.3 at 09:00:00",
  metadata: [
    { request: [{ headers: [{ cf_connecting_ip: "203.0.113.9", x_real_ip: "[2001:db8::7]:443" }] }], count: 7 },
  ],
};
const redacted = {
  event_message: "from REDACTED and REDACTED, version 1.2.3 at 09:00:00",
  metadata: [{ request: [{ headers: [{ cf_connecting_ip: "REDACTED", x_real_ip: "REDACTED" }] }], count: 7 }],
};

it.each(["true", "TRUE", "True"])(
  "the header LF-ENDPOINT-REDACT-PII: %s redacts addresses at every depth",
  async (value) => {
    const [row] = await service.rows("logs.all", { project }, { "LF-ENDPOINT-REDACT-PII": value });
    expect(row).toMatchObject(redacted);
  },
);

it("redaction by the header applies to that request only", async () => {
  expect((await service.rows("logs.all", { project }, { "LF-ENDPOINT-REDACT-PII": "true" }))[0]).toMatchObject(
    redacted,
  );
  expect((await service.rows("logs.all", { project }))[0]).toMatchObject(raw);
});

it.each(["false", "1", "yes"])("redaction is off when the header is %j, as without it", async (value) => {
  expect((await service.rows("logs.all", { project }, { "LF-ENDPOINT-REDACT-PII": value }))[0]).toMatchObject(raw);
});

it("redaction by the header applies to a consumer's query too", async () => {
  const sql =
    "select h.cf_connecting_ip as ip from edge_logs, unnest(metadata) m, unnest(m.request) r, unnest(r.headers) h";
  expect(await service.rows("logs.all", { project, sql }, { "LF-ENDPOINT-REDACT-PII": "true" })).toEqual([
    { ip: "REDACTED" },
  ]);
});
