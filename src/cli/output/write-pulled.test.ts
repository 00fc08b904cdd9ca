import { mkdtemp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writePulled } from "./write-pulled.ts";

describe("files of a checkout", () => {
  it("are as they were where the disk is full, and the error says so", async () => {
    const folder = await mkdtemp(join(tmpdir(), "logweir-pulled-"));
    const [one, two] = [join(folder, "one.sql"), join(folder, "two.sql")];
    await writeFile(two, "before");
    // Whatever is written to this device meets a full disk.
    await symlink("/dev/full", `${two}.new`);
    const writes = [one, two].map((file) => ({ name: "", file, text: "after" }));
    await expect(writePulled({ writes, conflicts: [], unchanged: 0 }, {}, {} as never)).rejects.toThrow(
      `The disk of ${two} is full: the file is as it was.`,
    );
    expect([await readFile(one, "utf8"), await readFile(two, "utf8")]).toEqual(["after", "before"]);
    expect((await readdir(folder)).sort()).toEqual(["one.sql", "two.sql"]);
  });
});
