import { describe, expect, it } from "vitest";
import { createIngestQuotas, type IngestQuotaOptions, type IngestSender } from "./ingest-quotas.ts";

function open(options: Partial<IngestQuotaOptions>) {
  const clock = { ms: 0 };
  return { clock, quotas: createIngestQuotas({ budget: {}, tenantRates: {}, nowMs: () => clock.ms, ...options }) };
}

const load = (tenant: string | null, eventCount: number, byteCount = 0) => ({ tenant, eventCount, byteCount });
const sender: IngestSender = { tokenId: "t", source: "edge", tenantField: "project" };
const all = "Nothing of the body was stored. Send it again after the seconds of Retry-After.";
const smaller = "Nothing of it was stored. Send its events in smaller bodies.";

describe("the ingest limits of tokens", () => {
  it("do not apply where there are none, or no token", () => {
    const { quotas } = open({ budget: { max_ingest_events_per_minute: 1 } });
    expect(quotas.gateFor({ source: "edge", tenantField: "project" })).toBeUndefined();
    expect(open({}).quotas.gateFor(sender)).toBeUndefined();
    expect(() => open({}).quotas.check("t", {})).not.toThrow();
    expect(open({ tenantRates: { bytes: 1 } }).quotas.gateFor({ source: "edge" })).toBeUndefined();
    expect(quotas.gateFor(sender)?.measure).toEqual({ tenantField: "project" });
  });

  it("are the tightest of all tokens' and its own, over all tenants together", () => {
    const { clock, quotas } = open({ budget: { max_ingest_events_per_minute: 10, max_ingest_bytes_per_minute: 600 } });
    const budget = { max_ingest_events_per_minute: 6, max_ingest_bytes_per_minute: 700 };
    const gate = quotas.gateFor({ ...sender, budget });
    expect(() => gate?.admit([load("a", 4), load(null, 3)])).toThrow(
      expect.objectContaining({
        code: "rate_limited",
        message: "This token: the body holds 7 events, and 6 a minute are allowed",
        details: { limit: "max_ingest_events_per_minute", retryAfterSeconds: 60, hint: smaller },
      }),
    );
    gate?.admit([load("a", 2, 300), load(null, 1, 300)]);
    expect(() => gate?.admit([load("a", 1, 101)])).toThrow(
      expect.objectContaining({
        code: "rate_limited",
        message: "This token: too many bytes, 600 a minute are allowed",
        details: { limit: "max_ingest_bytes_per_minute", retryAfterSeconds: 11, hint: all },
      }),
    );
    expect(() => quotas.check("t", budget)).toThrow(
      expect.objectContaining({ code: "rate_limited", details: expect.objectContaining({ retryAfterSeconds: 1 }) }),
    );
    expect(() => quotas.check("other", budget)).not.toThrow();
    clock.ms = 10_100;
    expect(() => gate?.admit([load("a", 1, 101)])).not.toThrow();
  });

  it("are restored once when the events could not be stored", () => {
    const { quotas } = open({ budget: { max_ingest_events_per_minute: 4 } });
    const gates = [quotas.gateFor(sender), quotas.gateFor(sender)];
    gates[0]?.admit([load(null, 2)]);
    gates[1]?.admit([load(null, 2)]);
    gates[0]?.giveBack();
    gates[0]?.giveBack();
    expect(() => quotas.gateFor(sender)?.admit([load(null, 3)])).toThrow("too many events");
    expect(() => quotas.gateFor(sender)?.admit([load(null, 2)])).not.toThrow();
  });
});

describe("the ingest limits of tenants", () => {
  it("are each tenant's in each source, whoever sends, and none of events without a tenant", () => {
    const { quotas } = open({ tenantRates: { events: 6 } });
    const admit = (source: string, tokenId: string, ...loads: ReturnType<typeof load>[]) =>
      quotas.gateFor({ ...sender, source, tokenId })?.admit(loads);
    admit("edge", "t", load("a", 6), load(null, 100));
    admit("edge", "t", load("b", 6));
    admit("db", "t", load("a", 6));
    expect(() => admit("edge", "other", load("a", 1))).toThrow(
      expect.objectContaining({
        code: "tenant_limit",
        message: "The tenant a of the source edge: too many events, 6 a minute are allowed",
        details: { limit: "max_tenant_events_per_minute", retryAfterSeconds: 10, hint: all },
      }),
    );
  });

  it("take nothing of a body in which one tenant has too little left", () => {
    const { quotas } = open({ budget: { max_ingest_events_per_minute: 9 }, tenantRates: { bytes: 10 } });
    const gate = quotas.gateFor(sender);
    expect(() => gate?.admit([load("a", 5, 10), load("b", 1, 11)])).toThrow(
      expect.objectContaining({
        message: "The tenant b of the source edge: the body holds 11 bytes, and 10 a minute are allowed",
        details: { limit: "max_tenant_bytes_per_minute", retryAfterSeconds: 60, hint: smaller },
      }),
    );
    gate?.admit([load("a", 9, 10), load("b", 0, 10)]);
    gate?.giveBack();
    gate?.admit([load("a", 9, 10), load("b", 0, 10)]);
  });

  it("tell names of any length apart, and quote their beginnings", () => {
    const { quotas } = open({ tenantRates: { events: 1 } });
    const admit = (tenant: string) => quotas.gateFor({ source: "edge", tenantField: "x" })?.admit([load(tenant, 1)]);
    const long = "x".repeat(300);
    for (const tenant of [long, `${long}y`, "x".repeat(100), "x".repeat(101)]) admit(tenant);
    expect(() => admit(long)).toThrow(`The tenant ${"x".repeat(200)} of the source edge: too many events`);
    expect(() => admit("x".repeat(101))).toThrow("too many events");
  });
});
