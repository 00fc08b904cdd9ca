import { beforeEach, inject, type RunnerTask } from "vitest";

/** The most tests of a file that are tried on a mutant: the most used places are executed by nearly all. */
const TESTS_A_FILE = 30;
/** Those of the language's own rooms, and of statements that no engine runs, take a millisecond each. */
const FAST_TESTS_A_FILE = 500;
const fast = /\/src\/googlesql\/|\/duckdb\/compile\/(?:compile|goldens|statement-plan)\.test\.ts$/;

let chosen: ReadonlySet<string> | undefined;

/** Some from all over the file. Fewer tests can only leave more mutants alive. */
beforeEach(({ task, skip }) => {
  if (inject("mode") !== "mutant") return;
  chosen ??= chooseFrom(
    namesOfTests(task.file.tasks),
    fast.test(task.file.filepath) ? FAST_TESTS_A_FILE : TESTS_A_FILE,
  );
  if (!chosen.has(task.id)) skip("Enough tests of this file are tried on the mutant");
});

function chooseFrom(names: readonly string[], most: number): ReadonlySet<string> {
  const step = Math.max(1, names.length / most);
  const count = Math.min(names.length, most);
  return new Set(Array.from({ length: count }, (_, at) => names[Math.floor(at * step)] ?? ""));
}

function namesOfTests(tasks: readonly RunnerTask[]): readonly string[] {
  return tasks.flatMap((task) => {
    if (task.type === "suite") return namesOfTests(task.tasks);
    return task.mode === "run" ? [task.id] : [];
  });
}

declare module "vitest" {
  interface ProvidedContext {
    /** Whether a mutant is tried or each test's coverage is recorded; provided by the maker of the mutants. */
    readonly mode: "dry-run" | "mutant";
  }
}
