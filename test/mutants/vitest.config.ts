import { statSync } from "node:fs";
import { dirname, relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const room = process.env.MUTANTS_ROOM ?? "";
const beside = [`src/${room}/**/*.test.ts`];
const units = ["src/**/*.test.ts", "test/conformance/**/*.test.ts", "test/engine-conformance/*.test.ts"];
/** Rooms that much else uses: the tests that are made for them, by the beginnings of their names. */
const OWN_TESTS: readonly (readonly [RegExp, string])[] = [
  [/^googlesql/, "src/googlesql"],
  [/^engines.duckdb.(?:compile|functions)/, "src/engines/duckdb/{compile,functions}"],
  [/^engines.duckdb.host/, "src/engines/duckdb/{host,store}"],
  [/^engines.duckdb.(?:store|process)/, `src/${room}`],
  [/^engines.duckdb/, "src/engines/duckdb"],
  [/^engines.encoder/, "src/engines/encoder"],
];
const own = [`${OWN_TESTS.find(([beginning]) => beginning.test(room))?.[1] ?? "src"}/**/*.test.ts`];
/** The written cases of the language, arranged so that a mutant is tried on those alone that come by its place. */
const cases = ["test/mutants/cases.ts"];
/** Services in the test's own process. */
const services = ["test/acceptance/**/*.test.ts"];

const includes: Readonly<Record<string, string[]>> = { beside, units, services, own, cases };
/** Long ones that find what they are made for, and hardly a mutant that no other test of these rooms does. */
const tooLong = /^(?:googlesql.(?:resolver|typing)|engines)/.test(room)
  ? [
      "src/googlesql/{round-trip,parser/limits,resolver/robustness}.test.ts",
      "src/engines/duckdb/compile/random-queries.test.ts",
      ...(room.startsWith("engines/duckdb/compile") ? ["src/engines/duckdb/compile/expression/wide-*.test.ts"] : []),
      ...(room.startsWith("engines/duckdb/functions") ? ["src/engines/duckdb/compile/expression/mixed-*.test.ts"] : []),
      // Where a mutant keeps an answer from the first, it waits for minutes.
      "src/engines/duckdb/store/{faults,tenant-properties}.test.ts",
      ...(room.startsWith("engines/duckdb/host")
        ? [
            "src/engines/duckdb/store/bodies.test.ts",
            "src/engines/duckdb/host/query/{newest,statement-rules}.test.ts",
            "src/engines/duckdb/store/{described-tables,drop-source}.test.ts",
          ]
        : []),
    ]
  : [];
/**
 * They start the engine's process, most for each mutant anew. What they run of its rooms in their own process counts
 * for these, but for the long ones: a process that is none shows what is done about one.
 */
const engineProcess = room.startsWith("engines/duckdb/process") ? [] : ["src/engines/duckdb/process/**"];

/**
 * Orders tests: those beside the mutant, then the rest of `src/`, short files first. One test that notices it is
 * enough.
 */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const mutated = this.ctx.config.related?.map((file) => relative(process.cwd(), file)) ?? [`src/${room}/`];
    const folders = mutated.length === 1 ? mutated.flatMap((file) => [dirname(file), roomOf(file)]) : [];
    const places = [...folders, "src"];
    const rankOf = ({ moduleId }: TestSpecification) => {
      const path = relative(process.cwd(), moduleId);
      const rank = places.findIndex((place) => path.startsWith(`${place}/`));
      return rank === -1 ? places.length : rank;
    };
    const sizeOf = ({ moduleId }: TestSpecification) => statSync(moduleId).size;
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b) || sizeOf(a) - sizeOf(b));
  }
}

function roomOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

/**
 * Limits that tests on a busy machine stay within: loops without an end are found by their number of turns. Tests of
 * the engine's process take milliseconds, those of its store at most a second or two, and they wait for ever where a
 * mutant suppresses an answer.
 */
const [testTimeout, hookTimeout] = room.startsWith("engines/duckdb/process")
  ? [5_000, 600_000]
  : /^engines.duckdb.(?:host|store)/.test(room)
    ? [60_000, 60_000]
    : [180_000, 600_000];

/** Tests of one process: in another, a mutant would not be there. */
export default defineConfig({
  test: {
    include: includes[process.env.MUTANTS_TESTS ?? ""] ?? units,
    exclude: ["**/node_modules/**", "src/cli/**", ...engineProcess, ...tooLong],
    globalSetup: ["test/temporary-folder.ts"],
    setupFiles: ["test/fixed-seed.ts", "test/mutants/few-tests.ts", "test/mutants/without-mutant.ts"],
    sequence: { sequencer: NearestFirst },
    runner: "./test/mutants/first-failure.ts",
    isolate: false,
    testTimeout,
    hookTimeout,
    expect: { poll: { timeout: 300_000 } },
  },
});
