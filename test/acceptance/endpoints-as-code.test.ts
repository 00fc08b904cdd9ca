import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../support/run-command.ts";
import { privateToken, type Service, startService } from "./service.ts";

let service: Service;
let folder = "";
const files = () => join(folder, "endpoints");
const write = (name: string, text: string) => writeFileSync(join(files(), name), text);
const read = (name: string) => readFileSync(join(files(), name), "utf8");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "logweir-as-code-"));
  mkdirSync(join(folder, "none"));
  mkdirSync(files());
  service = await startService({ env: { LOGWEIR_ENDPOINTS_DIR: join(folder, "none") } });
});

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const logweir = (...args: readonly string[]) =>
  runCommand(args, { environment: { LOGWEIR_URL: service.url, LOGWEIR_TOKEN: privateToken } });

const query = "\nSELECT id, timestamp -- caf\u00e9\r\nFROM edge WHERE project = @project\n\n";
const errors = (body = query, more = "") => `/*---
id: 6f0cf0a4-2f6e-4d0a-9a7b-0f8f1f0f6c11
name: errors
parameters: { project: { required: true } }
${more}---*/
${body}`;
const reader = `/*---
id: 7f0cf0a4-2f6e-4d0a-9a7b-0f8f1f0f6c12
---*/
SELECT COUNT(*) AS n FROM errors`;

describe("endpoints as code", () => {
  it("are applied from a folder with a plan, each change once, and readers after what they read", async () => {
    write("errors.sql", errors());
    write("a-reader.sql", reader);
    const diff = await logweir("endpoint", "diff", files());
    expect(diff.output).toBe(
      "+ create errors\n+ create a-reader\n2 to create, 0 to update, 0 to delete, 0 unchanged\n",
    );
    expect([diff.code, diff.errors]).toEqual([2, "There are 2 changes\n"]);
    const refused = await logweir("endpoint", "apply", files());
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining("--yes")]);
    expect((await logweir("endpoint", "list", "--json")).output).toBe("[]\n");
    const applied = await logweir("endpoint", "apply", files(), "--yes");
    expect([applied.code, applied.errors]).toEqual([0, ""]);
    expect(applied.output).toContain("created errors (version 1)\ncreated a-reader (version 1)\n");
    const again = await logweir("endpoint", "apply", files(), "--yes", "--json");
    expect([again.code, JSON.parse(again.output)]).toEqual([0, { applied: [], unchanged: 2, kept: [] }]);
    expect((await logweir("endpoint", "diff", files())).code).toBe(0);
  });

  it("are pulled byte for byte, without rewriting files that mean the same", async () => {
    const before = statSync(join(files(), "errors.sql")).mtimeMs;
    const same = await logweir("endpoint", "pull", files());
    expect([same.code, same.output]).toEqual([0, "0 written, 2 unchanged\n"]);
    expect(statSync(join(files(), "errors.sql")).mtimeMs).toBe(before);
    const fresh = join(folder, "fresh");
    expect((await logweir("endpoint", "pull", fresh)).output).toContain("2 written, 0 unchanged");
    const text = readFileSync(join(fresh, "errors.sql"));
    expect(text.subarray(text.indexOf("---*/\n") + 6)).toEqual(Buffer.from(query));
    expect((await logweir("endpoint", "diff", fresh)).code).toBe(0);
  });

  it("show which changes break callers, and apply them to the planned version", async () => {
    write("errors.sql", errors("SELECT id, project\nFROM edge WHERE project = @project\n", "max_rows: 50\n"));
    const diff = await logweir("endpoint", "diff", files(), "--json");
    expect(diff.code).toBe(2);
    const plan = JSON.parse(diff.output) as { changes: { changes: object[] }[]; unchanged: number };
    expect(plan).toMatchObject({
      unchanged: 1,
      changes: [{ action: "update", name: "errors", version: 1, breaking: true }],
    });
    expect(plan.changes[0]?.changes).toEqual([
      { area: "column", name: "timestamp", change: "removed", from: "TIMESTAMP", to: null, breaking: true },
      expect.objectContaining({ area: "column", name: "project", change: "added", breaking: false }),
      { area: "setting", name: "max_rows", change: "changed", from: "1000", to: "50", breaking: true },
    ]);
    const shown = await logweir("endpoint", "apply", files(), "--yes");
    expect(shown.output).toContain("~ update errors  BREAKING\n    column timestamp removed (TIMESTAMP) [breaking]\n");
    expect(shown.output).toContain("    + SELECT id, project\n");
    expect(shown.output).not.toContain("\u001b");
    expect(shown.output).toContain("updated errors (version 2)");
  });

  it("do not overwrite local edits on a pull unless it is forced", async () => {
    const edited = errors("SELECT 1 AS edited, @project AS p");
    write("errors.sql", edited);
    const refused = await logweir("endpoint", "pull", files());
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining("errors.sql")]);
    expect(read("errors.sql")).toBe(edited);
    expect((await logweir("endpoint", "pull", files(), "--force")).output).toContain("1 written, 1 unchanged");
    expect(read("errors.sql")).toContain("SELECT id, project\n");
  });

  it("apply nothing when one file is invalid, and report every problem", async () => {
    const good = read("errors.sql");
    write("errors.sql", errors("SELECT NOPE(id) FROM edge WHERE project = @project"));
    write("new.sql", reader.replace("7f0c", "8f0c").replace("COUNT(*)", "COUNTT(*)").replace("errors", "edge"));
    const refused = await logweir("endpoint", "apply", files(), "--yes");
    expect(refused.code).toBe(1);
    expect(refused.errors).toMatch(/errors\.sql: .*\n {2}query: line 1, column 8: .*NOPE/);
    expect(refused.errors).toMatch(/new\.sql: .*\n {2}query: line 1, column 8: .*COUNTT/);
    // A reader of an endpoint that changes with it is checked only when it is written.
    write("errors.sql", errors("SELECT id AS other FROM edge WHERE project = @project"));
    write("new.sql", reader.replace("7f0c", "8f0c").replace("COUNT(*)", "COUNTT(*)"));
    const undone = await logweir("endpoint", "apply", files(), "--yes");
    expect([undone.code, undone.errors]).toEqual([1, expect.stringContaining("what was done before it was undone")]);
    const { output } = await logweir("endpoint", "get", "errors", "--json");
    expect(JSON.parse(output)).toMatchObject({ query: expect.stringContaining("SELECT id, project\n") });
    write("new.sql", "SELECT 1");
    expect(await logweir("endpoint", "diff", files())).toMatchObject({
      code: 1,
      errors: expect.stringContaining("new.sql:1:1"),
    });
    rmSync(join(files(), "new.sql"));
    write("errors.sql", good);
    expect((await logweir("endpoint", "diff", files())).code).toBe(0);
  });

  it("are deleted only on request, readers first", async () => {
    rmSync(join(files(), "errors.sql"));
    rmSync(join(files(), "a-reader.sql"));
    const kept = await logweir("endpoint", "diff", files());
    expect([kept.code, kept.output]).toEqual([0, expect.stringContaining("errors is not in the folder and stays")]);
    const pruned = await logweir("endpoint", "apply", files(), "--yes", "--prune");
    expect(pruned).toMatchObject({ code: 0, output: expect.stringContaining("deleted a-reader\ndeleted errors\n") });
    expect((await logweir("endpoint", "list", "--json")).output).toBe("[]\n");
  });

  it("fail with a clear message when no service answers", async () => {
    const gone = await logweir("endpoint", "diff", files(), "--url", "http://127.0.0.1:1");
    expect(gone).toMatchObject({
      code: 1,
      output: "",
      errors: expect.stringContaining("No service answers at http://127.0.0.1:1"),
    });
  });
});
