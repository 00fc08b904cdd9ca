import type { CommandDefinition } from "../../src/cli/command-definition.ts";
import { commands } from "../../src/cli/tables/commands.ts";

const usageOf = ({ name, argument }: CommandDefinition) =>
  argument === undefined ? name : `${name} ${argument.form.replaceAll(/[a-z]+/g, (word) => word.toUpperCase())}`;

/** Replaces the lines between `start` and `end`, which must be there once. */
function replaceBetween(page: string, start: string, end: string, lines: readonly string[]): string {
  const [before, rest, ...more] = page.split(`${start}\n`);
  const after = rest?.split(end);
  if (before === undefined || after?.length !== 2 || more.length > 0)
    throw new Error(`expected ${start} and ${end} once`);
  return `${before}${start}\n${lines.join("\n")}\n${end}${after[1]}`;
}

/** `docs/cli.md` with the table of commands. */
export function printCommandTable(page: string): string {
  const rows = commands.map((command) => {
    const options = (command.options ?? []).map(
      ([flags, , form]) => `\`${flags}\`${form?.isRequired ? " (required)" : ""}`,
    );
    const more = command.page === undefined ? "" : `; see [${command.page.replace(/\.md.*$|^#/, "")}](${command.page})`;
    return `| \`${usageOf(command).replaceAll("|", "\\|")}\` | ${options.join(", ")} | ${command.description}${more} |`;
  });
  const head = ["| command | options | description |", "|---|---|---|"];
  return replaceBetween(page, "<!-- commands, by `npm run docs` -->", "<!-- end -->", [...head, ...rows]);
}

/** The manual page with the list of commands. */
export function printManualPage(page: string): string {
  const roff = (text: string) => text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  const lines = commands.flatMap((command) => {
    const options = (command.options ?? []).map(([flags]) => flags.replaceAll("<", "").replaceAll(">", ""));
    return [
      ".TP",
      `.B ${roff(usageOf(command))}`,
      `${roff(command.description.charAt(0).toUpperCase() + command.description.slice(1))}.`,
      ...(options.length === 0 ? [] : [`Options: ${roff(options.join(", "))}.`]),
    ];
  });
  return replaceBetween(page, '.\\" commands, by npm run docs', ".SH ENVIRONMENT", lines);
}
