import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);

it("the service has every acknowledged event once after kills at random moments", async () => {
  const { stdout } = await run(process.execPath, ["bin/tool.mjs", "test/crash/main.ts", "--kills", "12", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ kills: { host: expect.any(Number) }, problems: [] });
}, 180_000);
