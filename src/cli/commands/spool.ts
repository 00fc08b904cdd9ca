import { setTimeout as pause } from "node:timers/promises";
import { readConfiguration } from "../../config/config.ts";
import { isRetryTaken, listRefused, retryRefused } from "../../engines/index.ts";
import { spoolDirectory } from "../../service/data-folder.ts";
import { checkFormat } from "../../shared/journal/check-format.ts";
import { type CliContext, CliError, type CommandContext, print, printAnswer, printJson } from "../context.ts";
import { formatTable } from "../output/table.ts";

/** How long a running service may take to begin with refused events, in milliseconds. */
const TAKING_MS = 5_000;
const LOOK_MS = 100;

async function folderOf(context: CliContext): Promise<string> {
  const folder = spoolDirectory(readConfiguration(context, context.environment).settings);
  await checkFormat(folder);
  return folder;
}

/** Prints the acknowledged events that the server refuses, and why. */
export async function listSpool(context: CommandContext): Promise<void> {
  const groups = await listRefused(await folderOf(context));
  const rows = groups.map(({ source, events, reason, ids }) => [
    ...[source, String(events), reason ?? "of an earlier version; some of them may be stored"],
    `${ids.join(", ")}${events > ids.length ? ", ..." : ""}`,
  ]);
  const table = formatTable(["SOURCE", "EVENTS", "REASON", "IDS"], rows);
  const refused = groups.map((group) => ({ ...group, reason: group.reason ?? null }));
  printAnswer(context, { refused }, groups.length === 0 ? "The server refuses no event." : table);
}

/** Gives refused events back to the service of this node's data folder, and waits for it to take them. */
export async function retrySpool(context: CommandContext): Promise<void> {
  const folder = await folderOf(context);
  const files = await retryRefused(folder);
  let isTaken = await isRetryTaken(folder);
  for (let waitedMs = 0; waitedMs < TAKING_MS && isTaken === false; waitedMs += LOOK_MS) {
    await pause(LOOK_MS);
    isTaken = await isRetryTaken(folder);
  }
  if (context.json === true) printJson(context.output, { files, taken: isTaken === true });
  else if (files === 0) print(context.output, "The server refuses no event.");
  else if (isTaken === true)
    print(context.output, `The service sends the events of ${files} files again; see \`spool list\`.`);
  if (isTaken !== true) {
    const why = isTaken === false ? "The service is busy" : "No service runs here";
    throw new CliError(`${why}: the events are in ${folder}, and are sent again when one takes them`);
  }
}
