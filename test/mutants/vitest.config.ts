import { dirname, relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const beside = [`src/${process.env.MUTANTS_ROOM}/**/*.test.ts`];
const units = ["src/**/*.test.ts", "test/conformance/**/*.test.ts"];
/** Services in the test's own process; these two start others, in which a mutant would not be. */
const services = ["test/acceptance/**/*.test.ts"];
const processes = ["test/acceptance/lifecycle.test.ts", "test/acceptance/client.test.ts"];

/** What is beside the mutant comes first, then the rest of `src/`: one test that notices it is enough. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const mutated = this.ctx.config.related?.map((file) => relative(process.cwd(), file)) ?? [];
    const folders = mutated.length === 1 ? mutated.flatMap((file) => [dirname(file), roomOf(file)]) : [];
    const places = [...folders, "src"];
    const rankOf = ({ moduleId }: TestSpecification) => {
      const path = relative(process.cwd(), moduleId);
      const rank = places.findIndex((place) => path.startsWith(`${place}/`));
      return rank === -1 ? places.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function roomOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

/** Tests of one process: in another, a mutant would not be there. */
export default defineConfig({
  test: {
    include: { beside, units, services }[process.env.MUTANTS_TESTS ?? "units"] ?? units,
    exclude: ["**/node_modules/**", "src/engines/duckdb/process/**", "src/cli/**", ...processes],
    globalSetup: ["test/temporary-folder.ts"],
    setupFiles: ["test/fixed-seed.ts"],
    sequence: { sequencer: NearestFirst },
    runner: "./test/mutants/first-failure.ts",
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
