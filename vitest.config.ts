import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
    globalSetup: ["test/build-once.ts"],
    maxWorkers: 3,
    // No module holds state, so that files can share them: it saves loading the language for each.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
