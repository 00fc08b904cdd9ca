import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import long from "./vitest.long.config.ts";
import { heavyTests } from "./vitest.suites.ts";

/** By stage of `.ci/run`. */
export const changeSuites: Readonly<Record<string, readonly string[]>> = {
  rest: [...heavyTests.security, ...heavyTests.store, ...heavyTests.language, ...heavyTests.clients],
  security: ["test/security/**/*.long.ts"],
  processes: [
    "src/engines/duckdb/process/*.long.ts",
    "test/acceptance/lifecycle.long.ts",
    "test/acceptance/runs.long.ts",
    "test/nodes/two-nodes.long.ts",
  ],
  settings: ["test/composition/*.long.ts", "test/docs/*.long.ts"],
  server: [
    ...heavyTests.server,
    "src/engines/clickhouse/**/*.long.ts",
    "test/clickhouse/*.long.ts",
    "src/engines/duckdb/conformance.long.ts",
    "src/engines/duckdb/compile/scan/*.long.ts",
    "src/metadata/postgres/*.long.ts",
    "src/metadata/stores.test.ts",
  ],
};

const { CI_SUITE: suite = "security" } = process.env;

/**
 * Long suites of what any change can break, with a hundredth of their samples, which `.ci/nightly` runs whole; and the
 * rest of `npm test`, with the samples that it would have there.
 */
const samples = suite === "rest" ? "0" : "0.01";
const config = mergeConfig(long, defineConfig({ test: { env: { LOGWEIR_SAMPLES: samples }, maxConcurrency: 2 } }));
export default {
  ...config,
  test: { ...config.test, include: [...(changeSuites[suite] ?? [])], exclude: configDefaults.exclude },
};
