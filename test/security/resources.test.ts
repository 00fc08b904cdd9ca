import { afterAll, beforeAll, expect, it } from "vitest";
import { type Attempt, tryOne } from "./attempt.ts";
import { type Answer, fillTwoProjects, type SecurityService, startSecurityService } from "./security-service.ts";
import { resourceAttempts } from "./tables/resources.ts";

const queryTimeoutMs = 100;
/** Enough to keep two cores busy. */
const atOnce = 4;

let service: SecurityService;

beforeAll(async () => {
  service = await startSecurityService({ queryTimeoutMs });
  await fillTwoProjects(service);
});

// An engine host that is busy with a query it cannot interrupt is ended after half a minute.
afterAll(async () => {
  await service.stop();
}, 60_000);

it("contains every query that asks for too much, and goes on answering", { timeout: 120_000 }, async () => {
  // What a deadline stops is stopped or its engine ended, or no answer would come; when, `unstoppable.test.ts` holds by a clock of
  // its own: here the load of the machine would decide.
  const judge = (_: Attempt, { status, code, limit }: Answer) => {
    if (![200, 400, 413, 422, 504].includes(status)) return "not contained";
    if (status === 504 && (code !== "timeout" || limit !== "query_timeout_ms")) return "not by its deadline";
    return status === 413 && limit === undefined ? "no limit named" : undefined;
  };
  const waiting = [...resourceAttempts];
  const taken: Attempt[] = [];
  const failures: string[] = [];
  const work = async () => {
    for (let attempt = waiting.shift(); attempt !== undefined; attempt = waiting.shift()) {
      const { answer, failure } = await tryOne(service, attempt, judge);
      // Who only stood by when an engine host was ended is told to come again.
      if (answer.code === "engine_unavailable") taken.push(attempt);
      else if (failure !== undefined) failures.push(failure);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  // The last attempt may have cost the engine host, which takes a moment to come back.
  await expect.poll(() => service.health(), { timeout: 15_000 }).toBe(200);
  for (const attempt of taken) {
    // Alone it may still meet the end of the engine that the query before it keeps busy, once.
    let tried = await tryOne(service, attempt, judge);
    for (let again = 0; again < 3 && tried.answer.code === "engine_unavailable"; again++) {
      tried = await tryOne(service, attempt, judge);
    }
    if (tried.failure !== undefined) failures.push(tried.failure);
  }
  expect(failures).toEqual([]);
  await expect
    .poll(async () => (await service.ask({ sql: "select count(*) as n from edge_logs" })).rows, { timeout: 10_000 })
    .toEqual([{ n: 3 }]);
});
