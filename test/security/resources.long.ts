import { afterAll, beforeAll, expect, it } from "vitest";
import { findUncontained, startImpatientService } from "./contain.ts";
import type { SecurityService } from "./security-service.ts";
import { resourceAttempts } from "./tables/resources.ts";

let service: SecurityService;

beforeAll(async () => {
  service = await startImpatientService();
});

afterAll(async () => {
  await service.stop();
}, 60_000);

it("contains every query that asks for too much, and goes on answering", { timeout: 240_000 }, async () => {
  const attempts = resourceAttempts;
  expect(await findUncontained(service, attempts)).toEqual([]);
  await expect
    .poll(async () => (await service.ask({ sql: "select count(*) as n from edge_logs" })).rows, { timeout: 10_000 })
    .toEqual([{ n: 3 }]);
});
