import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Backup, checkedParts, findBackup } from "../../../backups/manifest.ts";
import { openPlace } from "../../../backups/open-place.ts";
import type { BackupPlace } from "../../../backups/place.ts";
import { readBackupFile } from "../../../backups/read-backup.ts";
import { readConfiguration, readObjectStore } from "../../../config/config.ts";
import { engineCapabilities, verifyStoreFile } from "../../../engines/index.ts";
import { isRunning } from "../../../shared/system/is-running.ts";
import { explainFullDisk, UserError } from "../../../shared/user-error.ts";
import { type CliContext, CliError, type CommandContext, printAnswer } from "../../context.ts";
import { createProgressBar } from "../../output/progress-bar.ts";
import { backupJson } from "./backup.ts";
import { describeBackup, sizeOf } from "./describe-backup.ts";

interface RestoreOptions {
  /** The id of the backup; the newest unless given. */
  readonly at?: string;
}

/**
 * Creates the data folder from a backup. Refuses a data folder that is not empty. Checksums and counts are verified
 * before the folder gets its name, so an existing one is complete.
 */
export async function restore(context: CommandContext, name: string, { at }: RestoreOptions): Promise<void> {
  const { settings } = readConfiguration(context, context.environment);
  if (!engineCapabilities(settings.engineServer).hasLocalFiles) {
    throw new CliError("The engine keeps its events elsewhere: restore them by its own means");
  }
  const target = resolve(settings.dataDir);
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new CliError(
      `The data folder ${target} is not empty; nothing was changed. Choose another with LOGWEIR_DATA_DIR`,
    );
  }
  const place = await openPlace(name, readObjectStore(context.environment));
  const backup = await findBackup(place, at);
  const staging = await createStaging(target);
  try {
    await copyFiles(place, staging, backup, context);
    await verifyCopy(staging, backup);
    if (existsSync(target)) await rmdir(target);
    await rename(staging, target);
  } catch (error) {
    if (!existsSync(target) || readdirSync(target).length === 0) {
      const effect = "nothing was restored. Free as much as the backup takes, and run the command again";
      throw explainFullDisk(error, target, effect);
    }
    throw new CliError(`The data folder ${target} was filled by another process meanwhile; nothing was restored`);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  const text = describeBackup(`Restored the backup ${backup.id} to ${target}`, backup);
  printAnswer(context, { data_dir: target, ...backupJson(backup) }, text);
}

/**
 * Makes a folder beside the target that no other process writes to: what one has verified is what gets the target's
 * name. Those of processes that were killed are removed.
 */
async function createStaging(target: string): Promise<string> {
  const start = `${target}.restoring-`;
  const parent = dirname(target);
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    const pid = /^(\d+)-/.exec(name.startsWith(basename(start)) ? name.slice(basename(start).length) : "")?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(parent, name), { recursive: true, force: true });
  }
  return mkdtemp(`${start}${process.pid}-`);
}

async function copyFiles(place: BackupPlace, staging: string, backup: Backup, context: CliContext): Promise<void> {
  const total = sizeOf(backup);
  const bar = createProgressBar(context.errors, "Copying bytes");
  let done = 0;
  try {
    for (const file of backup.files) {
      const parts = checkedParts(file.path, backup.id);
      await writeCopy(readBackupFile(place, file), join(staging, ...parts), (bytes) => {
        done += bytes;
        bar.update(done, total);
      });
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new CliError(
      `The backup ${backup.id} in ${place.title} cannot be restored: ${error.message}. Nothing was restored; ` +
        "`logweir backup verify` says which backups are whole",
    );
  } finally {
    bar.end();
  }
}

/** Reads a copy of the store to the last byte. Throws `CliError` when it is damaged, or its events are not the backup's. */
async function verifyCopy(folder: string, { sources, files }: Backup): Promise<void> {
  const file = files.find(({ path }) => path.startsWith("store/"));
  if (file === undefined) throw new CliError("The backup holds no store; nothing was restored");
  const { counts, damages } = await verifyStoreFile(join(folder, ...file.path.split("/")));
  if (damages.length > 0) {
    throw new CliError(`The store in the backup is damaged; nothing was restored\n  ${damages.join("\n  ")}`);
  }
  const wrong = sources.find(({ name, rows }) => counts.get(name) !== rows);
  if (wrong === undefined) return;
  throw new CliError(
    `The store in the backup has ${counts.get(wrong.name) ?? "no"} events of ${wrong.name} instead of ` +
      `${wrong.rows}; nothing was restored`,
  );
}

/** Writes a new file to disk, and reads it back. Throws `CliError` where that is not what was written. */
async function writeCopy(
  pieces: AsyncIterable<Buffer>,
  target: string,
  onProgress: (byteCount: number) => void,
): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const file = await open(target, "wx+");
  try {
    const written = createHash("sha256");
    for await (const piece of pieces) {
      await file.writeFile(piece);
      written.update(piece);
      onProgress(piece.length);
    }
    await file.sync();
    const found = createHash("sha256");
    for await (const piece of file.createReadStream({ start: 0, autoClose: false })) found.update(piece as Buffer);
    if (found.digest("hex") !== written.digest("hex")) throw new CliError(`${target} is not what was written to it`);
  } finally {
    await file.close();
  }
}
