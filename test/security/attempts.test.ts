import { afterAll, beforeAll, expect, it } from "vitest";
import { sampleOf } from "../support/sample-size.ts";
import { tryAll } from "./attempt.ts";
import { fillTwoProjects, type SecurityService, startSecurityService } from "./security-service.ts";
import { answeredAttempts } from "./tables/answered.ts";
import { deniedAttempts } from "./tables/denied.ts";
import { refusedAttempts } from "./tables/refused.ts";
import { resourceAttempts } from "./tables/resources.ts";

let service: SecurityService;

beforeAll(async () => {
  service = await startSecurityService({ queryTimeoutMs: 20_000 });
  await fillTwoProjects(service);
});

afterAll(async () => {
  await service.stop();
});

it("the sandbox denies every relation outside the endpoint, in any position and notation", async () => {
  const failures = await tryAll(service, sampleOf(deniedAttempts, 0.06), ({ table }, { status, code, message }) => {
    if (status !== 403 || code !== "sandbox_table_denied") return "not denied";
    return message.includes(table) ? undefined : `does not name ${table}`;
  });
  expect(failures).toEqual([]);
});

it("the sandbox refuses invalid queries, and functions and parameters outside the lists", async () => {
  const failures = await tryAll(service, sampleOf(refusedAttempts, 0.06), ({ code }, answer) => {
    if (answer.code !== code) return `not ${code}`;
    const expected = code === "sandbox_table_denied" ? 403 : code === "too_complex" ? 422 : 400;
    return answer.status === expected ? undefined : "another status";
  });
  expect(failures).toEqual([]);
});

it("the sandbox answers allowed queries with the project's own rows only", async () => {
  const failures = await tryAll(service, sampleOf(answeredAttempts, 0.12), ({ cells }, { status, rows }) => {
    const found = rows.map((row) => Object.values(row));
    return status === 200 && JSON.stringify(found) === JSON.stringify(cells) ? undefined : "another answer";
  });
  expect(failures).toEqual([]);
});

it("the tables contain at least 250 attempts with unique names", () => {
  const names = [deniedAttempts, refusedAttempts, answeredAttempts, resourceAttempts].map((attempts) =>
    attempts.map(({ name }) => name),
  );
  for (const each of names) expect(new Set(each).size).toBe(each.length);
  expect(names.flat().length).toBeGreaterThanOrEqual(250);
});
