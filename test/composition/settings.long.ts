import { describe, it } from "vitest";
import { attempt, settingAttempts } from "./setting-attempts.ts";

// Each starts services of its own, and mostly waits for them. `expect.poll` works in no concurrent test.
describe.concurrent("the setting", () => {
  for (const [name, row] of Object.entries(settingAttempts)) {
    if (typeof row === "function") it(`${name} takes effect`, () => attempt(row));
  }
});
