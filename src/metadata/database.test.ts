import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "typebox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseCheckedYaml } from "../shared/documents/checked-yaml.ts";
import { UserError } from "../shared/user-error.ts";
import { openMetadata } from "./open-metadata.ts";
import { readSecretKey } from "./sqlite/secret-key.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logweir-metadata-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The message for the operator who starts the service. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UserError);
  return error instanceof Error ? error.message : "";
}

describe("an unusable file", () => {
  it.each([
    ["other bytes", Buffer.alloc(9_000, 7)],
    ["a text", Buffer.from("dear diary")],
    ["a damaged database", Buffer.concat([Buffer.from("SQLite format 3\u0000"), Buffer.alloc(8_000, 7)])],
  ])("with %s in place of the metadata is reported by name and left unchanged", async (_name, bytes) => {
    const path = join(folder, "metadata.db");
    writeFileSync(path, bytes);
    expect(await refusalOf(openMetadata(path))).toMatch(/metadata\.db is damaged or is no metadata of this service/);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(folder)).toEqual(["metadata.db"]);
  });

  it("is reported when a folder is in place of the metadata", async () => {
    const path = join(folder, "metadata.db");
    mkdirSync(path);
    writeFileSync(join(path, "x"), "");
    expect(await refusalOf(openMetadata(path))).toContain("metadata.db is no file");
  });

  it("is reported when it is in place of the data folder", async () => {
    writeFileSync(join(folder, "data"), "");
    const told = await refusalOf(openMetadata(join(folder, "data", "metadata.db")));
    expect(told).toContain(`${join(folder, "data")} cannot be used: it is a file`);
  });

  it("is reported when a folder is in place of the key", async () => {
    const path = join(folder, "cursor.key");
    mkdirSync(path);
    expect(await refusalOf(readSecretKey(path))).toBe(`${path} is no file; nothing was changed. Move it away`);
  });

  it("is reported and left unchanged when it is not a valid key", async () => {
    const path = join(folder, "cursor.key");
    writeFileSync(path, "short");
    expect(await refusalOf(readSecretKey(path))).toContain("cursor.key is damaged; nothing was changed");
    expect(readFileSync(path, "utf8")).toBe("short");
  });

  it("with YAML aliases that expand to billions of values is reported as a problem", () => {
    const levels = Array.from({ length: 10 }, (_, level) => {
      const item = level === 0 ? "x" : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array.from({ length: 10 }, () => item).join(", ")}]`;
    });
    expect(parseCheckedYaml(levels.join("\n"), Type.Object({}))).toEqual({
      isValid: false,
      problems: [{ message: expect.stringContaining("its aliases cannot be resolved"), offset: 0 }],
    });
  });
});
