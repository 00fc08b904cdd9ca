import { readFileSync } from "node:fs";
import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { suites } from "./vitest.suites.ts";

/** Tests that are named by their paths run wherever they belong. */
const isChosen = process.argv.slice(2).some((word) => /^(?:src|test|bench|console)\b/.test(word));
const name = process.env.LOGWEIR_SUITE ?? (isChosen ? "all" : "short");
if (!Object.hasOwn(suites, name)) {
  throw new Error(`There is no suite "${name}": LOGWEIR_SUITE is one of ${Object.keys(suites).join(", ")}`);
}

/**
 * Files that share a service come first. It lives on in its worker, whose later files stop the clock: a timer that it
 * began then would never end, and what waits for it would keep the engine from its events. Before them come those that
 * count steps, for which V8 walks through all that its worker has compiled: 4 s in an empty one, and 50 in a full one.
 */
class SequencerByNeed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification) => {
      if (readFileSync(moduleId, "utf8").includes("/count-steps.ts")) return 0;
      return moduleId.includes("/test/acceptance/") ? 1 : 2;
    };
    const ranked = sorted.map((file) => ({ file, rank: rankOf(file) }));
    return ranked.sort((a, b) => a.rank - b.rank).map(({ file }) => file);
  }
}

// One file for all suites, so that what was compiled for one serves the others.
export default mergeConfig(
  defineConfig({
    test: {
      exclude: configDefaults.exclude,
      globalSetup: ["test/build-once.ts", "test/temporary-folder.ts"],
      setupFiles: ["test/fixed-seed.ts"],
      // As many as CI has cores: each loads the sources for itself.
      maxWorkers: 2,
      // No module holds state, so that files can share them: it saves loading the language for each.
      isolate: false,
      sequence: { sequencer: SequencerByNeed },
      // Fewer collections of what lives for one test: a tenth of the processor time.
      execArgv: ["--max-semi-space-size=64"],
      // What was compiled for one run serves the next.
      experimental: { fsModuleCache: true },
      // What hangs is found all the same, and what is slow beside other processes is no failure.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
    },
  }),
  defineConfig({ test: suites[name as keyof typeof suites] }),
);
