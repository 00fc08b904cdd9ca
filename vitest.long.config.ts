import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import common from "./vitest.config.ts";

/** Tests of `npm test` that try more values (`sampleSize`), or PostgreSQL too, here. */
export const sampledTests = [
  "src/access/token-document.test.ts",
  "src/cli/input/parquet-lines.test.ts",
  "src/drains/delivery-sum.test.ts",
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
  "src/engines/duckdb/store/deletions.test.ts",
  "src/engines/duckdb/store/drop-source.test.ts",
  "src/engines/duckdb/store/faults.test.ts",
  "src/engines/duckdb/store/kills.test.ts",
  "src/engines/duckdb/store/tenant-properties.test.ts",
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
  "src/transfer/state/move-state.test.ts",
  "test/acceptance/bigquery-cases.test.ts",
  "test/acceptance/otel-logs.test.ts",
  "test/acceptance/studio-queries.test.ts",
  "test/conformance/corpus.test.ts",
  "test/conformance/families.test.ts",
  "test/endpoints/hostile-texts.test.ts",
  "test/endpoints/pushed-down.test.ts",
  "test/engine-conformance/conformance.test.ts",
  "test/judge/joins.test.ts",
  "test/security/attempts.test.ts",
  "test/security/composed-endpoints.test.ts",
  "test/security/pins/guards/guards.test.ts",
  "test/security/pins/random-queries.test.ts",
  "test/security/sandbox-properties.test.ts",
  "test/security/surfaces/surfaces.test.ts",
];

/** Suites that take too long for `npm test`; each has a short form there. */
const config = mergeConfig(common, defineConfig({ test: { env: { LOGWEIR_TESTS: "long" } } }));
export default {
  ...config,
  test: {
    ...config.test,
    include: ["src/**/*.long.ts", "test/**/*.long.ts", "bench/**/*.long.ts", ...sampledTests],
    exclude: configDefaults.exclude,
    // A test that hangs is found all the same; one that is slow beside others is no failure.
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
};
