import { readConfiguration } from "../../config/config.ts";
import type { EngineServer } from "../../config/engine-settings.ts";
import { checkServer, migrateServer, planMigration } from "../../engines/index.ts";
import { type CliContext, CliError, print, printJson } from "../context.ts";
import { formatTable } from "../output/table.ts";

interface EngineCommandOptions {
  readonly json?: boolean;
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
export async function migrateEngine({ json, yes }: EngineCommandOptions, context: CliContext): Promise<void> {
  const server = serverOf(context);
  const statements = yes === true ? await migrateServer(server) : await planMigration(server);
  if (json === true) {
    printJson(context.output, { statements, applied: yes === true });
    return;
  }
  if (statements.length === 0) {
    print(context.output, "Nothing is missing.");
    return;
  }
  print(context.output, statements.map((statement) => `${statement};`).join("\n"));
  print(context.output, yes === true ? "\nDone." : "\nNothing was changed; `logweir engine migrate --yes` does this.");
}

/** Prints the server's deviations from the expected state, and fails if there are any. */
export async function checkEngine({ json }: EngineCommandOptions, context: CliContext): Promise<void> {
  const { findings, limits } = await checkServer(serverOf(context));
  if (json === true) printJson(context.output, { findings, limits });
  else {
    print(context.output, findings.map(({ message }) => `  ${message}`).join("\n") || "The server is ready.");
    const rows = Object.entries(limits.writer).map(([name, value]) => {
      return [name, String(value), String(limits.reader[name as keyof typeof limits.reader])];
    });
    print(context.output, `\n${formatTable(["LIMIT OF A REQUEST", "WRITER", "READER"], rows)}`);
  }
  const { length } = findings;
  if (length > 0) throw new CliError(length === 1 ? "There is a problem" : `There are ${length} problems`);
}
