import { mkdtemp, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { beginRun } from "./run.ts";
import type { Start } from "./start.ts";

/** A data folder, on which one run begins after the other. */
async function open() {
  const dataDir = await mkdtemp(join(tmpdir(), "logweir-run-"));
  const log: string[] = [];
  const note = (message: string) => void log.push(message);
  const logger = { info: note, warn: note, fatal: note, flush: () => undefined };
  const begin = () => beginRun({ settings: { dataDir }, nowMs: () => 0, logger } as unknown as Start);
  return { begin, log, path: join(dataDir, "last-run.json") };
}

const ofFirst = "The service starts; the run before it, of 1970-01-01T00:00:00.000Z, did not end cleanly: ";

describe("a run of the service", () => {
  it("says how the one before it ended", async () => {
    const { begin, log } = await open();
    await begin().stop("SIGTERM", async () => undefined);
    begin().endAtOnce(`a defect ${"\u{1f600}".repeat(1_000)}`);
    begin();
    begin();
    expect(log.filter((line) => line.startsWith("The service starts"))).toEqual([
      "The service starts, for the first time on its data folder",
      "The service starts; the run before it ended cleanly: SIGTERM",
      expect.stringContaining(`${ofFirst}a defect \u{1f600}`),
      `${ofFirst}without a word, as at a SIGKILL, a crash or a power failure`,
    ]);
  });

  it("writes its end and the next start in the room of its beginning, which a full disk has", async () => {
    const { begin, path } = await open();
    const run = begin();
    const { ino, size } = await stat(path);
    await run.stop("SIGTERM", async () => undefined);
    expect(await stat(path)).toMatchObject({ ino, size });
    begin();
    expect(await stat(path)).toMatchObject({ ino, size });
  });

  it("goes on where the note of a shorter form, or a damaged one, is there", async () => {
    const { begin, log, path } = await open();
    await writeFile(path, '{"started_at":"1970-01-01T00:00:00.000Z","reason":"SIGINT","clean":true}\n');
    begin();
    await writeFile(path, '{"started_at":"19');
    begin();
    expect(log).toEqual([
      "The service starts; the run before it ended cleanly: SIGINT",
      expect.stringContaining("of unknown, did not end cleanly"),
    ]);
  });
});
