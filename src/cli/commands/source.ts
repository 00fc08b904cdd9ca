import { type CliContext, printJson } from "../context.ts";
import { printTable } from "../output/table.ts";
import { readAnswer } from "../service-call.ts";
import type { ServiceCommandOptions } from "../service-commands.ts";

interface SourceAnswer {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: string;
  readonly newest_event: string | null;
}

interface SchemaAnswer {
  readonly fields: readonly { readonly path: string; readonly type: string }[];
}

/** Lists the sources of a running service. */
export async function listSources(options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const sources = await readAnswer<readonly SourceAnswer[]>("/api/sources", options, context);
  if (options.json === true) {
    printJson(context.output, sources);
    return;
  }
  const rows = sources.map(({ name, kind, aliases, newest_event }) => [
    name,
    kind,
    newest_event ?? "",
    aliases.join(" "),
  ]);
  printTable(["NAME", "KIND", "NEWEST EVENT", "ALIASES"], rows, context);
}

/** Shows the fields of a source. */
export async function showSchema(name: string, options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const path = `/api/sources/${encodeURIComponent(name)}/schema`;
  const schema = await readAnswer<SchemaAnswer>(path, options, context);
  if (options.json === true) printJson(context.output, schema);
  else
    printTable(
      ["FIELD", "TYPE"],
      schema.fields.map(({ path: field, type }) => [field, type]),
      context,
    );
}
