import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogEvent } from "../../engines/contract/query-engine.ts";
import { type DuckDbEngine, openMemoryEngine } from "../../engines/duckdb/index.ts";
import { parseQuery } from "../../googlesql/parse.ts";
import { resolveQuery } from "../../googlesql/resolve.ts";
import { defaultIngestLimits } from "../../ingest/limits.ts";
import { MadeIds } from "../../ingest/made-ids.ts";
import { normaliseEvent } from "../../ingest/normalise-event.ts";
import { openSources, type SourceRegistry } from "../../sources/source-registry.ts";
import { readNewestOfTenant } from "./newest-of-tenant.ts";

const never = new AbortController().signal;
const START_US = 1_787_216_400_000_000;
const normalising = { nowUs: 0n, limits: defaultIngestLimits, tally: { untimed: 0 }, ids: new MadeIds() };

/** The tenant field with values of all types, and at all paths that might be confused with it. */
const value = fc.constantFrom<unknown>("a", "b", "A", "ü", 7, 1.5, true, { x: "a" }, ["a"], [{ x: "a" }], "", null);
const record = fc.dictionary(fc.constantFrom("ref", "ref", "REF", "Ref", "n"), value, { maxKeys: 3 });
const metadata = fc.oneof(record, record, fc.array(record, { maxLength: 3 }), fc.array(value, { maxLength: 2 }), value);
const jobs = fc.dictionary(fc.constantFrom("metadata", "metadata", "Metadata", "METADATA"), metadata, { maxKeys: 2 });
const edge = fc.dictionary(fc.constantFrom("project", "Project", "PROJECT"), fc.oneof(value, metadata), { maxKeys: 2 });

/** A guard of each source, as endpoints have it. */
const guards = {
  edge: "SELECT UNIX_MICROS(MAX(t.timestamp)) FROM edge AS t WHERE t.project = ",
  jobs: "SELECT UNIX_MICROS(MAX(t.timestamp)) FROM jobs AS t CROSS JOIN UNNEST(t.metadata) AS m WHERE m.ref = ",
};

describe("the newest event of each tenant", () => {
  let engine: DuckDbEngine;
  let sources: SourceRegistry;

  beforeAll(async () => {
    engine = await openMemoryEngine({ threads: 1 });
    const source = { kind: "x", description: "", retentionDays: undefined, aliases: [] };
    const text = (path: string) => [{ path, type: { kind: "STRING" } as const }];
    sources = await openSources(
      [
        { ...source, name: "edge", knownFields: text("project"), tenantField: "project" },
        { ...source, name: "jobs", knownFields: text("metadata.ref"), tenantField: "metadata.ref" },
      ],
      engine.store,
    );
  });
  afterAll(() => engine.close());

  /** Stores events one second apart, and returns the newest timestamp of each tenant as reported by the store. */
  async function store(name: keyof typeof guards, events: readonly object[]): Promise<Map<string, bigint>> {
    const noted = new Map<string, bigint>();
    for (const [index, fields] of events.entries()) {
      const time = { timestamp: String(START_US + index * 1_000_000) };
      const event: LogEvent = normaliseEvent({ ...fields, ...time }, index, normalising);
      const { newestByTenant } = await engine.store.append(name, [event], never);
      for (const [tenant, us] of newestByTenant ?? []) noted.set(tenant, us);
    }
    return noted;
  }

  async function ask(sql: string, tenant: string): Promise<string> {
    const tables = { findTable: (name: string) => sources.findTable(name, tenant), tableNames: () => [] };
    const query = engine.compile(resolveQuery(parseQuery(sql), sql, { tables }), { text: sql });
    const limits = { timeoutMs: 60_000, maxRows: 10, maxResultBytes: 10_000 };
    const { batches } = await engine.run({ query, values: [], encoding: "cells", limits, signal: never });
    let json = "";
    for await (const batch of batches) json += batch.json;
    return json;
  }

  it.each([
    ["edge", edge],
    ["jobs", jobs],
  ] as const)("is the same when stored, when read after a start, and below a guard: %s", async (name, fields) => {
    const events = fc.sample(fields, { numRuns: 60, seed: 20260820 });
    const noted = await store(name, events);
    expect(noted.size).toBeGreaterThan(4);
    // Whatever else the source holds: within the first window, the second, or beyond both.
    for (const later of [0n, 3_600_000_000n, 90_000_000_000n]) {
      const sourceNewestUs = [...noted.values()].reduce((a, b) => (a > b ? a : b)) + later;
      const readNewest = (tenant: string) =>
        readNewestOfTenant(engine, sources, { source: name, tenant, sourceNewestUs }, never);
      for (const [tenant, us] of noted) expect(await readNewest(tenant)).toBe(us);
      for (const tenant of ["none", "'", "\\", "\u2028"]) expect(await readNewest(tenant)).toBeUndefined();
    }
    for (const [tenant, us] of noted) expect(await ask(`${guards[name]}'${tenant}'`, tenant)).toBe(`[${us}]`);
  });
});
