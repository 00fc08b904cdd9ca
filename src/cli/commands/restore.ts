import { createReadStream, existsSync, readdirSync } from "node:fs";
import { readFile, rename, rm, rmdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readConfiguration } from "../../config/config.ts";
import { engineCapabilities } from "../../engines/index.ts";
import type { BackupManifest } from "../../http/answer/backup-format.ts";
import { type CliContext, CliError, print, printJson } from "../context.ts";
import { checkedParts } from "../input/checked-name.ts";
import { createProgressBar } from "../output/progress-bar.ts";
import { describeBackup, verifyCopy, writeCopy } from "./backup.ts";

/**
 * Creates the data folder from a backup. Refuses a data folder that is not empty. Checksums and counts are verified
 * before the folder gets its name, so an existing one is complete.
 */
export async function restore(
  folder: string,
  options: { readonly json?: boolean },
  context: CliContext,
): Promise<void> {
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
  const manifest = await readManifest(folder);
  const staging = `${target}.restoring`;
  await rm(staging, { recursive: true, force: true });
  try {
    await copyFiles(folder, staging, manifest, context);
    await verifyCopy(staging, manifest);
    if (existsSync(target)) await rmdir(target);
    await rename(staging, target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  if (options.json === true) printJson(context.output, { data_dir: target, ...manifest });
  else print(context.output, describeBackup(`Restored the backup of ${manifest.made_at} to ${target}`, manifest));
}

async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, "manifest.json");
  if (!existsSync(path)) throw new CliError(`${folder} holds no complete backup: there is no ${path}`);
  const manifest = JSON.parse(await readFile(path, "utf8")) as BackupManifest;
  if (manifest.format !== 1) throw new CliError(`${path} has a format that this version does not read`);
  for (const { path: each } of manifest.files) checkedParts(each, path);
  return manifest;
}

async function copyFiles(
  folder: string,
  staging: string,
  manifest: BackupManifest,
  context: CliContext,
): Promise<void> {
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const bar = createProgressBar(context.errors, "Copying bytes");
  let done = 0;
  for (const [index, { path }] of manifest.files.entries()) {
    const parts = path.split("/");
    const source = join(folder, ...parts);
    if (!existsSync(source)) throw new CliError(`The backup lacks ${source}`);
    const sum = await writeCopy(
      createReadStream(source, { highWaterMark: 1024 * 1024 }),
      join(staging, ...parts),
      (bytes) => {
        done += bytes;
        bar.update(done, total);
      },
    );
    if (sum !== manifest.sha256[index]) {
      throw new CliError(`${source} is damaged: its checksum is not the manifest's. Nothing was restored`);
    }
  }
  bar.end();
}
