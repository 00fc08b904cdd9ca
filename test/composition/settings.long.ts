import { describe, it } from "vitest";
import { attempt, settingAttempts } from "./setting-attempts.ts";

describe("the setting", () => {
  for (const [name, row] of Object.entries(settingAttempts)) {
    if (typeof row === "function") it(`${name} takes effect`, () => attempt(row));
  }
});
