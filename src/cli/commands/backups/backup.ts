import { type BackupWork, makeBackup } from "../../../backups/make-backup.ts";
import type { Backup } from "../../../backups/manifest.ts";
import { openPlace } from "../../../backups/open-place.ts";
import { readObjectStore } from "../../../config/config.ts";
import { loadByteChecker } from "../../../engines/index.ts";
import { CliError, type CommandContext, print, printAnswer } from "../../context.ts";
import { createProgressBar } from "../../output/progress-bar.ts";
import { createServiceClient, readBytes } from "../../service-call.ts";
import { describeBackup, sizeOf } from "./describe-backup.ts";

/** Adds a backup of a running service to a place, which is made where it is missing: what is new is copied. */
export async function backup(context: CommandContext, name: string): Promise<void> {
  const place = await openPlace(name, readObjectStore(context.environment));
  const bar = createProgressBar(context.errors, "Copying bytes");
  const work: BackupWork = {
    async request(prefixes) {
      const headers = { "content-type": "application/octet-stream" };
      const sent = { method: "POST", headers, body: Uint8Array.from(prefixes) };
      return readBytes(createServiceClient(context), "/api/store/backup", sent);
    },
    checkBlocks: await createBlockCheck(),
    onProgress: (done, total) => bar.update(done, total),
    notify: (message) => print(context.errors, message),
  };
  const made = await makeBackup(place, work).finally(() => bar.end());
  const value = { folder: name, ...backupJson(made.backup), new_bytes: made.newBytes };
  const news = `, ${(made.newBytes / 1e6).toFixed(1)} MB of them new`;
  printAnswer(context, value, describeBackup(`Backup ${made.backup.id} in ${place.title}`, made.backup, news));
}

/** Without the names of chunks. */
export function backupJson(backup: Backup) {
  const { id, made_at, sources, files } = backup;
  const sizes = files.map(({ path, bytes }) => ({ path, bytes }));
  return { id, made_at, sources, files: sizes, bytes: sizeOf(backup) };
}

async function createBlockCheck(): Promise<BackupWork["checkBlocks"]> {
  const createChecker = await loadByteChecker();
  return (path, position, chunk) => {
    if (!path.startsWith("store/")) return;
    const checker = createChecker(position);
    checker.push(chunk);
    const [at] = checker.damages();
    if (at === undefined) return;
    throw new CliError(
      `The store is damaged: the block at byte ${at} of ${path} does not fit its checksum. The backup was not made, and ` +
        "earlier ones are unchanged. `logweir doctor --deep` names all damage; `logweir restore` brings a backup back",
    );
  };
}
