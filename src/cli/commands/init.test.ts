import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runCommand } from "../../../test/support/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-init-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function inFolder(name: string, ...args: readonly string[]) {
  const workingDir = join(folder, name);
  mkdirSync(workingDir, { recursive: true });
  return runCommand(args, { workingDir });
}

describe("logweir init", () => {
  it("writes an endpoint whose test passes, a compose file, and a token that only its owner reads", async () => {
    const { code, output, errors } = await inFolder("new", "init", "logs");
    expect({ code, output: output.split("\n") }).toEqual({
      code: 0,
      output: [
        "logs/compose.yaml",
        "logs/.env",
        "logs/.gitignore",
        "logs/endpoints/requests.failed.sql",
        "logs/endpoints/requests.failed.test.yaml",
        "",
      ],
    });
    expect(errors).toContain("\ncd logs\nlogweir endpoint test\n");
    const logs = join(folder, "new/logs");
    expect(readFileSync(join(logs, ".env"), "utf8")).toMatch(/^LOGWEIR_PRIVATE_TOKEN=[0-9a-f]{48}\n$/);
    expect(statSync(join(logs, ".env")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(logs, ".gitignore"), "utf8").split("\n")).toContain(".env");
    const own = parse(readFileSync(join(logs, "compose.yaml"), "utf8")) as { services: { logweir: object } };
    const shipped = parse(readFileSync("deploy/compose/compose.yaml", "utf8")) as typeof own;
    const {
      build: _,
      environment: __,
      volumes: ___,
      ...settings
    } = shipped.services.logweir as Record<string, unknown>;
    expect(own.services.logweir).toMatchObject(settings);

    const tested = await inFolder("new/logs", "endpoint", "test");
    expect(tested.output).toMatch(/1 passed, 0 failed/);
    expect(tested.code).toBe(0);
  });

  it("gives each installation a token and an id of its own", async () => {
    for (const name of ["one", "other"]) expect((await inFolder(name, "init")).code).toBe(0);
    for (const file of [".env", "endpoints/requests.failed.sql"]) {
      const [one, other] = ["one", "other"].map((name) => readFileSync(join(folder, name, file), "utf8"));
      expect(one).not.toBe(other);
    }
  });

  it("writes nothing where a file is there already, be it a link that leads nowhere", async () => {
    const workingDir = join(folder, "used");
    mkdirSync(workingDir);
    symlinkSync("/nowhere/at-all", join(workingDir, ".env"));
    const { code, errors } = await inFolder("used", "init");
    expect({ code, errors }).toEqual({
      code: 1,
      errors: `${workingDir} already has .env; nothing was written. Name another folder, or remove these files\n`,
    });
    expect(readdirSync(workingDir)).toEqual([".env"]);
  });

  it("leaves nothing behind where a file cannot be written", async () => {
    const workingDir = join(folder, "blocked");
    mkdirSync(workingDir);
    // A file in the place of the folder of endpoints.
    symlinkSync("/dev/null", join(workingDir, "endpoints"));
    const { code, errors } = await inFolder("blocked", "init");
    expect(code).toBe(1);
    expect(errors).toMatch(/^Nothing was written to /);
    expect(existsSync(join(workingDir, ".env"))).toBe(false);
    expect(readdirSync(workingDir)).toEqual(["endpoints"]);
  });
});
