import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../../test/support/run-command.ts";
import { checkedParts } from "../../backups/manifest.ts";
import { checkedName } from "./checked-name.ts";

const evil = [
  "../outside",
  "../../outside",
  "/etc/outside",
  "a/../../outside",
  "..",
  ".",
  ".hidden",
  "a\\..\\b",
  "C:\\outside",
  "a\u0000b",
  "a\nb",
  "",
  "x".repeat(300),
];

describe("a name from a server or a backup", () => {
  it.each([...evil, 5, null, { toString: "x" }])("is refused before it becomes a path: %j", (name) => {
    expect(() => checkedName(name)).toThrow("nothing was written");
    expect(() => checkedName(name, "source")).toThrow("nothing was written");
    if (name !== "a") expect(() => checkedParts(name, "It")).toThrow("outside the backup");
  });

  it("is accepted when it is a valid name of an endpoint or of a backup's file", () => {
    expect(checkedName("logs.all-2_b")).toBe("logs.all-2_b");
    expect(checkedName("_a.b-c", "source")).toBe("_a.b-c");
    expect(checkedParts("store/events.duckdb", "It")).toEqual(["store", "events.duckdb"]);
  });
});

describe("commands that write files", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "logweir-names-"));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a command against a service that sends this answer. */
  async function run(answer: string, ...args: string[]) {
    const server = createServer((_request, response) => response.end(answer));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const environment = { LOGWEIR_URL: url, LOGWEIR_TOKEN: "secret" };
    const outcome = await runCommand(args, { environment, workingDir: folder });
    server.close();
    return outcome;
  }

  it.each(["../outside", "../../outside"])(
    "do not write outside their folder for the endpoint name %s",
    async (name) => {
      const id = "00000000-0000-4000-8000-000000000001";
      const contract = { parameters: [], columns: [] };
      const answer = JSON.stringify([{ id, name, version: 1, origin: "api", query: "SELECT 1 AS a", contract }]);
      const { code, errors } = await run(answer, "endpoint", "pull", "deep/inside");
      expect([code, errors]).toEqual([1, expect.stringContaining("which no endpoint can be called")]);
      expect(existsSync(join(folder, "deep", "outside.sql")) || existsSync(join(folder, "outside.sql"))).toBe(false);
    },
  );

  it("do not write outside their folder for a file of a backup", async () => {
    const head = { format: 1, made_at: "", sources: [], files: [{ path: "../outside.db", bytes: 1 }] };
    const { code, errors } = await run(`${JSON.stringify(head)}\nx{"sha256":["0"]}\n`, "backup", join(folder, "copy"));
    expect([code, errors]).toEqual([1, expect.stringContaining("names a file outside the backup")]);
    expect(readdirSync(folder)).not.toContain("outside.db");
  });
});
