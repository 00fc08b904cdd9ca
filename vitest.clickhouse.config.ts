import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import common from "./vitest.config.ts";

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

/** Suites in which the engine has no part, or that of others that run here; at night, they run over ClickHouse too. */
const withoutEngine = [
  "access",
  "alerts",
  "alerts-as-code",
  "answers",
  "audit",
  "bigquery-cases",
  "bigquery-client-forms",
  "bigquery-key",
  "definitions",
  "endpoint-versions",
  "endpoints-as-code",
  "logql",
  "loki-forms",
  "loki-tail",
  "manage-endpoints",
  "mcp",
  "openapi",
  "reload",
  "sign-in",
  "signed-tokens",
  "tokens-api",
  "trusted-proxy",
].map((name) => `test/acceptance/${name}.test.ts`);

/** Suites that speak with a whole service, again over a ClickHouse server: `npm run clickhouse`. */
const config = mergeConfig(
  common,
  defineConfig({
    test: {
      env: { LOGWEIR_TEST_ENGINE: "clickhouse" },
      globalSetup: ["test/clickhouse/share-server.ts"],
      testNamePattern: new RegExp(`^(?!.*(?:${embeddedOnly.join("|")}))`),
    },
  }),
);
export default {
  ...config,
  test: {
    ...config.test,
    include: [
      "test/acceptance/*.test.ts",
      "test/acceptance/{lifecycle,runs}.long.ts",
      "test/security/*.test.ts",
      "test/security/non-interference/*.test.ts",
    ],
    exclude:
      process.env.CLICKHOUSE_SUITES === "all" ? configDefaults.exclude : [...configDefaults.exclude, ...withoutEngine],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
};
