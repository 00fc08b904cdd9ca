import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "../../../test/support/run-command.ts";
import { writeLine } from "../../engines/clickhouse/spool/event-line.ts";

const dataDir = mkdtempSync(join(tmpdir(), "logweir-"));
const run = (...args: string[]) => runCommand(args, { environment: { LOGWEIR_DATA_DIR: dataDir } });

it("lists the events that the server refuses, and gives them back to the service", async () => {
  expect(await run("spool", "list")).toMatchObject({ code: 0, output: "The server refuses no event.\n" });
  expect(await run("spool", "retry")).toMatchObject({ code: 0, output: "The server refuses no event.\n" });
  const refused = join(dataDir, "spool", "refused");
  mkdirSync(refused, { recursive: true });
  const events = ["a", "b", "c", "d", "e", "f"].map((id) => ({
    ...{ id, hasGeneratedId: false, timestampUs: 1n, eventMessage: null, fields: {} },
  }));
  const lines = [
    writeLine({ source: "edge", events, reason: "too long" }),
    writeLine({ source: "shop", events: events.slice(0, 1) }),
  ];
  writeFileSync(join(refused, "0000000000000000.events"), `${lines.join("\n")}\n`);
  const { output } = await run("spool", "list");
  expect(output).toMatch(
    /^SOURCE +EVENTS +REASON +IDS\nedge +6 +too long +a, b, c, d, e, \.\.\.\nshop +1 +of an earlier/,
  );
  expect(JSON.parse((await run("spool", "list", "--json")).output)).toMatchObject({
    refused: [
      { source: "edge", events: 6, reason: "too long" },
      { source: "shop", reason: null },
    ],
  });
  expect(await run("spool", "retry")).toMatchObject({
    code: 1,
    errors: expect.stringContaining("No service runs here"),
  });
  expect(await run("spool", "list")).toMatchObject({ output: "The server refuses no event.\n" });
});
