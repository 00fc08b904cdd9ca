import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TimeRange } from "../../engines/contract/query-engine.ts";
import { explainFullDisk } from "../../shared/user-error.ts";
import { summarize } from "../../transfer/progress-file.ts";
import { allTimes, dayOf, sliceWidthsUs } from "../../transfer/stores.ts";
import { parseIsoTimestamp } from "../../values/iso-timestamp.ts";
import { CliError, type CommandContext, print, printAnswer, usageExitCode } from "../context.ts";
import type { ColumnType } from "../exporting/event-text.ts";
import { sourceFolder } from "../exporting/hive-path.ts";
import {
  beginManifest,
  type ExportedDay,
  type ExportedFile,
  type ExportFormat,
  type ExportSelection,
  exportFormats,
  hasFiles,
  type Manifest,
  manifestName,
  readManifest,
} from "../exporting/manifest.ts";
import { clip, writeDay } from "../exporting/write-day.ts";
import { checkedName } from "../input/checked-name.ts";
import { createServiceEvents } from "../moving/service-events.ts";
import { createProgressBar } from "../output/progress-bar.ts";
import { printTable } from "../output/table.ts";
import { createServiceClient, readAnswer } from "../service-call.ts";

interface ExportOptions {
  /** The folder; and a time, as some write it who would write `--until`. */
  readonly to: readonly string[];
  readonly format: string;
  readonly from?: string;
  readonly until?: string;
  readonly tenant?: string;
}

const [dayUs] = sliceWidthsUs;

interface Outcome {
  /** With the source's folder in their paths. */
  readonly files: readonly ExportedFile[];
  /** Days that were there already. */
  readonly kept: readonly string[];
  /** Days among them of which the store has other events now. */
  readonly changed: readonly string[];
}

/**
 * Writes the events of a running service's source into a folder, by day and tenant, for other tools and for
 * `logweir import`. Goes on where an earlier run ended; never changes a day that is there.
 */
export async function exportEvents(context: CommandContext, sourceName: string, options: ExportOptions): Promise<void> {
  const { folder, range, format } = readOptions(options);
  const path = `/api/sources/${encodeURIComponent(sourceName)}`;
  const source = await readAnswer<{ readonly name: string; readonly tenant?: string }>(context, path);
  const { tenant = null } = options;
  if (tenant !== null && source.tenant === undefined) {
    throw new CliError(`The source ${source.name} has no tenants: leave --tenant out`, usageExitCode);
  }
  const selection: ExportSelection = { source: source.name, format, tenant };
  checkedName(source.name, "source");
  const events = createServiceEvents(createServiceClient(context));
  const { signal } = new AbortController();
  // What the token may not read is refused before there is a folder.
  // Of a tenant's own export, nothing depends on others' events: they would be counted in its list.
  const slicesOf = (of: TimeRange) => events.slices(source.name, of, dayUs, signal, tenant ?? undefined);
  const days = await slicesOf(range);
  const manifest = await openFolder(folder, selection);
  const readFields = async () => topFieldsOf(await readAnswer<Schema>(context, `${path}/schema`));
  const outcome = { files: [] as ExportedFile[], kept: [] as string[], changed: [] as string[] };
  const bar = createProgressBar(context.errors, "Reading events");
  const total = days.reduce((sum, { eventCount }) => sum + eventCount, 0);
  let done = 0;
  const onRead = (count: number) => {
    // More may have come since they were counted.
    done = Math.min(done + count, total);
    bar.update(done, total);
  };
  for (const { startUs } of days) {
    const ofDay = clip(range, { fromUs: startUs, toUs: startUs + dayUs });
    // Read again, since others were written meanwhile.
    const [slice] = await slicesOf(ofDay);
    if (slice === undefined) continue;
    const day = dayOf(startUs);
    const into = sourceFolder(folder, source.name);
    const there = manifest.days.get(day);
    if (there !== undefined && (await isThere(into, there, summarize(slice)))) {
      outcome.kept.push(day);
      if (there.slice !== summarize(slice)) outcome.changed.push(day);
      onRead(slice.eventCount);
      continue;
    }
    refuseUnknown(into, day, there !== undefined);
    const tenantPath = source.tenant?.split(".");
    const tail = { folder: into, day, range: ofDay, slice: summarize(slice) ?? "", signal, onRead };
    const files = await writeDay({ ...selection, events, tenantPath, readFields, ...tail });
    for (const file of files) outcome.files.push({ ...file, path: `source=${source.name}/${file.path}` });
  }
  bar.update(total, total);
  bar.end();
  report(folder, selection, outcome, context);
}

function readOptions(options: ExportOptions) {
  const format = exportFormats.find((each) => each === options.format);
  if (format === undefined) {
    const problem = `--format cannot be ${JSON.stringify(options.format)}: ${exportFormats.join(" or ")}`;
    throw new CliError(problem, usageExitCode);
  }
  const { folder, until } = readPlaces(options);
  const fromUs = options.from === undefined ? allTimes.fromUs : readTime("--from", options.from);
  const toUs = until === undefined ? allTimes.toUs : readTime("--until", until);
  if (fromUs >= toUs) throw new CliError("--from must be before --until", usageExitCode);
  return { folder, format: format satisfies ExportFormat, range: { fromUs, toUs } satisfies TimeRange };
}

/** `--to` is the folder; given twice, the one that is a time ends the times. */
function readPlaces({ to, until }: ExportOptions): { readonly folder: string; readonly until: string | undefined } {
  const isTime = (text: string) => parseIsoTimestamp(text) !== undefined;
  const [first = "", second] = to;
  if (second === undefined) return { folder: first, until };
  const times = to.filter(isTime);
  const folders = to.filter((text) => !isTime(text));
  if (to.length === 2 && times.length === 1 && until === undefined)
    return { folder: folders[0] ?? "", until: times[0] };
  throw new CliError("--to names one folder; the time that the export ends at is --until", usageExitCode);
}

function readTime(option: string, text: string): bigint {
  const time = parseIsoTimestamp(text);
  if (time !== undefined) return time.us;
  const problem = `${option} cannot be ${JSON.stringify(text)}: a day or time in ISO 8601, such as 2026-08-20T09:00:00Z`;
  throw new CliError(problem, usageExitCode);
}

/** The folder is new, empty, or has an export of the same. */
async function openFolder(folder: string, selection: ExportSelection): Promise<Pick<Manifest, "days">> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const isVisible = (name: string) => !name.startsWith(".");
  const stranger = (await readdir(folder)).find((name) => isVisible(name) && !name.startsWith("source="));
  if (stranger !== undefined) {
    throw new CliError(`${folder} holds ${stranger}, which no export wrote: export to a new folder`);
  }
  const into = sourceFolder(folder, selection.source);
  await mkdir(into, { recursive: true, mode: 0o700 });
  const manifest = await readManifest(into);
  if (manifest === undefined) {
    if ((await readdir(into)).some((name) => isVisible(name) && name !== manifestName)) {
      throw new CliError(`${into} holds files that no export wrote: export to a new folder`);
    }
    await beginManifest(into, selection).catch((error: unknown) => {
      throw explainFullDisk(error, into, "nothing was exported. Free space, and run the command again");
    });
    return { days: new Map() };
  }
  const describe = ({ format, tenant }: ExportSelection) =>
    `${format}, ${tenant === null ? "all tenants" : `tenant ${tenant}`}`;
  if (describe(manifest) === describe(selection)) return manifest;
  throw new CliError(
    `${into} has an export of another kind (${describe(manifest)}, not ${describe(selection)}): export to a new folder`,
  );
}

/** The files of a day that are incomplete, or no export's, are left as they are. */
function refuseUnknown(folder: string, day: string, isNoted: boolean): void {
  const path = join(folder, `day=${day}`);
  if (!existsSync(path)) return;
  const what = isNoted ? "lacks files of the export, or has others" : "holds files that no export wrote";
  throw new CliError(`${path} ${what}: delete it, and run the command again`);
}

/** A day that had no events of the tenant is read again if the store has others of it now. */
async function isThere(into: string, day: ExportedDay, slice: string | null): Promise<boolean> {
  return (day.files.length > 0 || day.slice === slice) && (await hasFiles(into, day));
}

interface Schema {
  readonly fields: readonly { readonly path: string; readonly type: string }[];
}

/** Fields but those that every event has; what holds others, or several types, is text. */
function topFieldsOf({ fields }: Schema): ReadonlyMap<string, ColumnType> {
  const isOfColumn = (type: string): type is ColumnType => ["INT64", "FLOAT64", "BOOL"].includes(type);
  const top = new Map<string, ColumnType>();
  for (const { path, type } of fields) {
    const [name = "", below] = path.split(".");
    if (!["id", "timestamp", "event_message"].includes(name)) {
      top.set(name, below === undefined && isOfColumn(type) ? type : "STRING");
    }
  }
  return top;
}

function report(
  folder: string,
  selection: ExportSelection,
  { files, kept, changed }: Outcome,
  context: CommandContext,
): void {
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const value = { folder, ...selection, rows, bytes, files, days_kept: kept, days_changed: changed };
  printAnswer(context, value, () => {
    const count = (value: number) => value.toLocaleString("en");
    if (files.length > 0) {
      const lines = files.map((file) => [join(folder, file.path), count(file.rows), count(file.bytes)]);
      printTable(["FILE", "ROWS", "BYTES"], lines, context);
    }
    const earlier = kept.length === 0 ? "" : `; days that were there already: ${kept.length}`;
    print(context.output, `${count(rows)} events of ${selection.source} in ${files.length} files${earlier}.`);
  });
  for (const day of changed) {
    const path = join(sourceFolder(folder, selection.source), `day=${day}`);
    print(
      context.errors,
      `${path} was left as it is, but the store has other events of it now: delete it to export it again`,
    );
  }
}
