import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { settingDefinitions } from "../../src/config/settings.ts";
import { limitCases } from "./call-limits.ts";
import { settingAttempts } from "./setting-attempts.ts";

it("every setting and limit has a row in this folder's suites or names a test elsewhere", () => {
  expect(Object.keys(settingAttempts).sort()).toEqual(Object.keys(settingDefinitions).sort());
  expect(limitCases.length).toBeGreaterThan(5);
  for (const row of Object.values(settingAttempts)) {
    if (typeof row !== "function") expect(readFileSync(row.file, "utf8")).toContain(row.title);
  }
});
