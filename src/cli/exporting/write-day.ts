import { createReadStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tenantOf } from "../../engines/contract/event-tenant.ts";
import type { StoredEvents, TimeRange } from "../../engines/contract/query-engine.ts";
import { explainFullDisk } from "../../shared/user-error.ts";
import { sliceWidthsUs } from "../../transfer/stores.ts";
import { numberedLines } from "../input/numbered-lines.ts";
import { type ColumnType, eventText } from "./event-text.ts";
import { digestFile, type ExportedFile, type ExportSelection, noteDay } from "./manifest.ts";
import { writeParquet } from "./parquet-file.ts";
import { type TenantFile, TenantFiles } from "./tenant-files.ts";

/** From which number of events on a time is read in parts: a statement holds what it reads. */
const maxEventsAtOnce = 100_000;

/** Columns that all files have, whether their events have values or not: each takes up some bytes of a file. */
const maxCommonColumns = 200;

/** A day of a source, on its way into a folder. */
export interface DayExport extends ExportSelection {
  readonly events: StoredEvents;
  /** The names of the path of the field that identifies the tenant. */
  readonly tenantPath: readonly string[] | undefined;
  /** Looks up the top-level fields that the source has now, with their types. */
  readonly readFields: () => Promise<ReadonlyMap<string, ColumnType>>;
  /** The source's folder. */
  readonly folder: string;
  readonly day: string;
  /** The part of the day that is exported, and the store's report of it: of the tenant alone where one is exported. */
  readonly range: TimeRange;
  readonly slice: string;
  readonly signal: AbortSignal;
  readonly onRead: (events: number) => void;
  readonly maxEventsAtOnce?: number;
}

/**
 * Writes a day, a file for each tenant, into a folder of another name; that it gets its own name is the last step, so
 * that a day is there as a whole or not at all.
 */
export async function writeDay(of: DayExport): Promise<readonly ExportedFile[]> {
  const { folder, day } = of;
  const draft = join(folder, `.day=${day}.writing`);
  await rm(draft, { recursive: true, force: true });
  try {
    return await writeDraft(of, draft);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw explainFullDisk(
      error,
      folder,
      `nothing of ${day} was written, days before it are complete. Free space, and run the command again: it goes on`,
    );
  }
}

async function writeDraft(of: DayExport, draft: string): Promise<readonly ExportedFile[]> {
  const { folder, day, slice } = of;
  await mkdir(draft, { mode: 0o700 });
  const divided = await divide(of, draft);
  const fields = of.format === "parquet" ? await of.readFields() : undefined;
  const files: ExportedFile[] = [];
  for (const file of divided) {
    const path =
      fields === undefined ? await finishLines(file) : await finishParquet(file, columnsOf(of, file, fields));
    const { size } = await stat(path);
    const shown = path.slice(draft.length + 1).replaceAll("\\", "/");
    const known = { tenant: file.tenant, rows: file.rows, bytes: size, sha256: await digestFile(path) };
    files.push({ path: `day=${day}/${shown}`, ...known });
  }
  // Noted first: a folder of a day that is not noted is not of an export.
  await noteDay(folder, { day, slice, files });
  if (files.length === 0) await rm(draft, { recursive: true });
  else await rename(draft, join(folder, `day=${day}`));
  return files;
}

async function divide(of: DayExport, draft: string): Promise<readonly TenantFile[]> {
  const { events, source, range, tenantPath, tenant: only, signal, onRead } = of;
  const files = new TenantFiles(draft);
  for await (const part of partsOf(of, range, 1)) {
    for await (const batch of events.read(source, part, signal, only ?? undefined)) {
      for (const event of batch) {
        const tenant = tenantOf(tenantPath, event.fields);
        if (only === null || tenant === only) await files.add(tenant, eventText(event), Object.keys(event.fields));
      }
      onRead(batch.length);
    }
  }
  return files.end();
}

/** The range, or hours, minutes and seconds of it where they have many events. */
async function* partsOf(of: DayExport, range: TimeRange, level: number): AsyncGenerator<TimeRange> {
  const { events, source, signal, slice, tenant, maxEventsAtOnce: max = maxEventsAtOnce } = of;
  const widthUs = sliceWidthsUs[level];
  if (widthUs === undefined || (level === 1 && Number(slice.split(" ")[0]) <= max)) {
    yield range;
    return;
  }
  for (const { startUs, eventCount } of await events.slices(source, range, widthUs, signal, tenant ?? undefined)) {
    const part = clip(range, { fromUs: startUs, toUs: startUs + widthUs });
    if (eventCount <= max) yield part;
    else yield* partsOf(of, part, level + 1);
  }
}

/** The part of a time that is within another. */
export function clip(range: TimeRange, { fromUs, toUs }: TimeRange): TimeRange {
  return {
    fromUs: fromUs > range.fromUs ? fromUs : range.fromUs,
    toUs: toUs < range.toUs ? toUs : range.toUs,
  };
}

const maxLineBytes = Number.MAX_SAFE_INTEGER - 1;

/** Gives a tenant's file its name. */
async function finishLines({ path: lines }: TenantFile): Promise<string> {
  const path = join(dirname(lines), "events.ndjson");
  await rename(lines, path);
  return path;
}

/** Gives a tenant's lines the form of Parquet. */
async function finishParquet({ path: lines }: TenantFile, fields: ReadonlyMap<string, ColumnType>): Promise<string> {
  const path = join(dirname(lines), "events.parquet");
  await writeParquet(numberedLines(createReadStream(lines), maxLineBytes), `${path}.part`, fields);
  await rename(`${path}.part`, path);
  await rm(lines);
  return path;
}

/**
 * The fields that a file has columns for: those of its events, and those of the source, so that the files of an export
 * have the same. A tenant's own export does not show what others' events carry.
 */
function columnsOf(
  { tenant }: DayExport,
  file: TenantFile,
  fields: ReadonlyMap<string, ColumnType>,
): ReadonlyMap<string, ColumnType> {
  const types = new Map([...fields].map(([name, type]) => [name.toLowerCase(), type]));
  const common = tenant === null ? [...fields.keys()].slice(0, maxCommonColumns) : [];
  const spelled = new Set([...file.fields].map((name) => name.toLowerCase()));
  const names = [...file.fields, ...common.filter((name) => !spelled.has(name.toLowerCase()))];
  return new Map(names.sort().map((name) => [name, types.get(name.toLowerCase()) ?? "STRING"] as const));
}
