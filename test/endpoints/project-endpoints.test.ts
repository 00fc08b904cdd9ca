import { describe, expect, it } from "vitest";
import { loadTests } from "../../src/endpoint-tests/load-tests.ts";
import { runTests, type TestOutcome } from "../../src/endpoint-tests/run-tests.ts";
import { openTestBench } from "../../src/endpoint-tests/test-bench.ts";
import { resolveOwn } from "../../src/endpoints/call/plan/compile-query.ts";
import { findGuards } from "../../src/endpoints/tenants/find-guards.ts";

/** Runs the endpoint tests as `logweir endpoint test` does; each of their cases is a test here. */
const bench = await openTestBench("endpoints", ["sources"]);
const tests = await loadTests("endpoints", bench.byFile, bench.sources);
const outcomes: TestOutcome[] = [];
for await (const outcome of runTests(bench, tests, () => performance.now())) outcomes.push(outcome);
await bench.close();

/** It counts by a pattern of projects, which is not a column. */
const readsByPattern = "usage.api-counts";
const confined = [...bench.byFile.values()].filter(({ definition }) => definition.name !== readsByPattern);

describe("the project's endpoints", () => {
  it.each(outcomes.map((outcome) => [`${outcome.endpoint}: ${outcome.name}`, outcome] as const))("%s", (_, outcome) => {
    expect(outcome.difference).toBeUndefined();
  });

  it("all have tests of their own", () => {
    expect(new Set(outcomes.map(({ endpoint }) => endpoint))).toEqual(new Set(bench.byFile.keys()));
  });

  it.each(confined.map((endpoint) => [endpoint.definition.name, endpoint] as const))(
    "%s reads only the rows of its project in every scan",
    (_, endpoint) => {
      const { query } = resolveOwn({ tables: bench.sources, endpoints: bench.endpoints }, endpoint);
      const guards = [...findGuards(query.scan)].map(([{ table }, rule]) => [table.name, rule]);
      expect(guards).not.toEqual([]);
      expect(guards.filter(([, rule]) => rule === undefined)).toEqual([]);
    },
  );
});
