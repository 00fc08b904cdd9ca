import { resolve } from "node:path";
import { readConfiguration } from "../../config/config.ts";
import { type EndpointTest, loadTests, TestFileError } from "../../endpoint-tests/load-tests.ts";
import { runTests, type TestOutcome } from "../../endpoint-tests/run-tests.ts";
import { openTestBench } from "../../endpoint-tests/test-bench.ts";
import { EndpointFileError } from "../../endpoints/definition/load-endpoints.ts";
import { SourceFileError } from "../../sources/load-sources.ts";
import { CliError, type CommandContext, print, printAnswer } from "../context.ts";
import { createPaint } from "../output/paint.ts";

interface EndpointTestOptions {
  /** Only tests with this text in the endpoint's or the case's name. */
  readonly filter?: string;
  /** The folder of sources; as configured unless given. */
  readonly sources?: string;
}

/** An unusable file is distinguished from a failed test. */
const unusableExitCode = 2;

/**
 * Runs the tests beside endpoint files on an in-memory engine. Fails with 1 when a test fails, after all of them ran,
 * and with 2 when there is nothing to run or a file cannot be used.
 */
export async function testEndpoints(
  context: CommandContext,
  folder: string,
  options: EndpointTestOptions = {},
): Promise<void> {
  const outcomes = await runFolder(resolve(context.workingDir, folder), options, context).catch((error: unknown) => {
    const isUnusable = [TestFileError, EndpointFileError, SourceFileError].some((type) => error instanceof type);
    if (isUnusable && error instanceof Error) throw new CliError(error.message, unusableExitCode);
    throw error;
  });
  const failed = outcomes.filter(({ isPassed }) => !isPassed).length;
  const ms = Math.round(outcomes.reduce((sum, outcome) => sum + outcome.ms, 0));
  const counts = { passed: outcomes.length - failed, failed, ms };
  const value = { ...counts, tests: outcomes.map(toJson) };
  printAnswer(context, value, `\n${counts.passed} passed, ${failed} failed, in ${ms} ms`);
  if (failed > 0) throw new CliError(failed === 1 ? "A test failed" : `${failed} tests failed`);
}

async function runFolder(
  folder: string,
  { filter, sources }: EndpointTestOptions,
  context: CommandContext,
): Promise<readonly TestOutcome[]> {
  const sourceFolders =
    sources === undefined
      ? readConfiguration(context, context.environment).settings.sourceFolders
      : [resolve(context.workingDir, sources)];
  const bench = await openTestBench(folder, sourceFolders);
  try {
    const tests = choose(await loadTests(folder, bench.byFile, bench.sources), filter);
    const outcomes: TestOutcome[] = [];
    for await (const outcome of runTests(bench, tests, () => performance.now())) {
      outcomes.push(outcome);
      if (context.json !== true) printOutcome(outcome, context);
    }
    return outcomes;
  } finally {
    await bench.close();
  }
}

function choose(tests: readonly EndpointTest[], filter: string | undefined): readonly EndpointTest[] {
  if (filter === undefined) return tests;
  const wanted = filter.toLowerCase();
  const chosen = tests.filter(({ endpoint, test }) =>
    `${endpoint.definition.name}: ${test.name}`.toLowerCase().includes(wanted),
  );
  if (chosen.length > 0) return chosen;
  throw new CliError(`No test has ${JSON.stringify(filter)} in its name`, unusableExitCode);
}

function printOutcome({ endpoint, name, isPassed, ms, difference }: TestOutcome, context: CommandContext): void {
  const { output } = context;
  const paint = createPaint(context);
  const mark = isPassed ? paint("green", "ok") : paint("red", "FAILED");
  print(output, `${mark}  ${endpoint}: ${name} (${ms} ms)`);
  for (const line of difference?.split("\n") ?? []) {
    const trimmed = line.trimStart();
    const colour = trimmed.startsWith("- ") ? "red" : trimmed.startsWith("+ ") ? "green" : undefined;
    print(output, `    ${colour === undefined ? line : paint(colour, line)}`);
  }
}

function toJson({ path, endpoint, name, isPassed, ms, difference }: TestOutcome): object {
  return { endpoint, name, file: path, passed: isPassed, ms, difference: difference ?? null };
}
