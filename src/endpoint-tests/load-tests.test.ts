import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadTests, TestFileError } from "./load-tests.ts";
import { openTestBench, type TestBench } from "./test-bench.ts";

let folder = "";
let bench: TestBench;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "logweir-load-tests-"));
  writeFileSync(
    join(folder, "errors.sql"),
    `/*---
id: 6f0cf0a4-2f6e-4d0a-9a7b-0f8f1f0f6c11
parameters: { project: { required: true } }
---*/
SELECT id, timestamp FROM edge WHERE project = @project`,
  );
  bench = await openTestBench(folder, ["sources"]);
});

afterAll(async () => {
  await bench.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a file of tests is refused with what is wrong in it", () => {
  it.each([
    ["cases: []", "cases: must not have fewer than 1 items"],
    [
      "cases: [{ name: x, expect: { count: 1, error: timeout } }]",
      "errors.test.yaml:1:20: cases.0.expect: says one of rows, count and error",
    ],
    ["cases: [{ name: x, parameters: { projct: a }, expect: { count: 1 } }]", "did you mean project?"],
    ["cases: [{ name: x, given: { edgy: [] }, expect: { count: 1 } }]", "did you mean edge?"],
    ["cases: [{ name: x, given: { edge: none.ndjson }, expect: { count: 1 } }]", "none.ndjson"],
    [
      "cases: [{ name: x, given: { edge: [{ id: a }], cloudflare.logs.prod: [{ id: a }] }, expect: { count: 1 } }]",
      "under two names",
    ],
    ["cases: [{ name: x, now: yesterday, expect: { count: 1 } }]", "now: must be an ISO 8601 timestamp"],
    ["cases: [{ name: x, expect: { error: nonsense } }]", "docs/errors.md"],
    ["cases: [{ name: x, expect: { count: 1, ignore: [id] } }]", "ignore and any_order are about rows"],
  ])("%s", async (text, message) => {
    writeFileSync(join(folder, "errors.test.yaml"), text);
    const refused = await loadTests(folder, bench.byFile, bench.sources).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TestFileError);
    expect((refused as TestFileError).message).toContain(message);
  });
});
