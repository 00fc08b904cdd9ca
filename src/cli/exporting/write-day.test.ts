import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { LogEvent, StoredEvents, TimeRange } from "../../engines/contract/query-engine.ts";
import { sliceWidthsUs } from "../../transfer/stores.ts";
import { beginManifest, readManifest } from "./manifest.ts";
import { type DayExport, writeDay } from "./write-day.ts";

const root = mkdtempSync(join(tmpdir(), "logweir-days-"));
const [dayUs] = sliceWidthsUs;
const second = 1_000_000n;

afterAll(() => rmSync(root, { recursive: true, force: true }));

const eventAt = (index: number, timestampUs: bigint): LogEvent => {
  const fields = { project: `p${index % 3}`, [`f${index}`]: index };
  return { id: `${index}`, hasGeneratedId: false, timestampUs, eventMessage: null, fields };
};

/** Two seconds with many events, and others all over the day. */
const events = Array.from({ length: 300 }, (_, n) =>
  eventAt(n, n < 100 ? BigInt(n) : n < 200 ? 90n * 60n * second + BigInt(n) : BigInt(n - 200) * 800n * second),
);

const within = ({ fromUs, toUs }: TimeRange) =>
  events.filter((event) => event.timestampUs >= fromUs && event.timestampUs < toUs);

function prepare(name: string, more: Partial<StoredEvents> = {}) {
  const ranges: TimeRange[] = [];
  const stored: StoredEvents = {
    async slices(_, range, widthUs) {
      const counts = new Map<bigint, number>();
      for (const { timestampUs } of within(range)) {
        const start = timestampUs - (timestampUs % widthUs);
        counts.set(start, (counts.get(start) ?? 0) + 1);
      }
      return [...counts].map(([startUs, eventCount]) => ({ startUs, eventCount, fingerprint: "f" }));
    },
    async *read(_, range) {
      ranges.push(range);
      yield within(range);
    },
    ...more,
  };
  const folder = join(root, name);
  const of: DayExport = {
    ...{ source: "s", format: "ndjson", tenant: null, events: stored, tenantPath: ["project"], folder },
    ...{ day: "1970-01-01", range: { fromUs: 0n, toUs: dayUs }, slice: "300 f", onRead: () => undefined },
    readFields: async () => new Map(),
    signal: new AbortController().signal,
  };
  return { folder, ranges, of };
}

describe("a day of an export", () => {
  it("is read in parts where it has many events, each event once", async () => {
    const { folder, ranges, of } = prepare("parts");
    await mkdir(folder);
    await beginManifest(folder, of);
    const files = await writeDay({ ...of, maxEventsAtOnce: 50 });
    expect(files.map(({ tenant, rows }) => [tenant, rows])).toEqual([
      ["p0", 100],
      ["p1", 100],
      ["p2", 100],
    ]);
    const texts = await Promise.all(files.map(({ path }) => readFile(join(folder, path), "utf8")));
    const ids = texts.flatMap((text) => text.trim().split("\n")).map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids.sort()).toEqual(events.map(({ id }) => id).sort());
    expect(ranges.length).toBeGreaterThan(20);
    expect(Math.max(...ranges.map((range) => Number((range.toUs - range.fromUs) / second)))).toBe(3_600);
    expect((await readManifest(folder))?.days.get("1970-01-01")).toEqual({ day: "1970-01-01", slice: "300 f", files });
  });

  it("is not there when it could not be read to its end", async () => {
    const { folder, of } = prepare("cut", {
      async *read() {
        yield events;
        throw new Error("cut off");
      },
    });
    await mkdir(folder);
    await beginManifest(folder, of);
    await expect(writeDay(of)).rejects.toThrow("cut off");
    expect((await readManifest(folder))?.days.size).toBe(0);
    const names = await readdir(folder, { recursive: true });
    expect(names.filter((name) => /^day=|\.(?:ndjson|parquet)$/.test(name))).toEqual([]);
  });

  it("leaves nothing on a full disk, and says which day is missing and what to do", async () => {
    const { folder, of } = prepare("full");
    await mkdir(folder);
    // Whatever is written to this device meets a full disk.
    await symlink("/dev/full", join(folder, "_export.manifest"));
    await expect(writeDay(of)).rejects.toThrow(
      `The disk of ${folder} is full: nothing of 1970-01-01 was written, days before it are complete. Free space`,
    );
    expect(await readdir(folder)).toEqual(["_export.manifest"]);
  });

  it("may be added to a list whose first line was cut off by a full disk", async () => {
    const { folder, of } = prepare("begun");
    await mkdir(folder);
    for (const text of ["", '{"export":1,"sou']) {
      await writeFile(join(folder, "_export.manifest"), text);
      expect(await readManifest(folder)).toBeUndefined();
      await beginManifest(folder, of);
      expect((await readManifest(folder))?.days.size).toBe(0);
    }
  });
});
