/** Acceptance tests that share a service of their worker, and stand for the others in `npm test`. */
const shortAcceptance = [
  "bigquery-client-forms",
  "bigquery-forms",
  "compose-endpoints",
  "coverage",
  "definitions",
  "endpoint-versions",
  "logs-all",
  "lql-lists",
  "otel-logs",
  "redaction",
  "running",
  "sample-events",
  "sandbox",
  "studio-queries",
  "usage-api-counts",
];

/**
 * Tests that `npm test` leaves to a stage of `.ci/run`: what starts a service for each file, writes a store for each
 * test, asks every function, route or shape of an event, or compiles a client. What else there is of their rooms stands
 * for them.
 */
export const heavyTests = {
  security: [
    "src/http/error-codes.test.ts",
    "src/http/request/crossing.test.ts",
    "src/http/route-access.test.ts",
    "test/security/catalogue-oracles.test.ts",
    "test/security/composed-endpoints.test.ts",
    "test/security/fuzz.test.ts",
    "test/security/hostile-documents.test.ts",
    "test/security/redaction-*.test.ts",
    "test/security/repeated-texts.test.ts",
    "test/security/surfaces/*.test.ts",
    "test/security/unstoppable.test.ts",
    "test/security/pins/forms.test.ts",
    "test/security/pins/guards/*.test.ts",
    "test/security/pins/random-queries.test.ts",
  ],
  store: [
    "src/backups/*.test.ts",
    "src/cli/input/parquet-lines.test.ts",
    "src/drains/byte-budget.test.ts",
    "src/drains/delivery-sum.test.ts",
    "src/endpoints/call/plan/apart/*.test.ts",
    "src/endpoints/paging/paging.test.ts",
    "src/engines/duckdb/file/*.test.ts",
    "src/engines/duckdb/host/core.test.ts",
    "src/engines/duckdb/host/ids/*.test.ts",
    "src/engines/duckdb/host/maintenance/*.test.ts",
    "src/engines/duckdb/host/query/newest.test.ts",
    "src/engines/duckdb/host/query/statement-rules.test.ts",
    "src/engines/duckdb/host/report.test.ts",
    "src/engines/duckdb/host/store/store-file.test.ts",
    "src/engines/duckdb/process/log-loss.test.ts",
    "src/engines/duckdb/store/*.test.ts",
    "src/http/time-limits.test.ts",
    "src/transfer/**/*.test.ts",
  ],
  language: [
    "src/engines/clickhouse/functions/pushed.test.ts",
    "src/engines/clickhouse/pushdown/compile-time.test.ts",
    "src/engines/duckdb/compile/expression/mixed-*.test.ts",
    "src/engines/duckdb/compile/expression/record-shapes.test.ts",
    "src/engines/duckdb/compile/expression/wide-numbers.test.ts",
    "src/engines/duckdb/compile/hidden-failures.test.ts",
    "src/engines/duckdb/compile/linear.test.ts",
    "src/engines/duckdb/compile/run-constants.test.ts",
    "src/engines/duckdb/compile/scan/scan-limits.test.ts",
    "src/engines/duckdb/conformance.test.ts",
    "src/engines/duckdb/functions/failures.test.ts",
    "src/googlesql/resolver/expansion.test.ts",
    "src/googlesql/resolver/robustness.test.ts",
    "test/conformance/places/*.test.ts",
    "test/conformance/random/*.test.ts",
  ],
  clients: [
    "src/ingest/syslog-port/syslog.test.ts",
    "test/clients/openapi-client.test.ts",
    "test/studio/studio.test.ts",
  ],
  server: [
    "src/engines/clickhouse/driver/silence.test.ts",
    "src/engines/clickhouse/spool/*.test.ts",
    "src/engines/clickhouse/store/append-queue.test.ts",
  ],
};

/** Short forms of long suites that a stage of `.ci/run` tries, and those of acceptance, which runs on the next Node. */
const shortForms = [
  `test/acceptance/!(${shortAcceptance.join("|")}).test.ts`,
  "test/security/oracles.test.ts",
  "test/security/resources.test.ts",
  "test/security/non-interference/*.test.ts",
  "test/security/odd-events/*.test.ts",
];

/** Left out of `npm test`. */
export const leftToStages = [...Object.values(heavyTests).flat(), ...shortForms];
