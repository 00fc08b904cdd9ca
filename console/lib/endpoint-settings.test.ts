import { expect, it } from "vitest";
import { readEndpointSettings, toEndpointChange } from "./endpoint-settings.ts";

const shown = {
  description: null,
  max_rows: 1_000,
  cache_seconds: 0,
  sandbox: false,
  redact_pii: ["email"],
  parameters: { project: { type: "string", required: true, allowed: null, default: null, description: null } },
};
const settings = readEndpointSettings(shown);

it("shows the settings of an endpoint, and sends nothing of what was left as it was", () => {
  expect(settings).toEqual({
    description: "",
    maxRows: "1000",
    cacheSeconds: "",
    isSandboxed: false,
    isRedacted: true,
    parameters: JSON.stringify({ project: { type: "string", required: true } }, undefined, 2),
  });
  expect(toEndpointChange(settings, shown)).toEqual({});
});

it("sends what was changed, and null for what was emptied", () => {
  const changed = { ...settings, description: " of a shop ", maxRows: "", cacheSeconds: "60", isRedacted: false };
  expect(toEndpointChange(changed, shown)).toEqual({
    description: "of a shop",
    max_rows: null,
    cache_seconds: 60,
    redact_pii: false,
  });
  expect(toEndpointChange({ ...settings, isSandboxed: true, parameters: "" }, shown)).toEqual({
    sandbox: true,
    parameters: {},
  });
});

it.each(["{", "[]", "null", "project"])("refuses parameters that are no JSON object: %s", (parameters) => {
  expect(() => toEndpointChange({ ...settings, parameters }, shown)).toThrow("The parameters are no JSON object");
});
