import { expect, it } from "vitest";
import { type Attempt, tryOne } from "./attempt.ts";
import { type Answer, fillTwoProjects, type SecurityService, startSecurityService } from "./security-service.ts";

const queryTimeoutMs = 100;
/** Enough to keep two cores busy. */
const atOnce = 4;

/** A service with little time for each query, and events of two projects. */
async function startImpatientService(): Promise<SecurityService> {
  const service = await startSecurityService({ queryTimeoutMs });
  await fillTwoProjects(service);
  return service;
}

/** Makes the attempts, some of them concurrently, and returns those not contained. The service answers afterwards. */
async function findUncontained(service: SecurityService, attempts: readonly Attempt[]): Promise<string[]> {
  // What a deadline stops is stopped or its engine is ended, or no answer would arrive; `unstoppable.test.ts` checks
  // the timing with a simulated clock, because the load of the machine would decide it here.
  const judge = (_: Attempt, { status, code, limit }: Answer) => {
    if (![200, 400, 413, 422, 504].includes(status)) return "not contained";
    if (status === 504 && (code !== "timeout" || limit !== "query_timeout_ms")) return "not by its deadline";
    return status === 413 && limit === undefined ? "no limit named" : undefined;
  };
  // Each attempt has its own token: one that has ended the engine host is held back.
  const tryAlone = async (attempt: Attempt) =>
    tryOne(service, attempt, judge, { "x-api-key": await service.createToken() });
  const waiting = [...attempts];
  const taken: Attempt[] = [];
  const failures: string[] = [];
  const work = async () => {
    for (let attempt = waiting.shift(); attempt !== undefined; attempt = waiting.shift()) {
      const { answer, failure } = await tryAlone(attempt);
      // A bystander of an ended engine host is told to retry.
      if (answer.code === "engine_unavailable") taken.push(attempt);
      else if (failure !== undefined) failures.push(failure);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  // The last attempt may have ended the engine host, which takes a moment to restart.
  await service.settle();
  for (const attempt of taken) {
    // Even alone it may meet the end of an engine that the previous query kept busy, once.
    let tried = await tryAlone(attempt);
    for (let again = 0; again < 3 && tried.answer.code === "engine_unavailable"; again++) {
      tried = await tryAlone(attempt);
    }
    if (tried.failure !== undefined) failures.push(tried.failure);
  }
  return failures;
}

/** The test of some attempts on a service of their own, which answers afterwards. */
export function testContainment(title: string, attempts: readonly Attempt[], timeoutMs: number): void {
  it(title, { timeout: timeoutMs }, async () => {
    const service = await startImpatientService();
    try {
      expect(await findUncontained(service, attempts)).toEqual([]);
      await expect
        .poll(async () => (await service.ask({ sql: "select count(*) as n from edge_logs" })).rows)
        .toEqual([{ n: 3 }]);
    } finally {
      await service.stop();
    }
  });
}
