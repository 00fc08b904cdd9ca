import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type BackupWork, damagedStore, makeBackup } from "../../../backups/make-backup.ts";
import type { Backup } from "../../../backups/manifest.ts";
import { openPlace } from "../../../backups/open-place.ts";
import { readBackupFile } from "../../../backups/read-backup.ts";
import { readObjectStore } from "../../../config/config.ts";
import { loadByteChecker, verifyStoreFile } from "../../../engines/index.ts";
import { type CliContext, CliError, print, printJson } from "../../context.ts";
import { createProgressBar } from "../../output/progress-bar.ts";
import { createServiceClient, describeAnswer, type ServiceOptions } from "../../service-call.ts";
import { describeBackup, sizeOf } from "./describe-backup.ts";
import { writeCopy } from "./write-copy.ts";

export interface BackupOptions extends ServiceOptions {
  readonly json?: boolean;
}

/** Adds a backup of a running service to a place, which is made where it is missing: what is new is copied. */
export async function backup(name: string, options: BackupOptions, context: CliContext): Promise<void> {
  const { place, scratch } = await openPlace(name, readObjectStore(context.environment));
  const bar = createProgressBar(context.errors, "Copying bytes");
  const work: BackupWork = {
    request: async (prefixes) => request(prefixes, options, context),
    isWhole: await createBlockCheck(),
    async checkFile(from, file) {
      const target = join(scratch, "copy");
      try {
        await writeCopy(readBackupFile(from, file), target);
        const { damages } = await verifyStoreFile(target);
        if (damages.length > 0) throw new CliError(`${damagedStore}\n  ${damages.join("\n  ")}`);
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
    onProgress: (done, total) => bar.update(done, total),
    notify: (message) => print(context.errors, message),
  };
  const made = await makeBackup(place, work).finally(() => bar.end());
  if (options.json === true) printJson(context.output, { folder: name, ...tellBackup(made.backup), ...tellNew(made) });
  else {
    const news = `, ${(made.newBytes / 1e6).toFixed(1)} MB of them new`;
    print(context.output, describeBackup(`Backup ${made.backup.id} in ${place.title}`, made.backup, news));
  }
}

const tellNew = ({ newBytes }: { readonly newBytes: number }) => ({ new_bytes: newBytes });

/** Without the names of chunks. */
export function tellBackup(backup: Backup) {
  const { id, made_at, sources, files } = backup;
  const sizes = files.map(({ path, bytes }) => ({ path, bytes }));
  return { id, made_at, sources, files: sizes, bytes: sizeOf(backup) };
}

async function request(prefixes: Buffer, options: BackupOptions, context: CliContext) {
  const headers = { "content-type": "application/octet-stream" };
  const client = createServiceClient(options, context);
  const response = await client.send("/api/store/backup", { method: "POST", headers, body: Uint8Array.from(prefixes) });
  if (!response.ok || response.body === null) throw new CliError(await describeAnswer(response));
  return response.body as AsyncIterable<Uint8Array>;
}

async function createBlockCheck(): Promise<BackupWork["isWhole"]> {
  const createChecker = await loadByteChecker();
  return (path, position, chunk) => {
    if (!path.startsWith("store/")) return true;
    const checker = createChecker(position);
    checker.push(chunk);
    return checker.damages().length === 0;
  };
}
