import { afterAll, describe, it } from "vitest";
import { type Service, startService } from "../acceptance/service.ts";
import { sampleOf } from "../support/sample-size.ts";
import type { Attempt } from "./attempt.ts";
import { settingAttempts } from "./setting-attempts.ts";

/** The service without any setting, which all attempts share. */
let plain: Promise<Service> | undefined;

afterAll(async () => {
  await (await plain)?.stop();
});

/** Starts services for one attempt and stops them behind it. */
async function attempt(run: Attempt): Promise<void> {
  const started: Service[] = [];
  try {
    await run(async (env, options) => {
      if (Object.keys(env).length === 0 && options === undefined) {
        plain ??= startService();
        return await plain;
      }
      const service = await startService({ env, ...options });
      started.push(service);
      return service;
    });
  } finally {
    for (const service of started) await service.stop();
  }
}

// Each with settings starts services of its own, and mostly waits for them. `expect.poll` works in no concurrent test.
describe.concurrent("the setting", () => {
  for (const [name, row] of sampleOf(Object.entries(settingAttempts), 0.25)) {
    if (typeof row === "function") it(`${name} takes effect`, () => attempt(row));
  }
});
