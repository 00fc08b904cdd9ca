import { writeDurably } from "../../shared/system/write-durably.ts";
import { explainFullDisk } from "../../shared/user-error.ts";
import { CliError, type CommandContext, print, printAnswer } from "../context.ts";

/** The files that a pull makes of what a service has. */
interface Pulled {
  readonly writes: readonly { readonly name: string; readonly file: string; readonly text: string }[];
  /** Files among them whose meaning is another one now. */
  readonly conflicts: readonly string[];
  /** Names of what no file can hold, with the reason; absent where any file can. */
  readonly skipped?: { readonly names: readonly string[]; readonly why: string };
  readonly unchanged: number;
}

export interface PullOptions {
  /** Overwrite files with different content. */
  readonly force?: boolean;
}

/** Writes the files and prints their names; without `force` and with conflicts it writes none. */
export async function writePulled(pulled: Pulled, { force }: PullOptions, context: CommandContext): Promise<void> {
  const { writes, conflicts, skipped, unchanged } = pulled;
  if (conflicts.length > 0 && force !== true) {
    const list = conflicts.map((path) => `  ${path}`).join("\n");
    throw new CliError(`These files say something else than the service; --force overwrites them:\n${list}`);
  }
  for (const { file, text } of writes) {
    await writeDurably(file, text).catch((error: unknown) => {
      throw explainFullDisk(error, file, "the file is as it was. Free space, and run the command again");
    });
  }
  const written = writes.map(({ name, file }) => ({ name, file }));
  printAnswer(context, { written, ...(skipped && { skipped: skipped.names }), unchanged }, () => {
    for (const { file } of writes) print(context.output, `wrote ${file}`);
    for (const name of skipped?.names ?? []) print(context.output, `left out ${name}: ${skipped?.why}`);
    const left = skipped === undefined ? "" : `${skipped.names.length} left out, `;
    print(context.output, `${writes.length} written, ${left}${unchanged} unchanged`);
  });
}
