import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import { EndpointFileError } from "../endpoints/definition/load-endpoints.ts";
import { ServiceError } from "../shared/errors.ts";
import { SourceFileError } from "../sources/load-sources.ts";
import { loadTests, TestFileError } from "./load-tests.ts";
import { runTests, type TestOutcome } from "./run-tests.ts";
import { openTestBench } from "./test-bench.ts";

/** The result of an endpoint's tests. */
export interface TestRun {
  /** Milliseconds since 1970. */
  readonly ranAtMs: number;
  /** The tested version of the endpoint. */
  readonly version: number;
  readonly outcomes: readonly TestOutcome[];
}

/** Runs the tests beside an endpoint's file, on an in-memory engine separate from the service's. */
export interface EndpointTester {
  /** True when a file of tests exists beside the endpoint's file. */
  hasTests(endpoint: Endpoint): boolean;
  /** Their last result since the service started. */
  last(endpoint: Endpoint): TestRun | undefined;
  /** Runs them; one endpoint after the other. Throws `validation_failed` for files that cannot be used. */
  run(endpoint: Endpoint): Promise<TestRun>;
}

/** `nowMs` is the clock; `sourceFolders` as the service reads them. */
export function createEndpointTester(sourceFolders: readonly string[], nowMs: () => number): EndpointTester {
  const runs = new Map<string, TestRun>();
  let turn: Promise<unknown> = Promise.resolve();

  const runNow = async (endpoint: Endpoint): Promise<TestRun> => {
    const path = endpoint.origin.kind === "file" ? endpoint.origin.path : undefined;
    const outcomes: TestOutcome[] = [];
    if (path !== undefined && existsSync(testFileOf(path))) {
      outcomes.push(...(await runFile(dirname(path), endpoint.definition.name, sourceFolders)));
    }
    const run = { ranAtMs: nowMs(), version: endpoint.version, outcomes };
    runs.set(endpoint.definition.id, run);
    return run;
  };

  return {
    hasTests: ({ origin }) => origin.kind === "file" && existsSync(testFileOf(origin.path)),
    last: ({ definition }) => runs.get(definition.id),
    run(endpoint) {
      const result = turn.then(() => runNow(endpoint));
      turn = result.catch(() => undefined);
      return result;
    },
  };
}

async function runFile(folder: string, name: string, sourceFolders: readonly string[]): Promise<TestOutcome[]> {
  const bench = await openTestBench(folder, sourceFolders).catch(refuse);
  try {
    const tests = await loadTests(folder, bench.byFile, bench.sources).catch(refuse);
    const own = tests.filter(({ endpoint }) => endpoint.definition.name === name);
    const outcomes: TestOutcome[] = [];
    for await (const outcome of runTests(bench, own, () => performance.now())) outcomes.push(outcome);
    return outcomes;
  } finally {
    await bench.close();
  }
}

/** The author of a file sees its problems. */
function refuse(error: unknown): never {
  const isOfFiles = [TestFileError, EndpointFileError, SourceFileError].some((type) => error instanceof type);
  if (!isOfFiles || !(error instanceof Error)) throw error;
  throw new ServiceError("validation_failed", `The tests cannot be run: ${error.message}`);
}

function testFileOf(path: string): string {
  return `${dirname(path)}/${basename(path, ".sql")}.test.yaml`;
}
