import { listBackups } from "../../../backups/manifest.ts";
import { openPlace } from "../../../backups/open-place.ts";
import { pruneBackups } from "../../../backups/prune-backups.ts";
import { verifyBackups } from "../../../backups/read-backup.ts";
import { readObjectStore } from "../../../config/config.ts";
import { CliError, type CommandContext, print, printAnswer, printJson } from "../../context.ts";
import { createProgressBar } from "../../output/progress-bar.ts";
import { formatTable } from "../../output/table.ts";
import { countEvents, sizeOf } from "./describe-backup.ts";

/** Lists the backups of a place, oldest first. */
export async function listPlace(context: CommandContext, name: string): Promise<void> {
  const place = await openPlace(name, readObjectStore(context.environment));
  const backups = await listBackups(place);
  if (context.json === true) {
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
export async function verifyPlace(context: CommandContext, name: string): Promise<void> {
  const place = await openPlace(name, readObjectStore(context.environment));
  const bar = createProgressBar(context.errors, "Reading files");
  const { backups, problems } = await verifyBackups(place, (done, total) => bar.update(done, total)).finally(() =>
    bar.end(),
  );
  if (backups.length === 0) throw new CliError(`${place.title} holds no backups`);
  const lost = new Set(problems.flatMap((each) => each.backups));
  const rows = backups.map(({ id }) => ({ id, is_whole: !lost.has(id) }));
  const lines = rows.map((row) => `${row.id}  ${row.is_whole ? "whole" : "cannot be restored"}`);
  printAnswer(context, { backups: rows, problems }, lines.join("\n"));
  if (problems.length === 0) return;
  const damage = problems.map((each) => `  ${each.problem}, which ${each.backups.join(", ")} needs`);
  throw new CliError(`${place.title} has files that are missing or damaged:\n${damage.join("\n")}`);
}

/** Removes all backups of a place but the newest. */
export async function prunePlace(
  context: CommandContext,
  name: string,
  options: { readonly keep: string },
): Promise<void> {
  const keep = /^\d{1,9}$/.test(options.keep) ? Number(options.keep) : 0;
  if (keep === 0) {
    const problem = `--keep takes the number of backups to keep, 1 or more; it was ${options.keep}`;
    throw new CliError(`${problem}. Nothing changed`);
  }
  const place = await openPlace(name, readObjectStore(context.environment));
  const { removed, kept, files } = await pruneBackups(place, keep);
  const count = (n: number) => (n === 1 ? "1 backup was" : `${n} backups were`);
  const text = `${count(removed.length)} removed, with ${files} files; ${count(kept.length)} kept.`;
  printAnswer(context, { removed, kept, files }, text);
}
