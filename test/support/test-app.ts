import type { FastifyInstance } from "fastify";
import type { Identity } from "../../src/access/scope.ts";
import type { AuditEvent } from "../../src/audit/audit-event.ts";
import { ResultCache } from "../../src/endpoints/cache/result-cache.ts";
import type { Planner } from "../../src/endpoints/call/plan/plan.ts";
import { createDataThrough } from "../../src/endpoints/call/run/data-through.ts";
import { createHoldBack } from "../../src/endpoints/call/run/hold-back.ts";
import type { Endpoint, EndpointDefinition } from "../../src/endpoints/definition/definition.ts";
import { draftEndpoint } from "../../src/endpoints/definition/draft-endpoint.ts";
import { createEndpointRegistry, type EndpointRegistry } from "../../src/endpoints/management/endpoint-registry.ts";
import { createCursorSealer } from "../../src/endpoints/paging/cursor.ts";
import type { EventStore } from "../../src/engines/contract/query-engine.ts";
import { buildApp } from "../../src/http/app.ts";
import { createLogger } from "../../src/http/observe/logger.ts";
import { createRateLimiter } from "../../src/http/request/rate-limiter.ts";
import { createShutdown, type Shutdown } from "../../src/http/request/shutdown.ts";
import { createIngestQuotas, type IngestQuotaOptions } from "../../src/ingest/quotas/ingest-quotas.ts";
import type { NodeState } from "../../src/metadata/nodes.ts";
import { Admission } from "../../src/shared/concurrency/admission.ts";
import { ServiceError } from "../../src/shared/errors.ts";
import { openSources } from "../../src/sources/source-registry.ts";
import { createFakeEngine, emptyQuery, type FakeEngine } from "./fake-engine.ts";

/** The HTTP side over a fake engine and a fake planner, with a token for every scope. */
export interface TestApp {
  readonly app: FastifyInstance;
  readonly engine: FakeEngine;
  readonly endpoints: EndpointRegistry;
  /** The planner's requests. */
  readonly planned: Parameters<Planner["plan"]>[];
  /** Replaces the planner's answer. */
  onPlan: Planner["plan"];
  /** Every line of the log. */
  readonly logLines: string[];
  /** The recorded audit events. */
  readonly audited: AuditEvent[];
  readonly shutdown: Shutdown;
}

const testNowMs = Date.parse("2026-08-20T09:00:00Z");

const identities: Readonly<Record<string, Identity>> = {
  "private-token": { tokenId: "p", scopes: ["private"], pins: {}, budget: {}, redaction: "switchable" },
  "redacted-token": { tokenId: "r", scopes: ["private"], pins: {}, budget: {}, redaction: "required" },
  "query-token": { tokenId: "q", scopes: ["query"], pins: {}, budget: {}, redaction: "fixed" },
  "one-token": { tokenId: "o", scopes: ["query:endpoint:open"], pins: {}, budget: {}, redaction: "fixed" },
  "ingest-token": { tokenId: "i", scopes: ["ingest"], pins: {}, budget: {}, redaction: "fixed" },
  "bound-token": {
    tokenId: "b",
    scopes: ["ingest"],
    pins: {},
    budget: { max_ingest_events_per_minute: 3, max_ingest_bytes_per_minute: 1_000 },
    redaction: "fixed",
  },
  "edge-token": { tokenId: "e", scopes: ["ingest:source:edge"], pins: {}, budget: {}, redaction: "fixed" },
  "metrics-token": { tokenId: "m", scopes: ["metrics"], pins: {}, budget: {}, redaction: "fixed" },
  "list-token": {
    ...{ tokenId: "l", scopes: ["query"], pins: { project: ["abc", "abd"] } },
    ...{ budget: {}, redaction: "fixed" },
  },
  "prefix-token": {
    ...{ tokenId: "f", scopes: ["query"], pins: { project: { prefix: "ab" } } },
    ...{ budget: {}, redaction: "fixed" },
  },
  "pinned-token": { tokenId: "n", scopes: ["query"], pins: { project: "abc" }, budget: {}, redaction: "fixed" },
};

function makeEndpoint(more: Partial<EndpointDefinition> & { readonly name: string; readonly id: string }): Endpoint {
  const query = "SELECT 1";
  const definition: EndpointDefinition = {
    description: undefined,
    query,
    maxRows: 1_000,
    cacheSeconds: 0,
    warmEverySeconds: undefined,
    isSandboxed: true,
    redactsPii: false,
    parameters: [],
    tableAliases: {},
    labels: {},
    ...more,
  };
  return draftEndpoint(definition, { origin: { kind: "file", path: `${more.name}.sql` } });
}

const plain = { isRequired: false, allowed: undefined, default: null, description: undefined } as const;

const endpoints = [
  makeEndpoint({
    id: "00000000-0000-4000-8000-00000000000a",
    name: "open",
    parameters: [
      { ...plain, name: "project", type: "string", isRequired: true },
      { ...plain, name: "since", type: "timestamp" },
      { ...plain, name: "interval", type: "string", allowed: ["hourly", "daily"] },
    ],
  }),
  makeEndpoint({ id: "00000000-0000-4000-8000-00000000000b", name: "closed", isSandboxed: false, redactsPii: true }),
  makeEndpoint({
    id: "00000000-0000-4000-8000-00000000000c",
    name: "cached",
    cacheSeconds: 900,
    parameters: [{ ...plain, name: "project", type: "string" }],
  }),
];

interface TestAppOptions {
  readonly isMetricsOpen?: boolean;
  readonly nodeState?: () => NodeState;
  /** Beside `edge` and `db`. */
  readonly sources?: readonly string[];
  /** The tenant field of all these sources. */
  readonly tenantField?: string;
  /** In place of parts that do nothing. */
  readonly parts?: Partial<
    Pick<
      Parameters<typeof buildApp>[0],
      "syslogCounts" | "drains" | "alerts" | "forgetting" | "clearElsewhere" | "authenticator" | "signIn" | "management"
    >
  >;
  readonly auditDropped?: number;
  readonly times?: Partial<Parameters<typeof buildApp>[0]["times"]>;
  readonly space?: EventStore["space"];
  /** How much of the answers is cached; none at 0. */
  readonly cacheBytes?: number;
  /** No limits unless set. */
  readonly quotas?: Partial<IngestQuotaOptions>;
}

export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const engine = createFakeEngine();
  if (options.space !== undefined) Object.assign(engine.store, { space: options.space });
  const logLines: string[] = [];
  const audited: AuditEvent[] = [];
  const shutdown = createShutdown();
  const planned: Parameters<Planner["plan"]>[] = [];
  const source = {
    kind: "x",
    description: "",
    retentionDays: undefined,
    knownFields: [],
    ...(options.tenantField === undefined ? {} : { tenantField: options.tenantField }),
  };
  const sources = await openSources(
    [
      { ...source, name: "edge", aliases: ["cdn.logs"] },
      { ...source, name: "db", aliases: [] },
      ...(options.sources ?? []).map((name) => ({ ...source, name, aliases: [] })),
      { ...source, name: "logweir.audit", aliases: [], origin: { kind: "service" } },
    ],
    engine.store,
  );
  const test: { onPlan: Planner["plan"] } = { onPlan: () => emptyQuery };
  const planner: Planner = {
    plan: (...asked) => {
      planned.push(asked);
      return test.onPlan(...asked);
    },
    tenantParameters: () => [],
  };
  const registry = createEndpointRegistry(endpoints);
  const app = await buildApp({
    ...(options.nodeState === undefined ? {} : { nodeState: options.nodeState }),
    runner: {
      engine,
      planner,
      admission: new Admission({ maxRunning: 2, maxWaiting: 0 }),
      holdBack: createHoldBack(() => testNowMs),
      cursors: createCursorSealer(new Uint8Array(32)),
      timeoutMs: 60_000,
      maxResultBytes: 1_000_000,
      budget: { max_query_characters: 300_000 },
      now: () => 0,
    },
    cache: new ResultCache({
      maxBytes: options.cacheBytes ?? 1_000_000,
      nowMs: () => testNowMs,
      steadyMs: () => testNowMs,
      random: Math.random,
    }),
    dataThrough: await createDataThrough(engine.store, async () => undefined, new AbortController().signal),
    endpoints: registry,
    sources,
    authenticator: {
      authenticate: async (secret) => identities[secret],
      recall: (secret) => {
        const identity = identities[secret];
        return identity === undefined ? undefined : { identity, isCurrent: () => identities[secret] === identity };
      },
    },
    keyGrants: {
      exchange: async () => {
        throw new ServiceError("unauthorized", "No key");
      },
    },
    audit: {
      level: "all",
      record: (event) => void audited.push(event),
      droppedCount: options.auditDropped ?? 0,
    },
    logger: createLogger("info", { write: (line) => void logLines.push(line) }),
    rates: createRateLimiter(600, () => testNowMs),
    quotas: createIngestQuotas({ budget: {}, tenantRates: {}, nowMs: () => testNowMs, ...options.quotas }),
    maxBodyBytes: 100_000,
    maxBodyEvents: 100_000,
    times: {
      bodyTimeoutMs: 200,
      minBodyBytesPerSecond: 1,
      headersTimeoutMs: 10_000,
      keepAliveTimeoutMs: 10_000,
      sendTimeoutMs: 10_000,
      ...options.times,
    },
    isMetricsOpen: options.isMetricsOpen ?? false,
    nowMs: () => testNowMs,
    shutdown,
    ...options.parts,
  });
  return Object.assign(test, { app, engine, endpoints: registry, planned, logLines, audited, shutdown });
}
