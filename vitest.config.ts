import { configDefaults, defineConfig } from "vitest/config";
import { leftToStages } from "./vitest.suites.ts";

/** Tests that are named by their paths run wherever they belong. */
const isChosen = process.argv.slice(2).some((word) => /^(?:src|test|bench|console)\b/.test(word));
const isWhole = isChosen || process.env.LOGWEIR_TESTS === "all";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "console/**/*.test.{ts,tsx}", "test/**/*.test.ts", "bench/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isWhole ? [] : leftToStages)],
    globalSetup: ["test/build-once.ts", "test/temporary-folder.ts"],
    setupFiles: ["test/fixed-seed.ts"],
    maxWorkers: 3,
    // No module holds state, so that files can share them: it saves loading the language for each.
    isolate: false,
    // Fewer collections of what lives for one test: a tenth of the processor time.
    execArgv: ["--max-semi-space-size=64"],
    // What was compiled for one run serves the next.
    experimental: { fsModuleCache: true },
    // What hangs is found all the same, and what is slow beside other processes is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
