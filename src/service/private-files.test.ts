import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keepFilesPrivate } from "./private-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-private-"));
  await mkdir(join(folder, "drains", "positions"), { recursive: true });
  await writeFile(join(folder, "cursor.key"), "");
  await symlink(join(folder, "cursor.key"), join(folder, "link"));
  await symlink(join(folder, "nothing"), join(folder, "broken"));
});

afterEach(() => rm(folder, { recursive: true }));

const keep = () => keepFilesPrivate(folder, (message) => expect.fail(message));

it.each<[string, (path: string) => unknown]>([
  ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ["a link to a device", (path) => symlink("/dev/zero", path)],
])("refuses %s in a data folder, which a reader would wait for", async (_, make) => {
  await keep();
  const path = join(folder, "drains", "positions", "x");
  await make(path);
  await expect(keep()).rejects.toThrow(`${path} is neither a file nor a folder; nothing was changed. Move it away`);
});
