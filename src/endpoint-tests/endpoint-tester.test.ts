import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import { createEndpointTester } from "./endpoint-tester.ts";

it("the endpoint tester runs the tests beside an endpoint's file, and remembers their last result", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tester-"));
  writeFileSync(
    join(folder, "two.sql"),
    "/*---\nid: 5f0c4a52-7f0e-4f59-8f3b-2f6f6f1f2a11\nname: two\n---*/\nSELECT 2 AS a",
  );
  const path = join(folder, "two.sql");
  const endpoint = {
    definition: { id: "5f0c4a52-7f0e-4f59-8f3b-2f6f6f1f2a11", name: "two" },
    version: 3,
    origin: { kind: "file", path },
  } as unknown as Endpoint;
  const tester = createEndpointTester(["sources"], () => 7);
  expect([tester.hasTests(endpoint), tester.last(endpoint)]).toEqual([false, undefined]);
  writeFileSync(
    join(folder, "two.test.yaml"),
    "cases:\n  - name: right\n    expect: { rows: [{ a: 2 }] }\n  - name: wrong\n    expect: { rows: [{ a: 3 }] }\n",
  );
  expect(tester.hasTests(endpoint)).toBe(true);
  const run = await tester.run(endpoint);
  expect(run).toMatchObject({ ranAtMs: 7, version: 3 });
  expect(run.outcomes.map(({ name, isPassed }) => [name, isPassed])).toEqual([
    ["right", true],
    ["wrong", false],
  ]);
  expect(tester.last(endpoint)).toBe(run);
});
