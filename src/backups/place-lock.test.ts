import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createMemoryPlace } from "../../test/support/backups/memory-place.ts";
import { openFolderPlace } from "./folder-place.ts";
import { takeLock } from "./place-lock.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logweir-lock-"));
  path = join(folder, "lock");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (holder: object) =>
  writeFileSync(
    path,
    JSON.stringify({ token: "other", host: hostname(), pid: process.pid, began: 1, since: "", ...holder }),
  );

const leaveText = (text: string, seconds = 10) => {
  writeFileSync(path, text);
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
};

describe("the lock of a place", () => {
  it.each<[string, () => void]>([
    ["of a process that has ended", () => write({ pid: 2 ** 22 + 1 })],
    ["of an earlier process with this one's number", () => write({})],
    ["that was not written to its end", () => leaveText('{"tok')],
    ["without its text, as on a full disk", () => leaveText("")],
    [
      "of another machine that was not renewed",
      () => {
        write({ host: "elsewhere" });
        utimesSync(path, new Date(0), new Date(0));
      },
    ],
  ])("%s is taken over", async (_, leave) => {
    leave();
    const lock = await takeLock(openFolderPlace(folder));
    await lock.confirm();
    await lock.release();
    expect(() => readFileSync(path)).toThrow("ENOENT");
  });

  it.each([
    ["of a process that runs", { pid: process.ppid }],
    ["of this process", { began: Math.round(performance.timeOrigin) }],
    ["of another machine", { host: "elsewhere" }],
  ])("%s is left alone", async (_, holder) => {
    write(holder);
    const text = readFileSync(path, "utf8");
    await expect(takeLock(openFolderPlace(folder))).rejects.toThrow("nothing was changed. If there is none, remove");
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("that another process creates just now, and has still to write, is left alone", async () => {
    leaveText("", 0);
    await expect(takeLock(openFolderPlace(folder))).rejects.toThrow("is at work in");
    expect(readFileSync(path, "utf8")).toBe("");
  });

  it("that was taken over and given back since ends the work of its first holder", async () => {
    const lock = await takeLock(openFolderPlace(folder));
    rmSync(path);
    await expect(lock.confirm()).rejects.toThrow("has taken over");
  });

  it("is renewed by its holder, and not once it is another's", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const place = createMemoryPlace();
    const lock = await takeLock(place);
    const writes = vi.spyOn(place, "write");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(writes).toHaveBeenCalledTimes(1);
    place.files.set("lock", Buffer.from('{"token":"other"}'));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(writes).toHaveBeenCalledTimes(1);
    await lock.release();
    expect(place.files.has("lock")).toBe(true);
  });

  it("that was taken over ends the work of its holder, which leaves it alone", async () => {
    const lock = await takeLock(openFolderPlace(folder));
    write({});
    await expect(lock.confirm()).rejects.toThrow("has taken over");
    await lock.release();
    expect(readFileSync(path, "utf8")).toContain("other");
  });
});
