import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "console/**/*.test.{ts,tsx}", "test/**/*.test.ts", "bench/**/*.test.ts"],
    globalSetup: ["test/build-once.ts", "test/temporary-folder.ts"],
    setupFiles: ["test/fixed-seed.ts"],
    maxWorkers: 3,
    // No module holds state, so that files can share them: it saves loading the language for each.
    isolate: false,
    // On CI's machines, whole-process tests may lose a race with the machine's load once; vitest names those that did.
    retry: process.env.CI === "true" ? 1 : 0,
    // What was compiled for one run serves the next.
    experimental: { fsModuleCache: true },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A second, as it would be, is too short for what a service of its own does on a busy machine.
    expect: { poll: { timeout: 15_000 } },
  },
});
