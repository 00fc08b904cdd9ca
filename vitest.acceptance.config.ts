import { configDefaults } from "vitest/config";
import common from "./vitest.config.ts";

/** Acceptance tests whole, of which `npm test` runs those that share a service; and the engine's own process. */
export default {
  ...common,
  test: {
    ...common.test,
    include: ["test/acceptance/*.test.ts", "src/engines/duckdb/process/host-*.test.ts"],
    exclude: configDefaults.exclude,
  },
};
