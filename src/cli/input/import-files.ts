/** The files that `logweir import` is given: single ones, and those of folders. */
import { randomUUID } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { CliError, usageExitCode } from "../context.ts";
import { sourceOfPath } from "../exporting/hive-path.ts";
import { digestFile, type ExportedFile, type Manifest, readManifest } from "../exporting/manifest.ts";
import { isParquet, parquetLines } from "./parquet-lines.ts";

export interface ImportFile {
  /** `-` is standard input. */
  readonly path: string;
  readonly source: string;
  readonly bytes: number;
  readonly isParquet: boolean;
  /** Differs between files, and between states of one. */
  readonly origin: string;
}

const dataFile = /\.(?:parquet|ndjson|jsonl)$|\.(?:ndjson|jsonl)\.gz$/;

/**
 * The files of these paths, with the source that each goes to: the one that is named, or that of the path in an export.
 * Throws `CliError`, before anything is sent, where a file is missing, damaged, or other than an export wrote it.
 */
export async function findImportFiles(paths: readonly string[], source?: string): Promise<readonly ImportFile[]> {
  const found: ImportFile[] = [];
  for (const path of paths) {
    if (path === "-") found.push({ ...standardInput(), source: checkSource(path, source) });
    else for (const file of await filesAt(path)) found.push(await describeFile(file, source));
  }
  const checks = new ExportChecks();
  for (const file of found) if (file.path !== "-") await checks.check(file, source === undefined);
  for (const path of paths) if (path !== "-") await checks.checkAll(path, found);
  for (const file of found) if (file.isParquet) for await (const _ of parquetLines(file.path));
  return found;
}

/** Whether it is the same as another time is not known. */
function standardInput() {
  return { path: "-", bytes: 0, isParquet: false, origin: randomUUID() };
}

async function describeFile(path: string, source?: string): Promise<ImportFile> {
  const of = checkSource(path, source);
  const { size: bytes, mtimeMs } = await stat(path);
  const origin = [resolve(path), bytes, mtimeMs].join("\0");
  return { path, source: of, bytes, isParquet: await isParquet(path), origin };
}

function checkSource(path: string, source = sourceOfPath(resolve(path))): string {
  if (source !== undefined) return source;
  throw new CliError(`--source is needed: ${path} is in no folder source=NAME of an export`, usageExitCode);
}

async function filesAt(path: string): Promise<readonly string[]> {
  const info = await stat(path).catch(() => {
    throw new CliError(`There is no file ${path}`);
  });
  if (!info.isDirectory()) return [path];
  const files = await filesBelow(path);
  if (files.length > 0) return files;
  throw new CliError(`${path} has no files of events (.parquet, .ndjson, .jsonl; the latter also as .gz)`);
}

/** Names with a `.` or `_` before them are none of data, as for other readers. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (/^[._]/.test(entry.name)) continue;
    // It may lead back here, and events that are left out unsaid would be missed too late.
    if (entry.isSymbolicLink()) throw new CliError(`${path} is a link, which is not followed: import what it leads to`);
    if (entry.isDirectory()) files.push(...(await filesBelow(path)));
    else if (entry.isFile() && dataFile.test(entry.name)) files.push(path);
  }
  return files;
}

/** Compares files with the lists of the exports that they are in. */
class ExportChecks {
  /** By the folders of the exports. */
  readonly #lists = new Map<string, Promise<ExportList | undefined>>();

  /** A file in a folder without a list is not of an export. */
  async check({ path, source }: ImportFile, isSourceOfPath: boolean): Promise<void> {
    const folder = exportFolderOf(path);
    const list = folder === undefined ? undefined : await this.#listOf(folder);
    if (folder === undefined || list === undefined) return;
    if (isSourceOfPath && list.source !== source) {
      const other = `${folder} holds an export of ${JSON.stringify(list.source)}, as its list says`;
      throw new CliError(`${other}. Nothing was sent. Name the source that it goes to: --source`, usageExitCode);
    }
    const known = list.files.get(relative(folder, resolve(path)).replaceAll("\\", "/"));
    if (known === undefined) {
      throw new CliError(
        `${path} is not in the list of the export that it is in: it was put there, or the list is incomplete. ` +
          "Nothing was sent. Run the export again, or import the file from another folder",
      );
    }
    if (known.sha256 === (await digestFile(path))) return;
    throw new CliError(
      `${path} is damaged or was changed: it is not what the export wrote, as its SHA-256 shows. Nothing was sent. ` +
        "Export its day again, or import a copy from another folder",
    );
  }

  /** Throws where a folder lacks files of an export that is in it. */
  async checkAll(path: string, found: readonly ImportFile[]): Promise<void> {
    const there = new Set(found.map((file) => resolve(file.path)));
    const root = resolve(path);
    for (const [folder, list] of this.#lists) {
      if (folder !== root && !folder.startsWith(join(root, "/"))) continue;
      const missing = [...((await list)?.files.keys() ?? [])].find((file) => !there.has(join(folder, file)));
      if (missing === undefined) continue;
      throw new CliError(
        `${join(folder, missing)} is missing: the export wrote it. Nothing was sent. Run the export again, ` +
          "or import the folders of days that are there",
      );
    }
  }

  #listOf(folder: string): Promise<ExportList | undefined> {
    const list = this.#lists.get(folder) ?? readManifest(folder).then(listFiles);
    this.#lists.set(folder, list);
    return list;
  }
}

interface ExportList {
  readonly source: string;
  /** By their paths. */
  readonly files: ReadonlyMap<string, ExportedFile>;
}

function listFiles(manifest: Manifest | undefined): ExportList | undefined {
  if (manifest === undefined) return undefined;
  const files = [...manifest.days.values()].flatMap((day) => day.files);
  return { source: manifest.source, files: new Map(files.map((file) => [file.path, file])) };
}

/** The folder `source=NAME` that a file is in. */
function exportFolderOf(path: string): string | undefined {
  for (let folder = dirname(resolve(path)); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder).startsWith("source=")) return folder;
  }
  return undefined;
}
