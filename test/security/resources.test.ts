import { afterAll, beforeAll, expect, it } from "vitest";
import { type Attempt, tryAll, tryOne } from "./attempt.ts";
import { type Answer, fillTwoProjects, type SecurityService, startSecurityService } from "./security-service.ts";
import { resourceAttempts } from "./tables/resources.ts";

const queryTimeoutMs = 100;
/** The deadline, a second, and what a machine under load takes. */
const containedWithinMs = queryTimeoutMs + 1_000 + 3_000;
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
  const judge = (_: Attempt, { status, elapsedMs }: Answer) => {
    if (![200, 400, 413, 422, 504].includes(status)) return "not contained";
    return elapsedMs <= containedWithinMs ? undefined : `took ${Math.round(elapsedMs)} ms`;
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
  failures.push(...(await tryAll(service, taken, judge)));
  expect(failures).toEqual([]);
  await expect
    .poll(async () => (await service.ask({ sql: "select count(*) as n from edge_logs" })).rows, { timeout: 10_000 })
    .toEqual([{ n: 3 }]);
});
