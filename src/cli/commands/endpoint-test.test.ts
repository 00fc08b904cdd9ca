import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../../test/support/run-command.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logweir-endpoint-test-"));
  write(
    "errors.sql",
    `/*---
id: 6f0cf0a4-2f6e-4d0a-9a7b-0f8f1f0f6c11
parameters: { project: { required: true }, since: { type: timestamp, default: "2026-01-01" } }
---*/
SELECT id, timestamp FROM edge WHERE project = @project AND timestamp > @since ORDER BY timestamp`,
  );
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

const run = (...args: string[]) => runCommand(["endpoint", "test", ".", ...args], { workingDir: folder });

const twoCases = `
given:
  edge: [{ id: a, timestamp: 2026-08-20T09:00:00Z, project: abc }]
cases:
  - name: finds what is there
    parameters: { project: abc }
    expect: { rows: [{ id: a, timestamp: 2026-08-20T09:00:00Z }] }
  - name: finds nothing of others
    parameters: { project: other }
    expect: { count: 0 }
`;

describe("endpoint test", () => {
  it("runs each case and reports its outcome", async () => {
    write("errors.test.yaml", twoCases);
    const { code, output } = await run();
    expect(output).toMatch(/^ok {2}errors: finds what is there \([\d.]+ ms\)$/m);
    expect(output).toMatch(/^2 passed, 0 failed, in \d+ ms$/m);
    expect(code).toBe(0);
  });

  it("fails with 1 and shows the difference", async () => {
    write(
      "errors.test.yaml",
      twoCases
        .replace("id: a, timestamp: 2026-08-20T09:00:00Z } ]", "id: b }]")
        .replace("rows: [{ id: a", "rows: [{ id: b"),
    );
    const { code, output, errors } = await run("--filter", "WHAT IS THERE");
    expect(output).toMatch(
      /^FAILED {2}errors: finds what is there .*\n {4}the rows are others\n {4}row 1:\n {6}- "id":"b"\n {6}\+ "id":"a"$/m,
    );
    expect(output).toContain("0 passed, 1 failed");
    expect([code, errors]).toEqual([1, "A test failed\n"]);
  });

  it("prints the same as JSON with --json", async () => {
    write("errors.test.yaml", twoCases.replace("count: 0", "error: missing_parameter"));
    const { code, output } = await run("--json");
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      passed: 1,
      failed: 1,
      tests: [
        { endpoint: "errors", name: "finds what is there", passed: true, difference: null },
        { passed: false, difference: "expected the error missing_parameter, got 0 rows" },
      ],
    });
  });

  it("reads events of a case from a file, and gives them its time and ids by position", async () => {
    write("edge.ndjson", '{"project":"abc"}\n{"project":"abc","timestamp":"2026-08-19T00:00:00Z"}\n');
    write(
      "errors.test.yaml",
      `cases:
  - name: an event without a time is of now
    now: 2026-08-20T09:00:00+02:00
    given: { edge: edge.ndjson }
    parameters: { project: abc }
    expect:
      rows:
        - { id: edge-2, timestamp: 2026-08-19T00:00:00Z }
        - { id: edge-1, timestamp: 2026-08-20T07:00:00Z }`,
    );
    expect(await run()).toMatchObject({ code: 0, errors: "" });
  });

  it("exits with 2 when there is no test, no matching or valid one, or no valid endpoint to test", async () => {
    expect(await run()).toMatchObject({ code: 2, errors: expect.stringContaining("There are no tests") });
    write("errors.test.yaml", twoCases);
    expect(await run("--filter", "no such words")).toMatchObject({ code: 2 });
    write("errors.test.yaml", "cases: []");
    expect(await run()).toMatchObject({ code: 2, output: "", errors: expect.stringContaining("must not have fewer") });
    write("other.test.yaml", twoCases);
    expect(await run()).toMatchObject({ code: 2, errors: expect.stringContaining("other.sql") });
    write("errors.sql", "SELECT 1");
    expect(await run()).toMatchObject({ code: 2, errors: expect.stringContaining("errors.sql:1:1") });
  });
});
