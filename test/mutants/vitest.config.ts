import { defineConfig } from "vitest/config";

/** Tests of one process: in another, a mutant would not be there. */
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/conformance/**/*.test.ts"],
    exclude: ["**/node_modules/**", "src/engines/duckdb/process/**", "src/cli/**"],
    globalSetup: ["test/temporary-folder.ts"],
    setupFiles: ["test/fixed-seed.ts"],
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
