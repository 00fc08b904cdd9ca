import { type BackupWork, makeBackup } from "../../../backups/make-backup.ts";
import type { Backup } from "../../../backups/manifest.ts";
import { openPlace } from "../../../backups/open-place.ts";
import { readObjectStore } from "../../../config/config.ts";
import { loadByteChecker } from "../../../engines/index.ts";
import { type CliContext, CliError, print, printJson } from "../../context.ts";
import { createProgressBar } from "../../output/progress-bar.ts";
import { createServiceClient, describeAnswer, type ServiceOptions } from "../../service-call.ts";
import { describeBackup, sizeOf } from "./describe-backup.ts";

export interface BackupOptions extends ServiceOptions {
  readonly json?: boolean;
}

/** Adds a backup of a running service to a place, which is made where it is missing: what is new is copied. */
export async function backup(name: string, options: BackupOptions, context: CliContext): Promise<void> {
  const place = await openPlace(name, readObjectStore(context.environment));
  const bar = createProgressBar(context.errors, "Copying bytes");
  const work: BackupWork = {
    request: async (prefixes) => request(prefixes, options, context),
    checkBlocks: await createBlockCheck(),
    onProgress: (done, total) => bar.update(done, total),
    notify: (message) => print(context.errors, message),
  };
  const made = await makeBackup(place, work).finally(() => bar.end());
  if (options.json === true)
    printJson(context.output, { folder: name, ...backupJson(made.backup), ...newBytesJson(made) });
  else {
    const news = `, ${(made.newBytes / 1e6).toFixed(1)} MB of them new`;
    print(context.output, describeBackup(`Backup ${made.backup.id} in ${place.title}`, made.backup, news));
  }
}

const newBytesJson = ({ newBytes }: { readonly newBytes: number }) => ({ new_bytes: newBytes });

/** Without the names of chunks. */
export function backupJson(backup: Backup) {
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
