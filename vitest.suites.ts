// The suites of tests: `npm test` runs the short one, and `LOGWEIR_SUITE` names another.
import type { ViteUserConfig } from "vitest/config";

/** Acceptance tests that share a service of their worker, and stand for the others in `npm test`. */
const shortAcceptance = ["logs-all", "redaction", "running", "sandbox", "usage-api-counts"];

/**
 * Tests that `npm test` leaves to a stage of `.ci/run`: what starts a service for each file, opens a store or database
 * for each test, asks every function, route, protocol or shape of an event, or compiles a client. What else there is of
 * their rooms stands for them.
 */
const heavyTests = [
  "src/backups/*.test.ts",
  "src/cli/commands/*.test.ts",
  "src/cli/input/parquet-lines.test.ts",
  "src/drains/**/*.test.ts",
  "src/endpoints/call/plan/apart/*.test.ts",
  "src/endpoints/paging/paging.test.ts",
  "src/endpoints/tenants/newest-of-tenant.test.ts",
  "src/engines/clickhouse/choices.test.ts",
  "src/engines/clickhouse/functions/pushed.test.ts",
  "src/engines/clickhouse/pushdown/*.test.ts",
  "src/engines/duckdb/compile/expression/*.test.ts",
  "src/engines/duckdb/compile/hidden-failures.test.ts",
  "src/engines/duckdb/compile/linear.test.ts",
  "src/engines/duckdb/compile/run-constants.test.ts",
  "src/engines/duckdb/driver/connection.test.ts",
  "src/engines/duckdb/file/*.test.ts",
  "src/engines/duckdb/functions/failures.test.ts",
  "src/engines/duckdb/functions/time/*.test.ts",
  "src/engines/duckdb/host/core.test.ts",
  "src/engines/duckdb/host/ids/*.test.ts",
  "src/engines/duckdb/host/maintenance/*.test.ts",
  "src/engines/duckdb/host/query/newest.test.ts",
  "src/engines/duckdb/host/query/statement-rules.test.ts",
  "src/engines/duckdb/host/report.test.ts",
  "src/engines/duckdb/host/store/*.test.ts",
  "src/engines/duckdb/process/log-loss.test.ts",
  "src/engines/duckdb/store/*.test.ts",
  "src/engines/encoder/*.test.ts",
  "src/googlesql/resolver/expansion.test.ts",
  "src/googlesql/resolver/robustness.test.ts",
  "src/http/documented.test.ts",
  "src/http/error-codes.test.ts",
  "src/http/formats/formats.test.ts",
  "src/http/ingest/*.test.ts",
  "src/http/request/crossing.test.ts",
  "src/http/request/stored-texts.test.ts",
  "src/http/route-access.test.ts",
  "src/http/routes/admin/*.test.ts",
  "src/http/routes/ingest/senders.test.ts",
  "src/http/time-limits.test.ts",
  "src/ingest/protocols/*.test.ts",
  "src/ingest/syslog-port/syslog.test.ts",
  "src/loki/pipeline/*.test.ts",
  "src/metadata/**/*.test.ts",
  "src/semantics/sketch/*.test.ts",
  "src/service/*.test.ts",
  "src/transfer/**/*.test.ts",
  "test/clients/openapi-client.test.ts",
  "test/conformance/places/*.test.ts",
  "test/conformance/random/*.test.ts",
  "test/engine-conformance/conformance.test.ts",
  "test/judge/*.test.ts",
  "test/security/attempts.test.ts",
  "test/security/composed-endpoints.test.ts",
  "test/security/damaged-store.test.ts",
  "test/security/fuzz.test.ts",
  "test/security/hostile-documents.test.ts",
  "test/security/pins/forms.test.ts",
  "test/security/pins/guards/*.test.ts",
  "test/security/pins/random-queries.test.ts",
  "test/security/redaction-*.test.ts",
  "test/security/repeated-texts.test.ts",
  "test/security/sandbox-properties.test.ts",
  "test/security/surfaces/*.test.ts",
  "test/security/unstoppable.test.ts",
  "test/studio/studio.test.ts",
];

/** Heavy tests that run beside others of a real server. */
const serverTests = [
  "src/engines/clickhouse/driver/silence.test.ts",
  "src/engines/clickhouse/spool/*.test.ts",
  "src/engines/clickhouse/store/append-queue.test.ts",
];

/** Short forms of long suites that a stage of `.ci/run` tries, and those of acceptance, which runs on the next Node. */
const shortForms = [
  `test/acceptance/!(${shortAcceptance.join("|")}).test.ts`,
  "src/engines/duckdb/compile/scan/scan-limits.test.ts",
  "src/engines/duckdb/conformance.test.ts",
  "test/security/catalogue-oracles.test.ts",
  "test/security/oracles.test.ts",
  "test/security/resources.test.ts",
  "test/security/non-interference/*.test.ts",
  "test/security/odd-events/*.test.ts",
];

/** Left out of `npm test`. */
export const leftToStages = [...heavyTests, ...serverTests, ...shortForms];

/** Tests of `npm test` that try more values (`sampleSize`), or PostgreSQL too, in the long suites. */
export const sampledTests = [
  "src/access/token-document.test.ts",
  "src/cli/input/parquet-lines.test.ts",
  "src/drains/delivery-sum.test.ts",
  "src/drains/delivery.test.ts",
  "src/endpoints/paging/paging.test.ts",
  "src/engines/clickhouse/spool/deletions.test.ts",
  "src/engines/clickhouse/spool/spool.test.ts",
  "src/engines/duckdb/compile/linear.test.ts",
  "src/engines/duckdb/compile/random-queries.test.ts",
  "src/engines/duckdb/compile/resolutions.test.ts",
  "src/engines/duckdb/compile/run-constants.test.ts",
  "src/engines/duckdb/functions/failures.test.ts",
  "src/engines/duckdb/host/maintenance/maintenance.test.ts",
  "src/engines/duckdb/host/query/newest.test.ts",
  "src/engines/duckdb/host/query/statement-rules.test.ts",
  "src/engines/duckdb/host/report.test.ts",
  "src/engines/duckdb/process/log-loss.test.ts",
  "src/engines/duckdb/store/deletions.test.ts",
  "src/engines/duckdb/store/drop-source.test.ts",
  "src/engines/duckdb/store/faults.test.ts",
  "src/engines/duckdb/store/joint-appends.test.ts",
  "src/engines/duckdb/store/kills.test.ts",
  "src/engines/duckdb/store/tenant-properties.test.ts",
  "src/engines/lowering/failing.test.ts",
  "src/engines/schema/encode/plain/plain-reader.test.ts",
  "src/googlesql/parser/limits.test.ts",
  "src/googlesql/resolver/misspelt.test.ts",
  "src/googlesql/resolver/robustness.test.ts",
  "src/googlesql/round-trip.test.ts",
  "src/http/request/crossing.test.ts",
  "src/ingest/quotas/measure-events.test.ts",
  "src/loki/logql/print-logql.test.ts",
  "src/lql/lql.test.ts",
  "src/metadata/faults.test.ts",
  "src/metadata/stores.test.ts",
  "src/redaction/corpus.test.ts",
  "src/redaction/redaction.test.ts",
  "src/sources/source-changes.test.ts",
  "src/transfer/move-events.test.ts",
  "src/transfer/state/move-state.test.ts",
  "test/acceptance/bigquery-cases.test.ts",
  "test/acceptance/export.test.ts",
  "test/acceptance/otel-logs.test.ts",
  "test/acceptance/studio-queries.test.ts",
  "test/conformance/corpus.test.ts",
  "test/conformance/families.test.ts",
  "test/conformance/random/left-out-rows.test.ts",
  "test/endpoints/hostile-texts.test.ts",
  "test/endpoints/pushed-down.test.ts",
  "test/engine-conformance/conformance.test.ts",
  "test/judge/joins.test.ts",
  "test/security/attempts.test.ts",
  "test/security/composed-endpoints.test.ts",
  "test/security/hostile-documents.test.ts",
  "test/security/pins/guards/guards.test.ts",
  "test/security/pins/random-queries.test.ts",
  "test/security/redaction-forms.test.ts",
  "test/security/redaction-undo.test.ts",
  "test/security/repeated-texts.test.ts",
  "test/security/sandbox-properties.test.ts",
  "test/security/surfaces/surfaces.test.ts",
];

/** Tests of the embedded engine alone: its own process, a folder that one service locks, backups of it. */
export const embeddedOnly = [
  "survives kill -9 of its engine host",
  "refuses a second service on its data folder",
  "reports the state of a running service to its owner only",
  "only its user may read any file of a backup",
  "copy a service while it ingests, and restore its events",
  "of several restores to one folder at once, one fills it",
  "leave nothing of a restore that was killed",
  "add to a folder what is new, and restore each of its backups",
  "name what is damaged, and restore nothing of it",
  "work with an S3-compatible store as with a folder",
  "refuse a folder that holds something else, and one in a data folder",
];

/** Tests that open the embedded engine themselves, or none. */
const withoutServer = [
  "test/acceptance/coverage.test.ts",
  "test/acceptance/lifecycle.test.ts",
  "test/security/catalogue-oracles.test.ts",
  "test/security/damaged-store.test.ts",
  "test/security/fuzz.test.ts",
  "test/security/hostile-bodies.test.ts",
  "test/security/sandbox-properties.test.ts",
  "test/security/unstoppable.test.ts",
];

/** Suites in which the engine has no part, or that of others that run here; at night, they run over ClickHouse too. */
const withoutEngine = [
  "access",
  "alerts",
  "alerts-as-code",
  "answers",
  "audit",
  "bigquery",
  "bigquery-cases",
  "bigquery-client-forms",
  "bigquery-forms",
  "bigquery-key",
  "compose-endpoints",
  "definitions",
  "drains",
  "endpoint-versions",
  "endpoints-as-code",
  "ingest",
  "logql",
  "loki",
  "loki-forms",
  "loki-tail",
  "lql-lists",
  "manage-endpoints",
  "mcp",
  "openapi",
  "owner-query",
  "reload",
  "running",
  "sample-events",
  "sign-in",
  "signed-tokens",
  "tokens-api",
  "trusted-proxy",
]
  .map((name) => `test/acceptance/${name}.test.ts`)
  .concat("test/acceptance/runs.long.ts", "test/security/hostile-documents.test.ts");

/** The same of single tests: what a client reads before it asks, what is counted before a query, and what is logged. */
export const testsWithoutEngine = [
  "the import of an export",
  "a request is one call of the token's rate",
  "ends when the service stops",
  "continues when the reader of its log goes away",
  "logs neither tokens nor event contents",
  "a command whose output is closed",
];

const all = ["src/**/*.test.ts", "console/**/*.test.{ts,tsx}", "test/**/*.test.ts", "bench/**/*.test.ts"];

export type Suite = NonNullable<ViteUserConfig["test"]> & { readonly include: string[] };

/** A long suite: tests that hang are found all the same, and one that is slow beside others is no failure. */
function longSuite(include: string[], samples: number): Suite {
  return { include, env: { LOGWEIR_SAMPLES: String(samples) }, testTimeout: 300_000, hookTimeout: 120_000 };
}

/** A suite of what any change can break, with a hundredth of the samples that `.ci/nightly` tries. */
function changeSuite(include: string[]): Suite {
  return { ...longSuite(include, 0.01), maxConcurrency: 2 };
}

/**
 * Long suites that a change leaves to the night: their short forms stand for them, and for pressure on the engine those
 * of resources and of its process.
 */
const leftToNight = [
  "test/security/damaged-store.long.ts",
  "test/security/engine-pressure.long.ts",
  "test/security/hostile-bodies.long.ts",
];

/** All tests but those with such names. */
function without(names: readonly string[]): RegExp {
  return new RegExp(`^(?!.*(?:${names.join("|")}))`);
}

/** Suites that speak with a whole service, again over a ClickHouse server. */
const clickhouse: Suite = {
  include: [
    "test/acceptance/*.test.ts",
    "test/acceptance/{lifecycle,runs}.long.ts",
    "test/security/*.test.ts",
    "test/security/non-interference/*.test.ts",
  ],
  exclude: withoutServer,
  env: { LOGWEIR_TEST_ENGINE: "clickhouse" },
  testTimeout: 300_000,
  globalSetup: ["test/clickhouse/share-server.ts"],
  testNamePattern: without(embeddedOnly),
  hookTimeout: 120_000,
};

/** By the name that `LOGWEIR_SUITE` has. */
export const suites = {
  /** `npm test`. */
  short: { include: all, exclude: leftToStages },
  all: { include: all },
  /** `npm test` with what it leaves to no other stage, and without its acceptance tests: one has all of them. */
  change: {
    include: all,
    exclude: ["test/acceptance/*.test.ts", ...shortForms, ...serverTests],
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
  /** Acceptance tests whole, of which `npm test` runs those that share a service; and the engine's own process. */
  acceptance: {
    include: ["test/acceptance/*.test.ts", "src/engines/duckdb/process/host-*.{test,long}.ts"],
    testTimeout: 300_000,
  },
  security: { ...changeSuite(["test/security/**/*.long.ts"]), exclude: leftToNight },
  processes: changeSuite([
    "test/acceptance/{lifecycle,runs}.long.ts",
    "test/nodes/two-nodes.long.ts",
    "test/composition/*.long.ts",
    "test/docs/*.long.ts",
  ]),
  server: changeSuite([
    ...serverTests,
    "src/engines/clickhouse/**/*.long.ts",
    "test/clickhouse/*.long.ts",
    "src/engines/duckdb/conformance.long.ts",
    "src/engines/duckdb/compile/scan/*.long.ts",
    "src/metadata/postgres/*.long.ts",
    "src/metadata/stores.test.ts",
  ]),
  long: longSuite(["src/**/*.long.ts", "test/**/*.long.ts", "bench/**/*.long.ts", ...sampledTests], 1),
  clickhouse: {
    ...clickhouse,
    exclude: [...withoutServer, ...withoutEngine],
    testNamePattern: without([...embeddedOnly, ...testsWithoutEngine]),
  },
  "clickhouse-whole": clickhouse,
} satisfies Readonly<Record<string, Suite>>;
