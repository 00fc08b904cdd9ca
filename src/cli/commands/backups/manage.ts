import { listBackups } from "../../../backups/manifest.ts";
import { openPlace } from "../../../backups/open-place.ts";
import { pruneBackups } from "../../../backups/prune-backups.ts";
import { verifyBackups } from "../../../backups/read-backup.ts";
import { readObjectStore } from "../../../config/config.ts";
import { type CliContext, CliError, print, printJson } from "../../context.ts";
import { createProgressBar } from "../../output/progress-bar.ts";
import { formatTable } from "../../output/table.ts";
import { countEvents, sizeOf } from "./describe-backup.ts";

export interface PlaceOptions {
  readonly json?: boolean;
}

/** Lists the backups of a place, oldest first. */
export async function listPlace(name: string, options: PlaceOptions, context: CliContext): Promise<void> {
  const place = await openPlace(name, readObjectStore(context.environment));
  const backups = await listBackups(place);
  if (options.json === true) {
    const rows = backups.map(({ id, backup, problem }) =>
      backup === undefined
        ? { id, problem }
        : { id, made_at: backup.made_at, events: countEvents(backup), bytes: sizeOf(backup) },
    );
    printJson(context.output, rows);
    return;
  }
  if (backups.length === 0) throw new CliError(`${place.title} holds no backups`);
  const rows = backups.map(({ id, backup, problem = "" }) =>
    backup === undefined
      ? [id, "", problem]
      : [id, countEvents(backup).toLocaleString("en"), `${(sizeOf(backup) / 1e6).toFixed(1)} MB`],
  );
  print(context.output, formatTable(["ID", "EVENTS", "SIZE"], rows));
}

/** Reads every file of the backups of a place. Fails, after it has said which, where one is missing or damaged. */
export async function verifyPlace(name: string, options: PlaceOptions, context: CliContext): Promise<void> {
  const place = await openPlace(name, readObjectStore(context.environment));
  const bar = createProgressBar(context.errors, "Reading files");
  const { backups, problems } = await verifyBackups(place, (done, total) => bar.update(done, total)).finally(() =>
    bar.end(),
  );
  if (backups.length === 0) throw new CliError(`${place.title} holds no backups`);
  const lost = new Set(problems.flatMap((each) => each.backups));
  const rows = backups.map(({ id }) => ({ id, is_whole: !lost.has(id) }));
  if (options.json === true) printJson(context.output, { backups: rows, problems });
  else for (const row of rows) print(context.output, `${row.id}  ${row.is_whole ? "whole" : "cannot be restored"}`);
  if (problems.length === 0) return;
  const lines = problems.map((each) => `  ${each.problem}, which ${each.backups.join(", ")} needs`);
  throw new CliError(`${place.title} has files that are missing or damaged:\n${lines.join("\n")}`);
}

/** Removes all backups of a place but the newest. */
export async function prunePlace(
  name: string,
  options: PlaceOptions & { readonly keep?: string },
  context: CliContext,
): Promise<void> {
  const keep = /^\d{1,9}$/.test(options.keep ?? "") ? Number(options.keep) : 0;
  if (keep === 0) {
    throw new CliError(
      `--keep takes the number of backups to keep, 1 or more; it was ${options.keep}. Nothing changed`,
    );
  }
  const place = await openPlace(name, readObjectStore(context.environment));
  const { removed, kept, files } = await pruneBackups(place, keep);
  if (options.json === true) printJson(context.output, { removed, kept, files });
  else {
    const count = (n: number) => (n === 1 ? "1 backup was" : `${n} backups were`);
    print(context.output, `${count(removed.length)} removed, with ${files} files; ${count(kept.length)} kept.`);
  }
}
