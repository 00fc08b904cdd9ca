import { expect, it, vi } from "vitest";
import type { EndpointRegistry } from "../endpoints/management/endpoint-registry.ts";
import { planOf } from "./alert-document.ts";
import { createRedactionReader } from "./redactions.ts";

it("an alert's query is parsed once for its redactions, which are those of each moment", () => {
  let redactsPii = false;
  const find = (name: string) =>
    name === "open" ? { definition: { id: "o", redactsPii, detectors: ["ip"] }, reads: [] } : undefined;
  const nowMs = vi.fn(() => 0);
  const reader = createRedactionReader({ find } as unknown as Pick<EndpointRegistry, "find">, nowMs);
  const form = { name: "n", sql: "SELECT 1 FROM open, other", every: "1m", notify: [] };
  const plan = planOf({ id: "a", form });
  expect(reader.redactionsOf(plan)).toEqual({ o: null });
  redactsPii = true;
  expect(reader.redactionsOf(plan)).toEqual({ o: "ip" });
  expect(nowMs).toHaveBeenCalledTimes(1);
  const other = planOf({ id: "a", form: { ...form, sql: "SELECT 1 FROM other" } });
  expect(reader.redactionsOf(other)).toEqual({});
});
