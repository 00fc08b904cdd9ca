import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/run-command.ts";

describe("an invalid setting or file", () => {
  it.each([
    ["LOGWEIR_PORT", "eighty"],
    ["LOGWEIR_QUERY_TIMEOUT_MS", "-1"],
    ["LOGWEIR_NO_SUCH_SETTING", "1"],
  ])("%s=%s stops the start and is named", async (name, value) => {
    const { code, errors } = await runCommand(["serve"], { environment: { [name]: value } });
    expect([code, errors]).toEqual([1, expect.stringContaining(name)]);
  });

  it("with an error in an endpoint stops the start with its file, line, column and a caret", async () => {
    const folder = await mkdtemp(join(tmpdir(), "logweir-endpoints-"));
    const sql =
      "/*---\nid: 0d8f9a52-7f6e-4a37-9a0e-2f5a4f1f0c11\nname: broken\nmax_rows: 10\n---*/\nwith a as (select " +
      "idd from edge)\nselect * from aa\n";
    await writeFile(join(folder, "broken.sql"), sql);
    const environment = { LOGWEIR_DATA_DIR: join(folder, "data"), LOGWEIR_ENDPOINTS_DIR: folder };
    const { code, errors } = await runCommand(["serve"], { environment });
    expect([code, errors]).toEqual([1, expect.stringMatching(/broken\.sql:7:15[\s\S]*\^/)]);
    await rm(folder, { recursive: true, force: true });
  });
});
