import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { damageLines, fileDamages } from "../../../../test/support/damage-file.ts";
import { openLineJournal } from "../../../shared/journal/line-journal.ts";
import { findSetAside } from "../../../shared/journal/set-aside.ts";
import { EngineError, type EventStore } from "../../contract/query-engine.ts";
import { readLine, writeLine } from "./event-line.ts";
import { listRefused, retryRefused } from "./refused-events.ts";
import { Spool } from "./spool.ts";

const flush = async () => undefined;

const lineOf = (id: string, reason?: string) => {
  const event = { id, hasGeneratedId: false, timestampUs: 7n, eventMessage: null, fields: {} };
  return writeLine({ source: "edge", events: [event], reason });
};

/** Three files with five events each; returns their paths. */
async function writeFiles(folder: string): Promise<readonly string[]> {
  const journal = await openLineJournal({ flush, folder, extension: "events", segmentBytes: 100 });
  for (const file of "abc") await journal.note([0, 1, 2, 3, 4].map((number) => lineOf(`${file}${number}`)));
  await journal.close();
  return (await readdir(folder)).map((name) => join(folder, name));
}

/** Opens the spool, and closes it once nothing waits; returns what was stored and logged. */
async function replay(folder: string) {
  const stored: string[] = [];
  const logged: string[] = [];
  const store: Pick<EventStore, "append" | "describe"> = {
    describe: () => undefined,
    async append(_source, events) {
      const ids = events.map(({ id }) => id);
      stored.push(...ids);
      return { stored: ids.length, repeated: 0 };
    },
  };
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const log = (_level: string, message: string) => {
    logged.push(message);
    if (message === "all events that waited are stored") end();
  };
  const spool = await Spool.open({ folder, flush, store, log, maxBytes: 1e9, sleep: async () => undefined });
  if (spool.isWaiting) await ended;
  await spool.takeRetried();
  const { refused } = spool;
  await spool.close();
  return { stored, logged, refused };
}

const idsOf = (lines: readonly string[]) => lines.flatMap((line) => readLine(line)?.events ?? []).map(({ id }) => id);

const makeFolder = () => mkdtemp(join(tmpdir(), "logweir-damaged-spool-"));

describe("a damaged file of waiting events", () => {
  const cases = fileDamages.flatMap((each) => ["a", "b", "c"].map((file) => ({ ...each, file })));

  it.each(cases)("$name, file $file: costs its own events alone, and is named", async ({ file, damage, isSeen }) => {
    const folder = await makeFolder();
    const paths = await writeFiles(folder);
    const path = paths["abc".indexOf(file)] ?? "";
    const whole = idsOf((await damageLines(path, damage)).whole);
    const { stored, logged } = await replay(folder);
    const others = ["a", "b", "c"].filter((each) => each !== file);
    const ids = others.flatMap((each) => [0, 1, 2, 3, 4].map((number) => `${each}${number}`));
    expect(stored.filter((id) => !id.startsWith(file))).toEqual(ids);
    expect(stored.filter((id) => id.startsWith(file))).toEqual(whole);
    if (!isSeen && file === "c") return;
    expect(logged.join("\n")).toContain(path);
    expect(await findSetAside(folder)).toHaveLength(1);
  });

  it("is not counted on, whatever else lies in the folder", async () => {
    const folder = await makeFolder();
    await writeFiles(folder);
    for (const name of ["0000000000000002.events.tmp", "deletions.json.new"]) await writeFile(join(folder, name), "x");
    await mkdir(join(folder, "lock"));
    await writeFile(join(folder, "refused"), "a file");
    await writeFile(join(folder, "9999999999999999.events"), `${lineOf("z")}\n`);
    const { stored, logged } = await replay(folder);
    expect(stored).toHaveLength(15);
    expect(logged.join("\n")).toContain("9999999999999999.events cannot be used");
  });

  it.each(['{"version":2}', "null", "[", '["edge",{}]', '["edge",[["x"]]]', '["edge",[["x","1",null]]]'])(
    "of another version, with %s: costs its own events alone, and is named",
    async (text) => {
      const folder = await makeFolder();
      const checksum = createHash("sha256").update(text).digest("hex").slice(0, 16);
      const path = join(folder, "0000000000000000.events");
      await writeFile(path, `${lineOf("a")}\n${checksum} ${text}\n${lineOf("b")}\n`);
      const { stored, logged } = await replay(folder);
      expect(stored).toEqual(["a", "b"]);
      expect(logged.join("\n")).toContain(`1 lines of ${path} are damaged (2)`);
      expect(await findSetAside(folder)).toHaveLength(1);
    },
  );
});

describe("damaged deletions", () => {
  it.each(["", "\0\0\0", "{}", '[{"source":"edge"}]', "[null]"])(
    "%j: events are stored, and it is said",
    async (text) => {
      const folder = await makeFolder();
      await writeFiles(folder);
      await writeFile(join(folder, "deletions.json"), text);
      const { stored, logged } = await replay(folder);
      expect(stored).toHaveLength(15);
      expect(logged.join("\n")).toContain("deletions.json is damaged");
      expect(await findSetAside(folder)).toHaveLength(1);
    },
  );

  it("apply to no event that came after them, where the end of the queue is lost", async () => {
    const folder = await makeFolder();
    await writeFiles(folder);
    await writeFile(join(folder, "deletions.json"), '[{"source":"edge","filter":{"id":"later"},"end":99}]');
    const journal = await openLineJournal({ flush, folder, extension: "events" });
    await journal.close();
    const store: Pick<EventStore, "append" | "describe"> = {
      describe: () => undefined,
      append: async () => {
        throw new EngineError("unavailable", "away", { isLost: true });
      },
    };
    const sleep = (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    const spool = await Spool.open({ folder, flush, store, sleep, log: () => undefined, maxBytes: 1e9 });
    const event = { id: "later", hasGeneratedId: false, timestampUs: 7n, eventMessage: null, fields: {} };
    await spool.add({ source: "edge", events: [event] });
    await spool.close();
    expect((await replay(folder)).stored).toContain("later");
  });
});

describe("a damaged file of refused events", () => {
  async function writeRefused() {
    const folder = await makeFolder();
    const place = join(folder, "refused");
    await mkdir(place);
    for (const file of "abc") {
      const lines = [0, 1, 2, 3, 4].map((number) => `${lineOf(`${file}${number}`, "too odd")}\n`);
      await writeFile(join(place, `${file}.events`), lines.join(""));
    }
    return { folder, place };
  }

  it.each(fileDamages)("$name: costs its own events alone, before and when they are sent again", async ({ damage }) => {
    const { folder, place } = await writeRefused();
    const path = join(place, "b.events");
    const { whole: lines, hasOthers } = await damageLines(path, damage);
    const [whole, isNoticed] = [idsOf(lines), hasOthers || (await stat(path)).isDirectory()];
    const { refused, logged } = await replay(folder);
    expect(refused.events).toBe(10 + whole.length);
    expect([logged.join("\n").includes(path), (await findSetAside(folder)).length]).toEqual(
      isNoticed ? [true, 1] : [false, 0],
    );
    expect((await listRefused(folder)).filter(({ file }) => file !== "b.events")).toHaveLength(10);
    await retryRefused(folder);
    const { stored } = await replay(folder);
    expect(stored.filter((id) => !id.startsWith("b"))).toHaveLength(10);
    expect(stored.filter((id) => id.startsWith("b"))).toEqual(whole);
  });

  it("is listed, and kept when its other events were sent again", async () => {
    const { folder, place } = await writeRefused();
    await fileDamages.find(({ name }) => name === "a changed byte")?.damage(join(place, "b.events"));
    expect((await listRefused(folder)).map(({ reason }) => reason)).toContain("b.events is damaged");
    await retryRefused(folder);
    const { stored, logged } = await replay(folder);
    expect(stored).toHaveLength(14);
    expect(logged.join("\n")).toContain("1 lines of refused events are damaged");
    expect(await findSetAside(folder)).toHaveLength(1);
  });
});
