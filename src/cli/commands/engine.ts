import { readConfiguration } from "../../config/config.ts";
import type { EngineServer } from "../../config/engine-settings.ts";
import { checkServer, migrateServer, planMigration } from "../../engines/index.ts";
import { type CliContext, CliError, type CommandContext, failForAny, print, printAnswer } from "../context.ts";
import { formatTable } from "../output/table.ts";

interface MigrateOptions {
  readonly yes?: boolean;
}

function serverOf(context: CliContext): EngineServer {
  const { engineServer } = readConfiguration(context, context.environment).settings;
  if (engineServer === undefined) {
    throw new CliError("The events are in the data folder, which `logweir serve` makes; LOGWEIR_ENGINE names a server");
  }
  return engineServer;
}

/** Prints the statements that prepare the server, or runs them. */
export async function migrateEngine(context: CommandContext, _: unknown, { yes }: MigrateOptions): Promise<void> {
  const server = serverOf(context);
  const statements = yes === true ? await migrateServer(server) : await planMigration(server);
  const list = statements.map((statement) => `${statement};`).join("\n");
  const end = yes === true ? "Done." : "Nothing was changed; `logweir engine migrate --yes` does this.";
  const text = statements.length === 0 ? "Nothing is missing." : `${list}\n\n${end}`;
  printAnswer(context, { statements, applied: yes === true }, text);
}

/** Prints the server's deviations from the expected state, and fails if there are any. */
export async function checkEngine(context: CommandContext): Promise<void> {
  const { findings, limits } = await checkServer(serverOf(context));
  printAnswer(context, { findings, limits }, () => {
    print(context.output, findings.map(({ message }) => `  ${message}`).join("\n") || "The server is ready.");
    const rows = Object.entries(limits.writer).map(([name, value]) => {
      return [name, String(value), String(limits.reader[name as keyof typeof limits.reader])];
    });
    print(context.output, `\n${formatTable(["LIMIT OF A REQUEST", "WRITER", "READER"], rows)}`);
  });
  failForAny(findings, "problem");
}
