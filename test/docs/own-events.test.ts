import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadTests } from "../../src/endpoint-tests/load-tests.ts";
import { runTests, type TestOutcome } from "../../src/endpoint-tests/run-tests.ts";
import { openTestBench } from "../../src/endpoint-tests/test-bench.ts";

it("the example files of docs/endpoints.md for custom events pass their own tests", async () => {
  const page = await readFile("docs/endpoints.md", "utf8");
  const folder = await mkdtemp(join(tmpdir(), "logweir-own-events-"));
  const files = [...page.matchAll(/as `((?:sources|endpoints)\/[^`]+)`:\n\n```\w+\n([\s\S]*?)```/g)];
  expect(files.map(([, path]) => path)).toEqual([
    "sources/shop.yaml",
    "endpoints/shop.logs.sql",
    "endpoints/shop.logs.test.yaml",
  ]);
  for (const room of ["sources", "endpoints"]) await mkdir(join(folder, room));
  for (const [, path = "", text = ""] of files) await writeFile(join(folder, path), text);
  const endpoints = join(folder, "endpoints");
  const bench = await openTestBench(endpoints, ["sources", join(folder, "sources")]);
  const outcomes: TestOutcome[] = [];
  const tests = await loadTests(endpoints, bench.byFile, bench.sources);
  for await (const outcome of runTests(bench, tests, () => performance.now())) outcomes.push(outcome);
  await bench.close();
  expect(outcomes.map(({ difference }) => difference)).toEqual([undefined, undefined]);
});
