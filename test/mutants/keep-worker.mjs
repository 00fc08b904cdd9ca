// Loaded into the process that tries mutants, in front of everything else: lets Vitest keep its worker from one mutant to
// the next, with all that it has loaded. It would start one for each mutant, which takes many times as long as the tests.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/** Replacements in the pinned version's `createPool`, where each text occurs once. */
const CHANGES = [
  // The worker stays for the next run, not only for the next task of this one.
  ["&& this.queue[0]?.task.isolate === false && isEqualRunner(runner, this.queue[0].task)", ""],
  // It is told with each run which tests are wanted, not when it starts.
  [
    "testNamePattern: spec.testNamePattern,\n\t\t\t\t\t\t\ttestIds",
    "testNamePattern: project.config.testNamePattern,\n\t\t\t\t\t\t\ttestIds",
  ],
  // After a failed test it skips the rest by itself.
  [
    "ctx.onCancel(() => pool.cancel());",
    'ctx.onCancel((reason) => (reason === "test-failure" ? undefined : pool.cancel()));',
  ],
];

/** The code with the changes. Throws where a piece of it is not there: another version of Vitest needs others. */
function change(code) {
  return CHANGES.reduce((changed, [from, to]) => {
    if (changed.split(from).length !== 2)
      throw new Error(`Vitest has changed: see test/mutants/keep-worker.mjs, ${from}`);
    return changed.replace(from, () => to);
  }, code);
}

registerHooks?.({
  load(url, context, nextLoad) {
    if (!/\/vitest\/dist\/chunks\/cli-api\.[^/]*\.js$/.test(url)) return nextLoad(url, context);
    return { format: "module", source: change(readFileSync(fileURLToPath(url), "utf8")), shortCircuit: true };
  },
});
