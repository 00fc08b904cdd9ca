import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { hasPostgres } from "../../support/postgres-cluster.ts";

const run = promisify(execFile);

describe.runIf(hasPostgres())("two nodes under faults", () => {
  it("lose no acknowledged event and store none twice", async () => {
    const script = ["bin/tool.mjs", "test/clickhouse/faults/main.ts", "--rounds", "6", "--json"];
    const { stdout } = await run(process.execPath, script);
    expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
  }, 300_000);
});
