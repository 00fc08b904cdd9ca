/** The list of what an export wrote into the folder of a source: a line for the export, then one for each day. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../context.ts";

/** Readers of data leave names with a `_` out. */
export const manifestName = "_export.manifest";
const format = 1;

export const exportFormats = ["parquet", "ndjson"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The events that an export is of; its times may differ from run to run. */
export interface ExportSelection {
  readonly source: string;
  readonly format: ExportFormat;
  readonly tenant: string | null;
}

/** A file of an export. */
export interface ExportedFile {
  /** Within the source's folder, with `/`. */
  readonly path: string;
  readonly tenant: string | null;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** A day that was written. */
export interface ExportedDay {
  /** As `2026-08-20`. */
  readonly day: string;
  /** The store's report of the day before it was read: count and fingerprint. */
  readonly slice: string;
  readonly files: readonly ExportedFile[];
}

export interface Manifest extends ExportSelection {
  /** By day; the last line of a day counts. */
  readonly days: ReadonlyMap<string, ExportedDay>;
}

/** Undefined where the folder has none. Throws `CliError` for a file that is something else. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, manifestName);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  // One whose first line was cut off, as on a full disk, is begun again.
  if (text === undefined || /^(\{"export":[^\n]*)?$/.test(text)) return undefined;
  const [first = "", ...rest] = text.split("\n");
  const head = readLine(first) as (ExportSelection & { readonly export?: unknown }) | undefined;
  if (head?.export !== format) throw new CliError(`${path} is not the list of an export that this version reads`);
  const days = new Map<string, ExportedDay>();
  for (const line of rest) {
    // The last one may be cut off.
    const day = readLine(line) as ExportedDay | undefined;
    if (day !== undefined) days.set(day.day, checkDay(day, path));
  }
  return { source: head.source, format: head.format, tenant: head.tenant, days };
}

function readLine(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Throws `CliError` for a line that no export writes, though it is JSON. */
function checkDay(day: ExportedDay, path: string): ExportedDay {
  const isText = (value: unknown) => typeof value === "string";
  const isFile = (file: ExportedFile | null) => isText(file?.path) && isText(file.sha256);
  if (!/^[+\d-]+$/.test(day.day) || !Array.isArray(day.files) || !day.files.every(isFile)) {
    throw new CliError(`${path} was changed: a line of it is not of a day. Export to a new folder`);
  }
  for (const file of day.files) checkPath(file.path, path);
  return day;
}

/** Throws `CliError` for a path that leads out of the folder. */
function checkPath(path: string, manifest: string): void {
  const isInside = path.split("/").every((part) => !["", ".", ".."].includes(part));
  if (!isInside) throw new CliError(`${manifest} names a file outside the export: ${JSON.stringify(path)}`);
}

/** Begins a list in a folder that has none, or the beginning of one. */
export async function beginManifest(folder: string, { source, format: of, tenant }: ExportSelection): Promise<void> {
  await append(folder, { export: format, source, format: of, tenant }, "w");
}

export async function noteDay(folder: string, day: ExportedDay): Promise<void> {
  await append(folder, day, "a");
}

/** A line is preceded by the end of one that may have been cut off. */
async function append(folder: string, line: object, flag: "w" | "a"): Promise<void> {
  const text = `${flag === "a" ? "\n" : ""}${JSON.stringify(line)}\n`;
  await writeFile(join(folder, manifestName), text, { flag, mode: 0o600, flush: true });
}

/** Whether the day's files are there, as far as their sizes show. */
export async function hasFiles(folder: string, { files, day }: ExportedDay): Promise<boolean> {
  const dayThere = await stat(join(folder, `day=${day}`)).catch(() => undefined);
  if (dayThere === undefined && files.length > 0) return false;
  for (const { path, bytes } of files) {
    const found = await stat(join(folder, path)).catch(() => undefined);
    if (found?.size !== bytes) return false;
  }
  return true;
}

/** The SHA-256 of a file, in hexadecimal. */
export async function digestFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
