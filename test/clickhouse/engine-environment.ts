/** Whole services of tests over a ClickHouse server, where LOGWEIR_TEST_ENGINE says so. */
import { createHash } from "node:crypto";

const isOnServer = process.env.LOGWEIR_TEST_ENGINE === "clickhouse";

/** Returns the environment of a service whose events are in a database for each data folder. */
export function engineEnvironment(dataDir: string): Readonly<Record<string, string>> {
  const { LOGWEIR_TEST_CLICKHOUSE_URL: url } = process.env;
  if (!isOnServer || url === undefined) return {};
  return {
    LOGWEIR_ENGINE: "clickhouse",
    LOGWEIR_CLICKHOUSE_URL: url,
    LOGWEIR_CLICKHOUSE_DATABASE: `test_${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`,
    LOGWEIR_CLICKHOUSE_MIGRATE: "on",
  };
}
