import { createHash } from "node:crypto";
import { UserError } from "../shared/user-error.ts";
import type { BackupHead, BackupTail } from "./backup-stream.ts";
import { countChunks } from "./chunks.ts";
import type { BackupPlace } from "./place.ts";

/** A file of a backup: its chunks in order, or, in the first format, its checksum. */
export interface BackupFile {
  readonly path: string;
  readonly bytes: number;
  readonly chunks?: readonly string[];
  readonly sha256?: string;
}

/** A backup that a place holds. */
export interface Backup extends Pick<BackupHead, "made_at" | "sources"> {
  readonly id: string;
  readonly files: readonly BackupFile[];
}

/** A backup of a place, or why it cannot be used. */
export interface ListedBackup {
  readonly id: string;
  /** Its manifest. */
  readonly key: string;
  readonly backup?: Backup;
  readonly problem?: string;
}

/** The manifest of a backup of the first format, which has a folder to itself, or shares it with later ones. */
export const firstFormatKey = "manifest.json";
/** More than a store of a terabyte has, and as much as one text may. */
const maxManifestBytes = 400_000_000;
const keyPattern = /^backups\/(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-\d\d+)?)\.json$/;
const chunkPattern = /^[0-9a-f]{64}$/;
/** A part of a path within a backup. */
const partPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/**
 * The parts of a file's path within a backup, as named by a service or a manifest. Throws `UserError` for a path that
 * could lead outside.
 */
export function checkedParts(path: unknown, where: string): readonly string[] {
  const parts = typeof path === "string" ? path.split("/") : [];
  if (parts.length > 0 && parts.every((part) => partPattern.test(part))) return parts;
  throw new UserError(`${where} names a file outside the backup: ${JSON.stringify(path)?.slice(0, 200)}`);
}

/** The id of a backup that is made at this time: the time, and a number where there is one of the same second. */
export function chooseId(madeAt: string, taken: readonly string[]): string {
  const id = `${madeAt.slice(0, 19).replaceAll(":", "-")}Z`;
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? id : `${id}-${String(number).padStart(2, "0")}`;
    if (!taken.includes(numbered)) return numbered;
  }
}

export function keyOfManifest(id: string): string {
  return `backups/${id}.json`;
}

/** A manifest with its own checksum. */
export function writeManifest(backup: Backup): Buffer {
  const manifest = { format: 2, ...backup };
  return Buffer.from(`${JSON.stringify({ ...manifest, checksum: digest(manifest) })}\n`);
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** The backups of a place, oldest first, those included that cannot be used. */
export async function listBackups(place: BackupPlace): Promise<readonly ListedBackup[]> {
  const found: ListedBackup[] = [];
  for (const key of await place.list("backups")) {
    const id = keyPattern.exec(key)?.[1];
    if (id !== undefined) found.push(await readManifest(place, key, id, (text) => readSecond(text, id)));
  }
  if ((await place.read(firstFormatKey, 1)) !== undefined) {
    const taken = found.map(({ id }) => id);
    found.push(await readManifest(place, firstFormatKey, firstFormatKey, (text) => readFirst(text, taken)));
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function readManifest(
  place: BackupPlace,
  key: string,
  id: string,
  read: (text: string) => Backup,
): Promise<ListedBackup> {
  const bytes = await place.read(key, maxManifestBytes);
  if (bytes === undefined) return { id, key, problem: `${key} is missing` };
  try {
    const backup = read(bytes.toString("utf8"));
    return { id: backup.id, key, backup };
  } catch (error) {
    const reason = error instanceof UserError ? error.message : "it is not what was written";
    return { id, key, problem: `${key} is damaged: ${reason}` };
  }
}

function readSecond(text: string, id: string): Backup {
  const { checksum, ...manifest } = JSON.parse(text) as Backup & {
    readonly format: unknown;
    readonly checksum: string;
  };
  if (manifest.format !== 2) throw new UserError("its format is not one that this version reads");
  if (digest(manifest) !== checksum || manifest.id !== id) throw new UserError("it is not what was written");
  for (const { path, bytes, chunks } of manifest.files) {
    checkedParts(path, "it");
    const isWhole = chunks?.length === countChunks(bytes) && chunks.every((name) => chunkPattern.test(name));
    if (!isWhole) throw new UserError(`its list of ${path} is not complete`);
  }
  return manifest;
}

function readFirst(text: string, taken: readonly string[]): Backup {
  const { format, made_at, sources, files, sha256 } = JSON.parse(text) as BackupHead & BackupTail;
  if (format !== 1) throw new UserError("its format is not one that this version reads");
  for (const { path } of files) checkedParts(path, "it");
  const madeAt = new Date(made_at).toISOString();
  return {
    id: chooseId(madeAt, taken),
    made_at: madeAt,
    sources,
    files: files.map((file, index) => ({ ...file, sha256: sha256[index] ?? "" })),
  };
}

/** The backup with this id, or the newest. Throws `UserError` where there is none, or it cannot be used. */
export async function findBackup(place: BackupPlace, id?: string): Promise<Backup> {
  const all = await listBackups(place);
  const found = id === undefined ? all.at(-1) : all.find((each) => each.id === id);
  if (found === undefined) {
    const known = all.map((each) => each.id).slice(-5);
    if (known.length === 0) throw new UserError(`${place.title} holds no complete backup`);
    throw new UserError(`${place.title} holds no backup ${id}. The newest are ${known.join(", ")}`);
  }
  if (found.backup !== undefined) return found.backup;
  const others = id === undefined ? ". Name another with --at; `logweir backup list` shows them" : "";
  throw new UserError(`The backup ${found.id} cannot be used: ${found.problem}${others}`);
}
